#include "advisor/rules/threshold_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace advisor {
namespace {

constexpr double kWorthless = std::numeric_limits<double>::infinity();
// Costs are added up in steps of this, finer than the measured sizes.
constexpr double kStepOctaves = 0.125;
// Non-temporal stores must gain this at least (log 1.03) where they are used,
// no condition may lose what is certain, and none may seem to lose more than
// kWorstCondition (log 1.10), at the first size kWorstFirstCondition
// (log 1.03). What is chosen here is proved afterwards with more effort.
constexpr double kLeastNonTemporalGain = 0.0296;
constexpr double kWorstCondition = 0.0953;
constexpr double kWorstFirstCondition = 0.0296;
// A setting must not lose more than this on the mean of any single size (log
// 1.02).
constexpr double kWorstSize = 0.0198;
// Settings this close to the best (in octaves) are as good; the one next to the
// default is taken.
constexpr double kAsGood = 0.02;
// The same for a workload, in shares of its time.
constexpr double kAsGoodShare = 0.002;
// Sizes with less of a workload's time than this have no say.
constexpr double kNoShare = 0.0005;
// rep_movsb_threshold has 32 bits in 2.33 to 2.40 (bug 32470).
constexpr uint64_t kLargestRepString = (uint64_t{1} << 31) - 1;

// Whether the workload, if there is one, has calls of about this size.
bool Matters(const ThresholdProblem& problem, uint64_t size) {
  return problem.mix.empty() ||
         ShareNear(problem.mix, problem.is_memset, size) >= kNoShare;
}

std::vector<uint64_t> EvaluationSizes(const PathCurve& curve) {
  std::vector<uint64_t> sizes;
  if (curve.sizes.empty()) return sizes;
  const double first = std::log2(static_cast<double>(curve.sizes[0].size));
  const double last = std::log2(static_cast<double>(curve.sizes.back().size));
  for (double x = first; x <= last + 0.01; x += kStepOctaves) {
    sizes.push_back(static_cast<uint64_t>(std::exp2(x) + 0.5));
  }
  return sizes;
}

// Whether non-temporal stores pay at every measured size above `threshold`, in
// the mean and without harm in any single condition.
bool NonTemporalPaysAbove(const ThresholdProblem& problem, uint64_t threshold) {
  bool seen = false;
  for (const SizeCosts& costs : problem.curve.sizes) {
    if (!costs.non_temporal.has_value() || costs.size <= threshold) continue;
    if (!Matters(problem, costs.size)) continue;
    const PathCost& cost = *costs.non_temporal;
    const double worst = seen ? kWorstCondition : kWorstFirstCondition;
    seen = true;
    if (cost.log_ratio > -kLeastNonTemporalGain || cost.worst.middle > worst ||
        cost.worst.low > 0) {
      return false;
    }
  }
  return seen;
}

// Where `rep` strings begin to pay between two measured sizes, by a straight
// line between their costs over the logarithm of the size; a multiple of 64.
uint64_t Crossing(const SizeCosts& below, const SizeCosts& above) {
  const double low = below.rep_string->log_ratio;
  const double high = above.rep_string->log_ratio;
  const double share = std::clamp(low / (low - high), 0.0, 1.0);
  const double x = std::log2(static_cast<double>(below.size)) * (1 - share) +
                   std::log2(static_cast<double>(above.size)) * share;
  const uint64_t crossing = static_cast<uint64_t>(std::exp2(x));
  return std::max(below.size, crossing / 64 * 64);
}

std::vector<uint64_t> RepStringCandidates(const ThresholdProblem& problem) {
  std::vector<uint64_t> candidates;
  if (!problem.lowest_rep_string.has_value()) return candidates;
  candidates.push_back(*problem.lowest_rep_string);
  const SizeCosts* below = nullptr;
  for (const SizeCosts& costs : problem.curve.sizes) {
    if (!costs.rep_string.has_value()) continue;
    // One below a size: that size is the first to use it.
    candidates.push_back(costs.size - 1);
    if (below != nullptr && below->rep_string->log_ratio > 0 &&
        costs.rep_string->log_ratio < 0) {
      candidates.push_back(Crossing(*below, costs));
    }
    below = &costs;
  }
  // Never: nothing lies between the two thresholds then.
  candidates.push_back(std::min(
      kLargestRepString,
      std::max(problem.curve.sizes.back().size,
               problem.is_memset
                   ? problem.now.memset_non_temporal_threshold.value_or(0)
                   : problem.now.non_temporal_threshold.value_or(0))));
  candidates.erase(std::remove_if(candidates.begin(), candidates.end(),
                                  [&](uint64_t candidate) {
                                    return candidate <
                                           *problem.lowest_rep_string;
                                  }),
                   candidates.end());
  return candidates;
}

std::vector<uint64_t> NonTemporalCandidates(const ThresholdProblem& problem) {
  std::vector<uint64_t> candidates;
  if (!problem.lowest_non_temporal.has_value()) return candidates;
  for (const SizeCosts& costs : problem.curve.sizes) {
    if (!costs.non_temporal.has_value()) continue;
    const uint64_t candidate = costs.size - 1;
    if (candidate >= *problem.lowest_non_temporal &&
        NonTemporalPaysAbove(problem, candidate)) {
      candidates.push_back(candidate);
    }
  }
  // Past all that was measured, where they start too early now.
  const uint64_t past_all = problem.curve.sizes.back().size;
  const std::optional<uint64_t>& now =
      problem.is_memset ? problem.now.memset_non_temporal_threshold
                        : problem.now.non_temporal_threshold;
  if (now.value_or(past_all) < past_all) {
    candidates.push_back(past_all);
  }
  return candidates;
}

// What a path costs; rep strings that cannot be tuned were not measured, and
// count as vectors: the proof tells whether that was right.
std::optional<double> CostOf(const ThresholdProblem& problem, CopyPath path,
                             uint64_t size) {
  if (path == CopyPath::kRepString && !problem.lowest_rep_string.has_value()) {
    return 0;
  }
  return problem.curve.Cost(path, size);
}

// As CostOf, and past what was measured what the largest size costs.
std::optional<double> CostInMix(const ThresholdProblem& problem, CopyPath path,
                                uint64_t size) {
  return CostOf(problem, path, std::min(size, problem.curve.sizes.back().size));
}

// ExtraCost for a workload, in shares of the time of its calls.
double ExtraShare(const ThresholdProblem& problem,
                  const EffectiveThresholds& thresholds) {
  double extra = 0;
  for (const SizeShare& share : problem.mix) {
    if (share.is_memset != problem.is_memset) continue;
    const CopyPath before = PathOf(problem, problem.now, share.size);
    const CopyPath after = PathOf(problem, thresholds, share.size);
    if (before == after) continue;
    const std::optional<double> cost_before =
        CostInMix(problem, before, share.size);
    const std::optional<double> cost_after =
        CostInMix(problem, after, share.size);
    if (cost_before.has_value() && cost_after.has_value()) {
      extra += share.share * std::expm1(*cost_after - *cost_before);
    } else if (Matters(problem, share.size)) {
      return kWorthless;
    }
  }
  return extra;
}

// What `thresholds` cost more than those of now (in octaves, negative: less);
// kWorthless where that is not known, or a measured size loses too much.
double ExtraCost(const ThresholdProblem& problem,
                 const EffectiveThresholds& thresholds) {
  for (const SizeCosts& costs : problem.curve.sizes) {
    if (!Matters(problem, costs.size)) continue;
    const std::optional<double> before =
        CostOf(problem, PathOf(problem, problem.now, costs.size), costs.size);
    const std::optional<double> after =
        CostOf(problem, PathOf(problem, thresholds, costs.size), costs.size);
    if (before.has_value() && after.has_value() &&
        *after - *before > kWorstSize) {
      return kWorthless;
    }
  }
  if (!problem.mix.empty()) return ExtraShare(problem, thresholds);
  double extra = 0;
  for (const uint64_t size : EvaluationSizes(problem.curve)) {
    const CopyPath before = PathOf(problem, problem.now, size);
    const CopyPath after = PathOf(problem, thresholds, size);
    if (before == after) continue;
    const std::optional<double> cost_before = CostOf(problem, before, size);
    const std::optional<double> cost_after = CostOf(problem, after, size);
    if (!cost_before.has_value() || !cost_after.has_value()) return kWorthless;
    extra += (*cost_after - *cost_before) * kStepOctaves;
  }
  return extra;
}

struct Candidate {
  std::optional<uint64_t> rep_string;
  std::optional<uint64_t> non_temporal;
  double extra = 0;
  // How far it is from the default, in octaves.
  double distance = 0;
};

double Octaves(const std::optional<uint64_t>& value,
               const std::optional<uint64_t>& now) {
  if (!value.has_value()) return 0;
  const auto octave = [](uint64_t bytes) {
    return std::log2(static_cast<double>(std::max<uint64_t>(bytes, 1)));
  };
  return std::abs(octave(*value) - octave(now.value_or(1)));
}

double Distance(const ThresholdProblem& problem, const Candidate& candidate) {
  const EffectiveThresholds& now = problem.now;
  return Octaves(candidate.rep_string, problem.is_memset
                                           ? now.rep_stosb_threshold
                                           : now.rep_movsb_threshold) +
         Octaves(candidate.non_temporal, problem.is_memset
                                             ? now.memset_non_temporal_threshold
                                             : now.non_temporal_threshold);
}

Candidate Best(const ThresholdProblem& problem,
               const std::vector<std::optional<uint64_t>>& rep_strings,
               const std::vector<std::optional<uint64_t>>& non_temporals) {
  std::vector<Candidate> candidates;
  double least = 0;
  for (const std::optional<uint64_t>& rep_string : rep_strings) {
    for (const std::optional<uint64_t>& non_temporal : non_temporals) {
      Candidate candidate;
      candidate.rep_string = rep_string;
      candidate.non_temporal = non_temporal;
      candidate.extra =
          ExtraCost(problem, WithThresholds(problem, rep_string, non_temporal));
      candidate.distance = Distance(problem, candidate);
      least = std::min(least, candidate.extra);
      candidates.push_back(candidate);
    }
  }
  const double as_good = least + (problem.mix.empty() ? kAsGood : kAsGoodShare);
  const auto is_better = [&](const Candidate& a, const Candidate& b) {
    const bool a_good = a.extra <= as_good;
    const bool b_good = b.extra <= as_good;
    if (a_good != b_good) return a_good;
    return a_good ? a.distance < b.distance : a.extra < b.extra;
  };
  return *std::min_element(candidates.begin(), candidates.end(), is_better);
}

template <typename Values>
std::vector<std::optional<uint64_t>> OrNone(const Values& values) {
  std::vector<std::optional<uint64_t>> result = {std::nullopt};
  result.insert(result.end(), values.begin(), values.end());
  return result;
}

}  // namespace

