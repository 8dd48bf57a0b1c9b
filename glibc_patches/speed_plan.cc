#include "glibc_patches/speed_plan.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "glibc_patches/speed_regimes.h"

namespace glibc_patches {
namespace {

using ::kernels::Alignment;
using ::kernels::Cell;
using ::kernels::Function;
using ::kernels::KernelParameters;
using ::kernels::Regime;
using ::kernels::Variant;

enum class Thresholds { kMachine, kNoRep, kNonTemporal };

struct ThresholdsRow {
  Thresholds id;
  absl::string_view name;
};

constexpr ThresholdsRow kThresholds[] = {
    {Thresholds::kMachine, kMachineThresholds},
    {Thresholds::kNoRep, "never rep movsb or rep stosb"},
    {Thresholds::kNonTemporal, "non-temporal from 64 KiB"},
};

// Four pages at a time from 16 times this on, in 2.34 and later.
constexpr uint64_t kEarlyNonTemporal = 64 << 10;

// In CellRow::sizes: what LargeSizes() tells.
constexpr uint64_t kLarge = 0;
// Larger calls are not measured.
constexpr uint64_t kLargestCall = uint64_t{512} << 20;
// From this size on a call's buffers take the last cache's room.
constexpr uint64_t kAloneSize = uint64_t{16} << 20;
constexpr uint64_t kMebibyte = uint64_t{1} << 20;

// One row per size class (half as much again as a power of two lies in the
// middle of one), alignment class and regime.
//   copies      0: memset too; 1: copies only; 2: memmove only
//   all_cpus    whether as many copiers as CPUs, or one
//   effort      the least at which it is measured
//   others      the same for variants that are not the first of their kind
struct CellRow {
  Thresholds thresholds;
  Alignment alignment;
  Regime regime;
  int copies;
  bool all_cpus;
  SpeedEffort effort;
  SpeedEffort others;
  std::vector<uint64_t> sizes;
};

const std::vector<CellRow>& CellRows() {
  constexpr auto kQuick = SpeedEffort::kQuick;
  constexpr auto kNormal = SpeedEffort::kNormal;
  constexpr auto kThorough = SpeedEffort::kThorough;
  constexpr auto kHot = Regime::kHot;
  constexpr auto kRotating = Regime::kRotating;
  constexpr auto kMachine = Thresholds::kMachine;
  static const auto& rows = *new std::vector<CellRow>{
      // clang-format off
      {kMachine, Alignment::kAligned, kHot, 0, false, kQuick, kQuick,
       {1, 3, 6, 12, 24, 48, 96, 192, 384, 768, 1536, 3072, 6144, 24576}},
      {kMachine, Alignment::kMisalignedBoth, kHot, 0, false, kQuick, kQuick,
       {6, 12, 24, 48, 96, 192, 384, 768, 1536, 3072, 6144, 24576}},
      {kMachine, Alignment::kMisalignedDestination, kHot, 0, false, kThorough,
       kThorough, {96, 384, 768, 3072, 6144, 24576}},
      {kMachine, Alignment::kPageAliasing, kHot, 1, false, kNormal, kNormal,
       {768, 3072, 24576}},
      {kMachine, Alignment::kOverlapForward, kHot, 2, false, kQuick, kQuick,
       {96, 384, 1536, 24576}},
      {kMachine, Alignment::kOverlapBackward, kHot, 2, false, kQuick, kQuick,
       {96, 384, 1536, 24576}},
      {kMachine, Alignment::kShortDistance, kHot, 2, false, kQuick, kQuick,
       {12288, 24576}},
      {kMachine, Alignment::kMisalignedBoth, kRotating, 0, false, kQuick,
       kQuick, {24, 192, 1536, 24576, 65536, 196608, 1572864, 6291456}},
      {kMachine, Alignment::kAligned, kRotating, 0, false, kNormal, kNormal,
       {48, 768, 6144, 1572864}},
      {kMachine, Alignment::kMisalignedBoth, kRotating, 0, false, kNormal,
       kThorough, {25165824, kLarge}},
      {kMachine, Alignment::kAligned, kRotating, 0, false, kThorough,
       kThorough, {kLarge}},
      {kMachine, Alignment::kMisalignedBoth, Regime::kReadBack, 0, false,
       kThorough, kThorough, {1572864, kLarge}},
      {kMachine, Alignment::kMisalignedBoth, kRotating, 0, true, kNormal,
       kThorough, {24576, 1572864}},
      {kMachine, Alignment::kMisalignedBoth, kRotating, 0, true, kThorough,
       kThorough, {192, 6291456, kLarge}},
      {Thresholds::kNoRep, Alignment::kMisalignedBoth, kHot, 0, false, kQuick,
       kQuick, {3072, 24576}},
      {Thresholds::kNonTemporal, Alignment::kMisalignedBoth, kRotating, 0,
       false, kQuick, kQuick, {196608, 1572864}},
      {Thresholds::kNonTemporal, Alignment::kAligned, kRotating, 0, false,
       kThorough, kThorough, {196608, 1572864}},
      // clang-format on
  };
  return rows;
}

bool Reads(const Variant& variant,
           std::optional<uint64_t> KernelParameters::*field) {
  return std::any_of(variant.thresholds.begin(), variant.thresholds.end(),
                     [&](absl::string_view name) {
                       return kernels::ParameterField(name) == field;
                     });
}

// nullopt where the variant reads nothing of it: its cells are then those of
// the machine's thresholds.
std::optional<KernelParameters> ParametersFor(Thresholds thresholds,
                                              const Variant& variant,
                                              KernelParameters parameters) {
  switch (thresholds) {
    case Thresholds::kMachine:
      return parameters;
    case Thresholds::kNoRep:
      if (!Reads(variant, &KernelParameters::rep_movsb_threshold) &&
          !Reads(variant, &KernelParameters::rep_stosb_threshold)) {
        return std::nullopt;
      }
      parameters.rep_movsb_threshold = kernels::kNever;
      parameters.rep_stosb_threshold = kernels::kNever;
      return parameters;
    case Thresholds::kNonTemporal:
      if (!Reads(variant, &KernelParameters::non_temporal_threshold) &&
          !Reads(variant, &KernelParameters::memset_non_temporal_threshold) &&
          !Reads(variant, &KernelParameters::shared_cache_size)) {
        return std::nullopt;
      }
      parameters.non_temporal_threshold = kEarlyNonTemporal;
      parameters.rep_movsb_stop_threshold = kEarlyNonTemporal;
      parameters.memset_non_temporal_threshold = kEarlyNonTemporal;
      parameters.shared_cache_size = kEarlyNonTemporal;
      return parameters;
  }
  return std::nullopt;
}

int AddSides(const Variant& variant, const KernelParameters& parameters,
             SpeedPlan& plan) {
  const int first = static_cast<int>(plan.sides.size());
  const bool is_set = variant.function == Function::kMemset;
  const std::string name(variant.name);
  for (const char* tree : {kBaseTree, kPatchedTree, kControlTree}) {
    plan.sides.push_back(
        {tree, is_set ? "" : name, is_set ? name : "", parameters});
  }
  return first;
}

bool Suits(const CellRow& row, const Variant& variant) {
  if (row.copies >= 1 && variant.function == Function::kMemset) return false;
  return row.copies < 2 || variant.function == Function::kMemmove;
}

// The threshold from which on the variant's stores are non-temporal; nullopt:
// they never are.
std::optional<uint64_t> NonTemporalOf(const Variant& variant,
                                      const KernelParameters& parameters) {
  const auto field = variant.function == Function::kMemset
                         ? &KernelParameters::memset_non_temporal_threshold
                         : &KernelParameters::non_temporal_threshold;
  if (!Reads(variant, field)) return std::nullopt;
  return parameters.*field;
}

// A call of which four buffers are twice the last cache, and one beyond the
// non-temporal threshold by a quarter; one call for both, unless that is too
// large.
std::vector<uint64_t> LargeSizes(const SpeedMachine& machine,
                                 std::optional<uint64_t> non_temporal) {
  const auto round_up = [](uint64_t size) {
    return (size + kMebibyte - 1) / kMebibyte * kMebibyte;
  };
  std::vector<uint64_t> sizes;
  if (machine.last_cache.has_value()) {
    sizes.push_back(round_up(*machine.last_cache / 2));
  }
  // "Never" is as much as an integer holds.
  if (non_temporal.has_value()) {
    sizes.push_back(*non_temporal > 2 * kLargestCall
                        ? *non_temporal
                        : round_up(*non_temporal / 4 * 5));
  }
  std::sort(sizes.begin(), sizes.end());
  if (sizes.size() == 2 && sizes[1] <= kLargestCall) sizes.erase(sizes.begin());
  return sizes;
}

// All cells that could be measured, with the reason where one is not.
class Planner {
 public:
  Planner(const SpeedMachine& machine, SpeedEffort effort)
      : machine_(machine), effort_(effort) {}

