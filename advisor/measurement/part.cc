#include "advisor/measurement/part.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "advisor/glibc/tunables.h"
#include "advisor/glibc/variant_selection.h"

namespace advisor {
namespace {

using ::kernels::Study;

Part MakePart(const MeasuredLibc& libc, const PathQuestions& questions,
              const Study& study, bool is_memset) {
  const std::string& variant =
      is_memset ? libc.memset_variant : libc.memmove_variant;
  Part part = {{{libc.build, IsErms(variant), VariantVectorSize(variant)},
                is_memset,
                libc.is_amd,
                libc.now,
                CurveOf(study, is_memset),
                is_memset ? questions.rep_stosb_from : questions.rep_movsb_from,
                std::nullopt},
               {},
               {},
               {},
               libc.now};
  if (is_memset ? questions.non_temporal_set : questions.non_temporal_copy) {
    part.problem.lowest_non_temporal = kLowestNonTemporal;
  }
  part.answer = SearchThresholds(part.problem);
  return part;
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
  return absl::StrFormat(
      "By the measured curve as good as %.0f %% on an octave of sizes.",
      100 * GainOctaves(part.problem, part.answer.rep_string,
                        part.answer.non_temporal));
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
         ReasonOf(part)});
  }
}

}  // namespace

ProofSubject Part::Subject() const {
  const auto path_with = [this](EffectiveThresholds thresholds) {
    return [this, thresholds](uint64_t size) {
      return PathOf(problem, thresholds, size);
    };
  };
  return {problem.is_memset, path_with(problem.now), path_with(after()),
          path_with(proposed)};
}

std::vector<Part> ProposeParts(const MeasuredLibc& libc,
                               const PathQuestions& questions,
                               const Study& study, bool repair) {
  std::vector<Part> all;
  for (const bool is_memset : {false, true}) {
    const Part whole = MakePart(libc, questions, study, is_memset);
    std::vector<Part> parts = Split(libc, whole);
    if (repair && !is_memset) AddRepair(libc, whole, parts);
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
