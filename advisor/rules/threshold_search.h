// The thresholds of one function (memmove or memset) that cost least on this
// machine, found by trying all of them on the measured curve.
//
// The cost of a setting is the mean, over sizes spread evenly on a logarithmic
// scale, of log(time / time with vector registers). Sizes whose path through
// the code a setting does not change cannot speak for or against it. For a
// workload it is the time of its calls instead.

#ifndef ADVISOR_RULES_THRESHOLD_SEARCH_H_
#define ADVISOR_RULES_THRESHOLD_SEARCH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advisor/evidence/path_study.h"
#include "advisor/glibc/copy_path.h"
#include "advisor/workload/weights.h"

namespace advisor {

// Where rep strings start, and where non-temporal stores do. For memmove:
// x86_rep_movsb_threshold and x86_non_temporal_threshold; for memset:
// x86_rep_stosb_threshold and x86_memset_non_temporal_threshold.
struct ThresholdPair {
  uint64_t rep_string = 0;
  uint64_t non_temporal = 0;
};

struct ThresholdProblem {
  CopyCode code;
  bool is_memset = false;
  // glibc's thresholds follow one another on AMD in other ways.
  bool is_amd = false;
  EffectiveThresholds now;
  PathCurve curve;
  // The lowest value that this release accepts; nullopt: it has no such
  // tunable, or the code has no such path.
  std::optional<uint64_t> lowest_rep_string;
  std::optional<uint64_t> lowest_non_temporal;
  // What a workload spends on each size, with the thresholds of now; empty: no
  // workload, every octave of sizes counts alike.
  std::vector<SizeShare> mix = {};
};

struct ThresholdAnswer {
  // What to set; nullopt: leave it.
  std::optional<uint64_t> rep_string;
  std::optional<uint64_t> non_temporal;
  // Why nothing is to be set; empty where something is.
  std::string reason;

  bool proposes() const {
    return rep_string.has_value() || non_temporal.has_value();
  }
};

// Below this gain a setting is not worth a line in anybody's configuration: in
// octaves, and in a workload's time in these functions.
inline constexpr double kWorthwhileOctaves = 0.05;
inline constexpr double kWorthwhileShare = 0.005;

ThresholdAnswer SearchThresholds(const ThresholdProblem& problem);

// What a setting gains by the curve, summed over octaves of sizes: 0.1 is 10 %
// on sizes 1 to 2 KiB, or 5 % from 1 to 4 KiB. For a workload the share of its
// time. Negative infinity where that is not known or a measured size loses too
// much.
double Gain(const ThresholdProblem& problem, std::optional<uint64_t> rep_string,
            std::optional<uint64_t> non_temporal);

// `now` with tunables set, as the release derives one from the other.
EffectiveThresholds WithThresholds(const ThresholdProblem& problem,
                                   std::optional<uint64_t> rep_string,
                                   std::optional<uint64_t> non_temporal);

// Cycles of a call of `size` by `path`; nullopt where that was not measured.
// Above the largest size that was, the path costs what it does there.
std::optional<double> CyclesOfPath(const ThresholdProblem& problem,
                                   CopyPath path, uint64_t size);

// The path that a size takes.
CopyPath PathOf(const ThresholdProblem& problem,
                const EffectiveThresholds& thresholds, uint64_t size);

}  // namespace advisor

#endif  // ADVISOR_RULES_THRESHOLD_SEARCH_H_