  // `is_first`: of all that copies, or of memset.
  void Add(const Variant& variant, bool is_first) {
    for (const ThresholdsRow& thresholds : kThresholds) {
      const auto parameters =
          ParametersFor(thresholds.id, variant, machine_.thresholds);
      if (!parameters.has_value()) continue;
      const int side = AddSides(variant, *parameters, plan_);
      const auto non_temporal = NonTemporalOf(variant, *parameters);
      for (const CellRow& row : CellRows()) {
        if (row.thresholds != thresholds.id || !Suits(row, variant)) continue;
        for (const uint64_t size : row.sizes) {
          for (const uint64_t one : size == kLarge
                                        ? LargeSizes(machine_, non_temporal)
                                        : std::vector<uint64_t>{size}) {
            const Cell cell{variant.function == Function::kMemset, one,
                            row.alignment, row.regime,
                            row.all_cpus ? std::max(2, machine_.cpus) : 1};
            candidates_.push_back(
                {{std::string(variant.name), std::string(thresholds.name), cell,
                  side},
                 non_temporal,
                 WhyNot(cell, is_first ? row.effort : row.others)});
          }
        }
      }
    }
  }

  SpeedPlan Finish() {
    for (const CandidateCell& candidate : candidates_) {
      if (candidate.why_not.empty()) plan_.cells.push_back(candidate.cell);
    }
    AddRegimes(candidates_, machine_, plan_);
    return std::move(plan_);
  }