EffectiveThresholds WithThresholds(const ThresholdProblem& problem,
                                   std::optional<uint64_t> rep_string,
                                   std::optional<uint64_t> non_temporal) {
  EffectiveThresholds thresholds = problem.now;
  if (problem.is_memset) {
    if (rep_string.has_value()) thresholds.rep_stosb_threshold = rep_string;
    if (non_temporal.has_value()) {
      thresholds.memset_non_temporal_threshold = non_temporal;
    }
    return thresholds;
  }
  const GlibcBuild& build = problem.code.build;
  if (rep_string.has_value()) thresholds.rep_movsb_threshold = rep_string;
  if (non_temporal.has_value()) {
    thresholds.non_temporal_threshold = non_temporal;
    // Elsewhere rep_movsb_stop_threshold is L2, or the value before tunables.
    if (build.Has(Change::kStopAfterTunables) &&
        (!problem.is_amd || build.Has(Change::kAmdMovsbIsNonTemporal))) {
      thresholds.rep_movsb_stop_threshold = non_temporal;
    }
  }
  return thresholds;
}

CopyPath PathOf(const ThresholdProblem& problem,
                const EffectiveThresholds& thresholds, uint64_t size) {
  return problem.is_memset ? PathOfMemset(problem.code, thresholds, size)
                           : PathOfMemmove(problem.code, thresholds, size);
}

