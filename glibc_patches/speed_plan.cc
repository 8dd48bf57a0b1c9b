#include "glibc_patches/speed_plan.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"

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

constexpr uint64_t kNever = uint64_t{1} << 40;
// Four pages at a time from 16 times this on, in 2.34 and later.
constexpr uint64_t kEarlyNonTemporal = 64 << 10;

// One row per size class (half as much again as a power of two lies in the
// middle of one), alignment class and regime.
//   copies      0: memset too; 1: copies only; 2: memmove only
//   effort      the least at which it is measured
struct CellRow {
  Thresholds thresholds;
  Alignment alignment;
  Regime regime;
  int copies;
  SpeedEffort effort;
  std::vector<uint64_t> sizes;
};

const std::vector<CellRow>& CellRows() {
  constexpr auto kQuick = SpeedEffort::kQuick;
  constexpr auto kNormal = SpeedEffort::kNormal;
  constexpr auto kThorough = SpeedEffort::kThorough;
  constexpr auto kHot = Regime::kHot;
  constexpr auto kRotating = Regime::kRotating;
  static const auto& rows = *new std::vector<CellRow>{
      {Thresholds::kMachine,
       Alignment::kAligned,
       kHot,
       0,
       kQuick,
       {1, 3, 6, 12, 24, 48, 96, 192, 384, 768, 1536, 3072, 6144, 24576}},
      {Thresholds::kMachine,
       Alignment::kMisalignedBoth,
       kHot,
       0,
       kQuick,
       {6, 12, 24, 48, 96, 192, 384, 768, 1536, 3072, 6144, 24576}},
      {Thresholds::kMachine,
       Alignment::kMisalignedDestination,
       kHot,
       0,
       kThorough,
       {96, 384, 768, 3072, 6144, 24576}},
      {Thresholds::kMachine,
       Alignment::kPageAliasing,
       kHot,
       1,
       kNormal,
       {768, 3072, 24576}},
      {Thresholds::kMachine,
       Alignment::kOverlapForward,
       kHot,
       2,
       kQuick,
       {96, 384, 1536, 24576}},
      {Thresholds::kMachine,
       Alignment::kOverlapBackward,
       kHot,
       2,
       kQuick,
       {96, 384, 1536, 24576}},
      {Thresholds::kMachine,
       Alignment::kShortDistance,
       kHot,
       2,
       kQuick,
       {12288, 24576}},
      {Thresholds::kMachine,
       Alignment::kMisalignedBoth,
       kRotating,
       0,
       kQuick,
       {24, 192, 1536, 24576, 196608}},
      {Thresholds::kMachine,
       Alignment::kAligned,
       kRotating,
       0,
       kNormal,
       {48, 768, 6144, 1572864}},
      {Thresholds::kNoRep,
       Alignment::kMisalignedBoth,
       kHot,
       0,
       kQuick,
       {3072, 24576}},
      {Thresholds::kNonTemporal,
       Alignment::kMisalignedBoth,
       kRotating,
       0,
       kQuick,
       {196608, 1572864}},
      {Thresholds::kNonTemporal,
       Alignment::kAligned,
       kRotating,
       0,
       kThorough,
       {196608, 1572864}},
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
      parameters.rep_movsb_threshold = kNever;
      parameters.rep_stosb_threshold = kNever;
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

bool Suits(const CellRow& row, const Variant& variant, SpeedEffort effort) {
  if (row.effort > effort) return false;
  if (row.copies >= 1 && variant.function == Function::kMemset) return false;
  return row.copies < 2 || variant.function == Function::kMemmove;
}

void AddVariant(const Variant& variant, const KernelParameters& machine,
                SpeedEffort effort, SpeedPlan& plan) {
  for (const ThresholdsRow& thresholds : kThresholds) {
    const auto parameters = ParametersFor(thresholds.id, variant, machine);
    if (!parameters.has_value()) continue;
    const int side = AddSides(variant, *parameters, plan);
    for (const CellRow& row : CellRows()) {
      if (row.thresholds != thresholds.id || !Suits(row, variant, effort)) {
        continue;
      }
      for (const uint64_t size : row.sizes) {
        const Cell cell{variant.function == Function::kMemset, size,
                        row.alignment, row.regime, 1};
        plan.cells.push_back({std::string(variant.name),
                              std::string(thresholds.name), cell, side});
      }
    }
  }
}

// More paths first.
bool IsRicher(const Variant& one, const Variant& other) {
  return std::make_pair(one.erms, one.thresholds.size()) >
         std::make_pair(other.erms, other.thresholds.size());
}

}  // namespace

std::string DescribeCell(const kernels::Cell& cell) {
  return absl::StrCat(cell.size, " byte", cell.size == 1 ? "" : "s", ", ",
                      kernels::AlignmentName(cell.alignment), ", ",
                      kernels::RegimeName(cell.regime));
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
                    const KernelParameters& machine, SpeedEffort effort) {
  SpeedPlan plan;
  for (const Variant* variant : Representatives(variants)) {
    AddVariant(*variant, machine, effort, plan);
  }
  return plan;
}

}  // namespace glibc_patches