 private:
  // Empty: nothing speaks against it.
  std::string WhyNot(const Cell& cell, SpeedEffort least) const {
    if (cell.copiers > machine_.cpus) return "one CPU only";
    if (cell.size > kLargestCall) {
      return absl::StrCat("takes calls of more than ", Mebibytes(kLargestCall));
    }
    const uint64_t memory = SetBytes(cell) * cell.copiers;
    if (machine_.memory.has_value() && memory > *machine_.memory) {
      return absl::StrCat("needs ", Mebibytes(memory), " of memory, has ",
                          Mebibytes(*machine_.memory));
    }
    if (least <= effort_) return "";
    return least == SpeedEffort::kThorough ? "only with --thorough"
                                           : "not with --quick";
  }

  static std::string Mebibytes(uint64_t bytes) {
    return absl::StrCat(bytes / kMebibyte, " MiB");
  }

  const SpeedMachine& machine_;
  const SpeedEffort effort_;
  SpeedPlan plan_;
  std::vector<CandidateCell> candidates_;
};

// More paths first.
bool IsRicher(const Variant& one, const Variant& other) {
  return std::make_pair(one.erms, one.thresholds.size()) >
         std::make_pair(other.erms, other.thresholds.size());
}

}  // namespace

bool SpeedCell::IsAlone() const {
  return cell.copiers > 1 || cell.size >= kAloneSize;
}

std::string DescribeCell(const kernels::Cell& cell) {
  return absl::StrCat(
      cell.size, " byte", cell.size == 1 ? "" : "s", ", ",
      kernels::AlignmentName(cell.alignment), ", ",
      kernels::RegimeName(cell.regime),
      cell.copiers == 1 ? "" : absl::StrCat(", ", cell.copiers, " CPUs"));
}

std::vector<const Variant*> Representatives(
    absl::Span<const Variant* const> variants) {
  std::map<std::pair<absl::string_view, bool>, const Variant*> chosen;
  for (const Variant* variant : variants) {
    const Variant*& best = chosen[std::make_pair(
        variant->source, variant->function == Function::kMemset)];
    const bool better =
        best == nullptr ||
        (variant->function == Function::kMemmove &&
         best->function != Function::kMemmove) ||
        (variant->function == best->function && IsRicher(*variant, *best));
    if (better) best = variant;
  }
  std::vector<const Variant*> result;
  for (const Variant* variant : variants) {
    const bool is_chosen =
        std::any_of(chosen.begin(), chosen.end(),
                    [&](const auto& item) { return item.second == variant; });
    if (is_chosen) result.push_back(variant);
  }
  return result;
}

SpeedPlan PlanSpeed(absl::Span<const Variant* const> variants,
                    const SpeedMachine& machine, SpeedEffort effort) {
  Planner planner(machine, effort);
  bool seen[2] = {false, false};
  for (const Variant* variant : Representatives(variants)) {
    bool& known = seen[variant->function == Function::kMemset ? 1 : 0];
    planner.Add(*variant, !known);
    known = true;
  }
  return planner.Finish();
}

}  // namespace glibc_patches
