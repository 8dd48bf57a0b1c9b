#include "advisor/measurement/part.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "advisor/glibc/copy_path.h"
#include "advisor/glibc/tunables.h"
#include "advisor/glibc/variant_selection.h"
#include "advisor/workload/weights.h"

namespace advisor {
namespace {

using ::kernels::Study;

// Sizes of a workload that are proved for themselves.
constexpr size_t kOwnSizes = 3;
// Less of the time than this has no say in a proof, nor has a condition of less
// than this share among those of its size.
constexpr double kNoShare = 0.0005;
constexpr double kNoCondition = 0.01;

CellWeight ConditionsOf(const Workload* workload) {
  if (workload == nullptr) return &WeightOf;
  return [workload](const kernels::Cell& cell) {
    return ConditionWeight(*workload, cell);
  };
}

Part MakePart(const MeasuredLibc& libc, const PathQuestions& questions,
              const Study& study, const Workload* workload, bool is_memset) {
  const std::string& variant =
      is_memset ? libc.memset_variant : libc.memmove_variant;
  Part part = {
      {{libc.build, VariantIsErms(variant), VariantVectorSize(variant)},
       is_memset,
       libc.is_amd,
       libc.now,
       CurveOf(study, is_memset, ConditionsOf(workload)),
       is_memset ? questions.rep_stosb_from : questions.rep_movsb_from,
       std::nullopt},
      {},
      {},
      {},
      libc.now,
      workload};
  if (is_memset ? questions.non_temporal_set : questions.non_temporal_copy) {
    part.problem.lowest_non_temporal = kLowestNonTemporal;
  }
  return part;
}

// What the workload spends with the thresholds of now.
std::vector<SizeShare> MixOf(const Workload& workload, const Part& copies,
                             const Part& sets) {
  return TimeShares(workload, [&](bool is_memset, uint64_t size) {
    const ThresholdProblem& problem = (is_memset ? sets : copies).problem;
    return CyclesOfPath(problem, PathOf(problem, problem.now, size), size);
  });
}

ThresholdProblem WithNow(ThresholdProblem problem,
                         const EffectiveThresholds& now) {
  problem.now = now;
  return problem;
}

// The part with only one of its two settings.
Part OnlyRepString(Part part) {
  part.answer.non_temporal = std::nullopt;
  return part;
}
Part OnlyNonTemporal(Part part) {
  part.answer.rep_string = std::nullopt;
  return part;
}

// Two settings of one function are proved apart, but for AMD from 2.40 on,
// where one without the other opens the rep movsb zone.
std::vector<Part> Split(const MeasuredLibc& libc, Part part) {
  const ThresholdAnswer& answer = part.answer;
  if (!answer.proposes()) return {};
  const bool inseparable =
      libc.is_amd && libc.build.Has(Change::kAmdMovsbIsNonTemporal);
  if (!answer.rep_string.has_value() || !answer.non_temporal.has_value() ||
      inseparable) {
    return {std::move(part)};
  }
  return {OnlyRepString(part), OnlyNonTemporal(part)};
}

void AddRepair(const MeasuredLibc& libc, Part part, std::vector<Part>& parts) {
  if (libc.repairs.empty()) return;
  for (const Part& other : parts) {
    if (other.answer.non_temporal.has_value()) return;
  }
  part.answer = {};
  part.answer.non_temporal = libc.repairs[0].value;
  part.repair_reason = libc.repairs[0].reason;
  parts.push_back(std::move(part));
}

std::string ReasonOf(const Part& part) {
  if (!part.repair_reason.empty()) return part.repair_reason;
  const double gain = 100 * Gain(part.problem, part.answer.rep_string,
                                 part.answer.non_temporal);
  return part.workload == nullptr
             ? absl::StrFormat(
                   "By the measured curve as good as %.0f %% on an octave of "
                   "sizes.",
                   gain)
             : absl::StrFormat(
                   "By the measured curve %.1f %% of the time of the "
                   "workload's calls.",
                   gain);
}

void AddSettings(const MeasuredLibc& libc, Part& part) {
  const EffectiveThresholds& now = libc.now;
  const bool is_memset = part.problem.is_memset;
  const ThresholdAnswer& answer = part.answer;
  if (answer.rep_string.has_value()) {
    part.settings.push_back(
        {TunableName(libc.build, is_memset ? Tunable::kX86RepStosbThreshold
                                           : Tunable::kX86RepMovsbThreshold),
         *answer.rep_string,
         is_memset ? now.rep_stosb_threshold : now.rep_movsb_threshold,
         ReasonOf(part)});
  }
  if (answer.non_temporal.has_value()) {
    part.settings.push_back(
        {TunableName(libc.build, is_memset
                                     ? Tunable::kX86MemsetNonTemporalThreshold
                                     : Tunable::kX86NonTemporalThreshold),
         *answer.non_temporal,
         is_memset ? now.memset_non_temporal_threshold
                   : now.non_temporal_threshold,
         absl::StrCat(ReasonOf(part),
                      !is_memset && MemsetReadsNonTemporal(libc.build) &&
                              VariantIsErms(libc.memset_variant)
                          ? " memset of this build goes by it, too, and was "
                            "not measured with it."
                          : "")});
  }
}

}  // namespace

double Part::Weight(const kernels::Cell& cell) const {
  if (workload == nullptr) return WeightOf(cell);
  const double share = ShareNear(problem.mix, cell.is_memset, cell.size);
  const double condition = ConditionWeight(*workload, cell);
  return share < kNoShare || condition < kNoCondition ? 0 : share * condition;
}

std::vector<uint64_t> Part::OwnSizes() const {
  std::vector<SizeShare> touched;
  for (const SizeShare& share : problem.mix) {
    if (share.is_memset == problem.is_memset && share.share >= kNoShare &&
        PathOf(problem, problem.now, share.size) !=
            PathOf(problem, after(), share.size)) {
      touched.push_back(share);
    }
  }
  std::stable_sort(
      touched.begin(), touched.end(),
      [](const SizeShare& a, const SizeShare& b) { return a.share > b.share; });
  if (touched.size() > kOwnSizes) touched.resize(kOwnSizes);
  std::vector<uint64_t> sizes;
  for (const SizeShare& share : touched) sizes.push_back(share.size);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

ProofSubject Part::Subject() const {
  const auto path_with = [this](EffectiveThresholds thresholds) {
    return [this, thresholds](uint64_t size) {
      return PathOf(problem, thresholds, size);
    };
  };
  return {problem.is_memset,
          path_with(problem.now),
          path_with(after()),
          path_with(proposed),
          [this](const kernels::Cell& cell) { return Weight(cell); },
          OwnSizes()};
}

std::vector<Part> WholeParts(const MeasuredLibc& libc,
                             const PathQuestions& questions, const Study& study,
                             const Workload* workload) {
  std::vector<Part> wholes;
  for (const bool is_memset : {false, true}) {
    wholes.push_back(MakePart(libc, questions, study, workload, is_memset));
  }
  if (workload == nullptr) return wholes;
  const std::vector<SizeShare> mix = MixOf(*workload, wholes[0], wholes[1]);
  for (Part& whole : wholes) whole.problem.mix = mix;
  return wholes;
}

std::vector<Part> ProposeParts(const MeasuredLibc& libc,
                               const std::vector<Part>& wholes, bool repair) {
  std::vector<Part> all;
  for (const Part& searched : wholes) {
    Part whole = searched;
    whole.answer = SearchThresholds(whole.problem);
    std::vector<Part> parts = Split(libc, whole);
    if (repair && !whole.problem.is_memset) AddRepair(libc, whole, parts);
    EffectiveThresholds proposed = libc.now;
    for (const Part& part : parts) {
      proposed =
          WithThresholds(WithNow(part.problem, proposed),
                         part.answer.rep_string, part.answer.non_temporal);
    }
    for (Part& part : parts) {
      part.proposed = proposed;
      AddSettings(libc, part);
      all.push_back(std::move(part));
    }
  }
  return all;
}

std::vector<ProofSubject> SubjectsOf(const std::vector<Part>& wholes,
                                     const std::vector<Part>& parts,
                                     const std::vector<size_t>& held) {
  std::vector<ProofSubject> subjects;
  for (const Part& whole : wholes) {
    const ThresholdProblem& problem = whole.problem;
    EffectiveThresholds after = problem.now;
    EffectiveThresholds proposed = problem.now;
    for (const size_t index : held) {
      const Part& part = parts[index];
      if (part.problem.is_memset != problem.is_memset) continue;
      after = WithThresholds(WithNow(problem, after), part.answer.rep_string,
                             part.answer.non_temporal);
      proposed = part.proposed;
    }
    if (after == problem.now) continue;
    const auto path_with = [&problem](EffectiveThresholds thresholds) {
      return [&problem, thresholds](uint64_t size) {
        return PathOf(problem, thresholds, size);
      };
    };
    subjects.push_back(
        {problem.is_memset,
         path_with(problem.now),
         path_with(after),
         path_with(proposed),
         [&whole](const kernels::Cell& cell) { return whole.Weight(cell); },
         {}});
  }
  return subjects;
}

std::string WhyNothingForWorkload(const Workload& workload,
                                  const PathQuestions& questions) {
  double calls = 0, bytes = 0;
  for (const FunctionSizes& function : workload.functions) {
    const bool is_memset = function.is_memset();
    const bool has_non_temporal =
        is_memset ? questions.non_temporal_set : questions.non_temporal_copy;
    const uint64_t from =
        (is_memset ? questions.rep_stosb_from : questions.rep_movsb_from)
            .value_or(has_non_temporal ? questions.non_temporal_from
                                       : UINT64_MAX);
    for (const SizeCount& row : function.sizes) {
      if (row.mean() <= from) continue;
      calls += static_cast<double>(row.calls);
      bytes += static_cast<double>(row.bytes);
    }
  }
  if (calls == 0) {
    return absl::StrCat("Nothing can be gained for ", workload.name,
                        ": none of its calls is large enough for a threshold "
                        "to matter.");
  }
  return absl::StrFormat(
      "No other threshold makes the calls of %s measurably faster, by 0.5 %% "
      "of their time. Of its calls %.2g %%, with %.2g %% of the bytes, are "
      "large enough for a threshold to matter.",
      workload.name, 100 * calls / static_cast<double>(workload.calls()),
      100 * bytes / static_cast<double>(workload.bytes()));
}

std::string NamesOf(const std::vector<TunableSetting>& settings) {
  return absl::StrJoin(
      settings, ", ", [](std::string* out, const TunableSetting& setting) {
        absl::StrAppend(out, setting.name.substr(setting.name.rfind('.') + 1),
                        "=", setting.value);
      });
}

void SortByName(std::vector<TunableSetting>& settings) {
  std::sort(settings.begin(), settings.end(),
            [](const TunableSetting& a, const TunableSetting& b) {
              return a.name < b.name;
            });
}

}  // namespace advisor
