#include "advisor/mask_measurement.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "advisor/cpu/cpu_model.h"
#include "advisor/glibc/hwcaps_mask.h"
#include "advisor/glibc/installed_libc.h"
#include "advisor/glibc/tunables.h"
#include "advisor/masks/mask_words.h"
#include "advisor/masks/variant_traits.h"
#include "advisor/measurement/effort.h"
#include "advisor/workload/weights.h"
#include "kernels/measure/pair_source.h"

namespace advisor {
namespace {

constexpr uint64_t kLargest = (uint64_t{1} << 20) + 1;
constexpr int kMinProcesses = 4;
constexpr int kMaxProcesses = 24;
constexpr int kPairs = 4;
// A candidate is promising when the mean is lower than this, and its 95 %
// interval too, by the noise.
constexpr double kPromising = 0.96;

struct MaskEffort {
  absl::Duration explore;
  absl::Duration prove;
};

MaskEffort EffortFor(MeasureMode mode) {
  if (mode == MeasureMode::kFull) return {absl::Seconds(8), absl::Seconds(8)};
  return {absl::Seconds(2.3), absl::Seconds(2.8)};
}

absl::StatusOr<kernels::Study> RunVariantStudy(
    const std::string& base, const std::vector<VariantCandidate>& candidates,
    absl::Duration budget, uint64_t seed, absl::string_view what,
    const MeasurementDoors& doors) {
  absl::StatusOr<kernels::WorkerSetup> setup = MeasurementWorkers(doors);
  if (!setup.ok()) return setup.status();
  const std::vector<std::string> sides = VariantSides(base, candidates);
  const uint64_t largest =
      LargestCall(kLargest, 1, static_cast<int>(sides.size()), doors.files);
  kernels::StudyPlan plan;
  plan.contrasts = VariantContrasts(candidates, largest, kPairs);
  plan.min_processes = kMinProcesses;
  plan.max_processes = kMaxProcesses;
  plan.budget = budget;
  plan.hard_limit = budget * 1.25;
  plan.seed = seed;
  const kernels::LibcPairSourceFactory factory(*setup, sides);
  return RunMeasuredStudy(factory, sides, plan, what, doors);
}

// What was selected before the mask, and what is with it.
VariantCandidate CandidateOf(const std::string& glibc_tunables,
                             const MaskedCpu& cpu) {
  return {glibc_tunables, cpu.after.memmove != cpu.before.memmove,
          cpu.after.memset != cpu.before.memset};
}

// A mask of flags, which ComposeMask has no purpose for.
Mask FlagMask(const MaskWeighing& weighing, absl::string_view item) {
  const int isa_level = weighing.isa_level.value_or(1);
  const std::string existing =
      ParseTunables(weighing.glibc_tunables, weighing.build)
          .hwcaps.value_or("");
  Mask mask;
  mask.items = std::string(item);
  const std::vector<std::string> words = absl::StrSplit(item, ',');
  mask.value = JoinMasks(existing, words);
  mask.settings = {{TunableName(weighing.build, Tunable::kHwcaps), mask.value}};
  mask.glibc_tunables = MergeTunables(weighing.glibc_tunables, mask.settings);
  mask.cpus.push_back({"this machine",
                       ChoiceUnder(weighing.cpuid, weighing.build, isa_level,
                                   weighing.glibc_tunables),
                       ChoiceUnder(weighing.cpuid, weighing.build, isa_level,
                                   mask.glibc_tunables)});
  return mask;
}

std::vector<absl::string_view> FlagItems(const MaskWeighing& weighing) {
  std::vector<absl::string_view> items = {"Prefer_No_AVX512",
                                          "-Prefer_No_AVX512"};
  const VendorKind vendor = DecodeCpuModel(weighing.cpuid).vendor_kind;
  if (vendor == VendorKind::kHygon || vendor == VendorKind::kZhaoxin) {
    // Alone the first would get it the ssse3 variant.
    items.push_back("-AVX_Fast_Unaligned_Load,Fast_Unaligned_Copy");
  }
  return items;
}

bool IsSpecial(const MaskedChoice& choice) {
  return TraitsOfVariant(choice.memmove, false).is_special ||
         TraitsOfVariant(choice.memset, true).is_special;
}

// How much cells count for a workload: its time in calls of sizes that are
// nearer to the cell's than to others', by the conditions of its calls.
CellWeight WeightFor(const Workload* workload, const kernels::Study& study) {
  if (workload == nullptr) return &WeightOf;
  BySize cycles;
  for (const kernels::ContrastResult& result : study.results) {
    const kernels::Cell& cell = result.contrast.cell;
    cycles[{cell.is_memset, cell.size}] = result.base_cycles;
  }
  const BySize shares = SharesOfNearest(*workload, cycles,
                                        std::numeric_limits<double>::infinity())
                            .shares;
  return [shares, workload](const kernels::Cell& cell) {
    const auto share = shares.find({cell.is_memset, cell.size});
    return share == shares.end()
               ? 0
               : share->second * ConditionWeight(*workload, cell);
  };
}

class Weighing {
 public:
  Weighing(const MaskWeighing& weighing, const MeasurementDoors& doors,
           const MeasurementOptions& options)
      : weighing_(weighing),
        doors_(doors),
        options_(options),
        effort_(EffortFor(options.mode)),
        candidates_(MaskCandidates(weighing)) {}

