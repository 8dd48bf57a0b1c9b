// A study: many cells compared in several fresh processes. It is a value that
// can be written to a file and read again; conclusions are drawn from it, never
// straight from a clock.

#ifndef KERNELS_MEASURE_STUDY_H_
#define KERNELS_MEASURE_STUDY_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "advisor/host/clock.h"
#include "kernels/measure/cell.h"
#include "kernels/measure/pair_source.h"
#include "kernels/measure/statistics.h"

namespace kernels {

// One side of a cell against another.
struct Contrast {
  Cell cell;
  int base = 0;
  int candidate = 1;
  // Pairs of batches in one process.
  int pairs = 15;

  bool operator==(const Contrast& other) const {
    return cell == other.cell && base == other.base &&
           candidate == other.candidate;
  }
};

struct ContrastResult {
  Contrast contrast;
  // log(candidate / base), one a process: the median of its pairs.
  std::vector<double> log_ratios;
  // Cycles a call, the median over processes of their medians.
  double base_cycles = 0;
  double candidate_cycles = 0;
  // The share of the variance of a pair that is between processes (placement
  // of code and buffers), 0 to 1.
  double placement_share = 0;

  Interval interval(double confidence) const {
    return MeanInterval(log_ratios, confidence);
  }
};

struct Study {
  // What each side is: parameters_text.h, or a GLIBC_TUNABLES value.
  std::vector<std::string> sides;
  std::vector<ContrastResult> results;
  int processes = 0;
  double cycles_per_second = 0;
  // Share of CPU time that the hypervisor took away meanwhile, 0 to 1.
  double steal = 0;
  // The fast end of the measuring core's clock against its slow end, less 1;
  // one in twenty of the observations at each end left out.
  double clock_drift = 0;
  // How often a process was found on another CPU than before.
  int migrations = 0;

  // nullptr when the study has no such contrast.
  const ContrastResult* Find(const Contrast& contrast) const;
};

struct StudyPlan {
  std::vector<Contrast> contrasts;
  // Stops between these two once `budget` is used up.
  int min_processes = 4;
  int max_processes = 8;
  absl::Duration budget = absl::Seconds(5);
  // Past this the study ends with the processes that it has; what an unfinished
  // one told is dropped.
  absl::Duration hard_limit = absl::InfiniteDuration();
  uint64_t seed = 1;
};

// Called with the share that is done (0 to 1).
using Progress = std::function<void(double)>;

// The order of cells is random in each process, and that of contrasts within a
// cell. An error of a worker ends the study with that error.
absl::StatusOr<Study> RunStudy(const PairSourceFactory& factory,
                               std::vector<std::string> sides,
                               const StudyPlan& plan,
                               const advisor::Clock& clock,
                               const Progress& progress);

// The noise floor (a log ratio) of the cells that `matters` accepts: what
// comparisons of a side with its own copy differed by, at most in 95 of 100 of
// them, and never less than 0.5 %.
double NoiseFloor(
    const Study& study, int base, int copy_of_base,
    const std::function<bool(const Cell&)>& matters = [](const Cell&) {
      return true;
    });

// JSON, and back; the inverse says "NAME: expected ..., found ...".
std::string FormatStudy(const Study& study);
absl::StatusOr<Study> ParseStudy(absl::string_view text,
                                 absl::string_view name);

}  // namespace kernels

#endif  // KERNELS_MEASURE_STUDY_H_