std::optional<double> CyclesOfPath(const ThresholdProblem& problem,
                                   CopyPath path, uint64_t size) {
  if (problem.curve.sizes.empty()) return std::nullopt;
  const std::optional<double> vectors = problem.curve.VectorCycles(size);
  const std::optional<double> cost = CostInMix(problem, path, size);
  if (!vectors.has_value() || !cost.has_value()) return std::nullopt;
  return *vectors * std::exp(*cost);
}

double Gain(const ThresholdProblem& problem, std::optional<uint64_t> rep_string,
            std::optional<uint64_t> non_temporal) {
  return -ExtraCost(problem, WithThresholds(problem, rep_string, non_temporal));
}

ThresholdAnswer SearchThresholds(const ThresholdProblem& problem) {
  ThresholdAnswer answer;
  if (problem.curve.sizes.empty()) {
    answer.reason = "not measured";
    return answer;
  }
  const auto rep_strings = OrNone(RepStringCandidates(problem));
  const auto non_temporals = OrNone(NonTemporalCandidates(problem));
  Candidate best = Best(problem, rep_strings, non_temporals);
  const double worthwhile =
      problem.mix.empty() ? kWorthwhileOctaves : kWorthwhileShare;
  // A second setting must be worth it beside the first.
  if (best.rep_string.has_value() && best.non_temporal.has_value()) {
    const Candidate only_rep = Best(problem, rep_strings, {std::nullopt});
    const Candidate only_nt = Best(problem, {std::nullopt}, non_temporals);
    const Candidate& simpler =
        only_rep.extra < only_nt.extra ? only_rep : only_nt;
    if (simpler.extra - best.extra < worthwhile) best = simpler;
  }
  if (-best.extra < worthwhile) {
    answer.reason = absl::StrFormat(
        "the default is within %.1f %% of the best over %s", -100 * best.extra,
        problem.mix.empty() ? "an octave of sizes" : "the workload's calls");
    return answer;
  }
  answer.rep_string = best.rep_string;
  answer.non_temporal = best.non_temporal;
  // On AMD from 2.40 the two thresholds are equal, for rep movsb was found slow
  // there (bug 30994): raising one alone would bring it back in between.
  if (!problem.is_memset && problem.is_amd && problem.code.erms &&
      problem.code.build.Has(Change::kAmdMovsbIsNonTemporal) &&
      problem.lowest_rep_string.has_value() && !answer.rep_string.has_value() &&
      answer.non_temporal.has_value() &&
      *answer.non_temporal > problem.now.rep_movsb_threshold.value_or(0)) {
    answer.rep_string = answer.non_temporal;
  }
  return answer;
}

}  // namespace advisor