  absl::StatusOr<MaskAdvice> Run() {
    if (candidates_.empty()) return std::move(advice_);
    std::vector<VariantCandidate> variants;
    for (const MaskCandidate& candidate : candidates_) {
      variants.push_back(candidate.variants);
      // The same code on every side: whatever is found is a false alarm.
      if (options_.control) {
        variants.back().glibc_tunables = weighing_.glibc_tunables;
      }
    }
    const absl::StatusOr<kernels::Study> study =
        RunVariantStudy(weighing_.glibc_tunables, variants, effort_.explore,
                        options_.seed + 2, "measuring masks", doors_);
    if (!study.ok()) return study.status();
    const std::optional<size_t> best = Explore(*study);
    if (!best.has_value()) return std::move(advice_);
    if (absl::Status status = ReadBack(candidates_[*best].mask); !status.ok()) {
      return status;
    }
    if (absl::Status status = Prove(*best, variants[*best]); !status.ok()) {
      return status;
    }
    return std::move(advice_);
  }

 private:
  // The most promising one.
  std::optional<size_t> Explore(const kernels::Study& study) {
    std::optional<size_t> best;
    double best_mean = std::log(kPromising);
    const int count = static_cast<int>(candidates_.size());
    const CellWeight weight = WeightFor(options_.workload, study);
    for (int i = 0; i < count; ++i) {
      const VariantJudgement judgement =
          JudgeVariant(study, i, count, 0.95, weight);
      const MaskedChoice& after = candidates_[i].mask.cpus[0].after;
      advice_.trials.push_back(
          {candidates_[i].mask.value, after.memmove, after.memset,
           std::exp(judgement.mean.middle), std::exp(judgement.mean.low),
           std::exp(judgement.mean.high), judgement.verdict});
      if (judgement.verdict == CellVerdict::kFaster &&
          judgement.mean.middle < best_mean) {
        best = i;
        best_mean = judgement.mean.middle;
      }
    }
    return best;
  }

  // A loader drops what it does not accept without a word.
  absl::Status ReadBack(const Mask& mask) const {
    if (!weighing_.build.Has(Change::kListTunables)) return absl::OkStatus();
    const absl::StatusOr<LoaderAnswer> answer =
        AskLoader(doors_.subprocess, weighing_.loader_path,
                  Environment().With("GLIBC_TUNABLES", mask.glibc_tunables));
    if (!answer.ok()) return answer.status();
    const std::string name = TunableName(weighing_.build, Tunable::kHwcaps);
    const auto entry = answer->tunables.tunables.find(name);
    const StringTunable* const listed =
        entry == answer->tunables.tunables.end()
            ? nullptr
            : std::get_if<StringTunable>(&entry->second);
    if (listed == nullptr || listed->value != mask.value) {
      return absl::InternalError(absl::StrCat(
          weighing_.loader_path, ": did not take ", name, "=", mask.value));
    }
    return absl::OkStatus();
  }

  absl::Status Prove(size_t best, const VariantCandidate& variant) {
    const absl::StatusOr<kernels::Study> study =
        RunVariantStudy(weighing_.glibc_tunables, {variant}, effort_.prove,
                        options_.seed + 3, "proving a mask", doors_);
    if (!study.ok()) return study.status();
    const CellWeight weight = WeightFor(options_.workload, *study);
    const Mask& mask = candidates_[best].mask;
    advice_.proof = JudgeVariantProof(*study, variant, kMaskWorth, weight);
    // Fresh processes tell what the best of several looked better than.
    const VariantJudgement judgement = JudgeVariant(*study, 0, 1, 0.95, weight);
    MaskTrial& trial = advice_.trials[best];
    trial.ratio = std::exp(judgement.mean.middle);
    trial.low = std::exp(judgement.mean.low);
    trial.high = std::exp(judgement.mean.high);
    trial.verdict = judgement.verdict;
    if (!advice_.proof->holds) {
      advice_.reason = absl::StrCat(
          "A mask that looked better did not prove to be (hwcaps=", mask.value,
          ": ", advice_.proof->summary, ").");
      return absl::OkStatus();
    }
    if (trial.verdict == CellVerdict::kCannotTell) {
      trial.verdict = CellVerdict::kFaster;
    }
    advice_.reason = absl::StrFormat(
        "Proved on the real libc: with the mask, memcpy is %s and memset %s, "
        "and calls take %.2f of the time.",
        trial.memmove_variant, trial.memset_variant, trial.ratio);
    advice_.string = mask.glibc_tunables;
    for (const TunableValue& value : mask.settings) {
      TunableSetting setting;
      setting.name = value.first;
      setting.reason = absl::StrFormat(
          "Measured: with these variants calls take %.2f [%.2f, %.2f] of the "
          "time",
          trial.ratio, trial.low, trial.high);
      if (value.second == mask.value) {
        setting.text = value.second;
      } else {
        setting.value = ParseTunableNumber(value.second).value;
      }
      advice_.settings.push_back(std::move(setting));
    }
    return absl::OkStatus();
  }

  const MaskWeighing& weighing_;
  const MeasurementDoors& doors_;
  const MeasurementOptions& options_;
  const MaskEffort effort_;
  const std::vector<MaskCandidate> candidates_;
  MaskAdvice advice_;
};

}  // namespace

std::vector<MaskCandidate> MaskCandidates(const MaskWeighing& weighing) {
  std::vector<Mask> masks;
  for (const absl::string_view purpose : {"no-avx512", "no-erms"}) {
    absl::StatusOr<Mask> mask = ComposeMask({FindPurpose(purpose),
                                             weighing.build,
                                             weighing.isa_level,
                                             {{"this machine", weighing.cpuid}},
                                             weighing.glibc_tunables});
    if (mask.ok() && mask->reached() && !mask->settings.empty()) {
      masks.push_back(*std::move(mask));
    }
  }
  for (const absl::string_view item : FlagItems(weighing)) {
    const absl::string_view first = item.substr(0, item.find(','));
    if (FindMaskName(absl::StripPrefix(first, "-"), weighing.build) !=
        nullptr) {
      masks.push_back(FlagMask(weighing, item));
    }
  }
  std::vector<MaskCandidate> candidates;
  for (Mask& mask : masks) {
    const MaskedCpu& cpu = mask.cpus[0];
    const bool known =
        cpu.after.SameVariants(cpu.before) ||
        absl::c_any_of(candidates, [&](const MaskCandidate& other) {
          return other.mask.cpus[0].after.SameVariants(cpu.after);
        });
    if (known || (IsSpecial(cpu.after) && !IsSpecial(cpu.before))) continue;
    VariantCandidate variants = CandidateOf(mask.glibc_tunables, cpu);
    candidates.push_back({std::move(mask), std::move(variants)});
  }
  return candidates;
}

absl::StatusOr<MaskAdvice> WeighMasks(const MaskWeighing& weighing,
                                      const MeasurementDoors& doors,
                                      const MeasurementOptions& options) {
  return Weighing(weighing, doors, options).Run();
}

absl::StatusOr<MaskCosts> MeasureMaskCosts(const std::string& base,
                                           const VariantCandidate& candidate,
                                           const MeasurementDoors& doors,
                                           uint64_t seed) {
  const absl::StatusOr<kernels::Study> study = RunVariantStudy(
      base, {candidate}, absl::Seconds(2.5), seed, "measuring the mask", doors);
  if (!study.ok()) return study.status();
  MaskCosts costs;
  costs.costs = VariantCosts(*study, 0, 1);
  costs.processes = study->processes;
  costs.noise_floor = std::expm1(JudgeVariant(*study, 0, 1, 0.95).noise_floor);
  costs.steal = study->steal;
  return costs;
}

}  // namespace advisor
