// Is the patched code slower or faster than the base's?

#ifndef GLIBC_PATCHES_SPEED_H_
#define GLIBC_PATCHES_SPEED_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "advisor/host/clock.h"
#include "glibc_patches/speed_plan.h"
#include "kernels/measure/pair_source.h"
#include "kernels/measure/statistics.h"

namespace glibc_patches {

enum class SpeedJudgement { kSame, kSlower, kFaster, kCannotTell };

// In JSON: "same", "slower", "faster", "cannot_tell".
absl::string_view SpeedJudgementName(SpeedJudgement judgement);
// For people: "cannot tell".
std::string SpeedJudgementText(SpeedJudgement judgement);

struct SpeedCellResult {
  SpeedCell cell;
  SpeedJudgement judgement = SpeedJudgement::kCannotTell;
  // log(patched / base), with the interval that the judgement rests on.
  kernels::Interval interval = {0, 0, 0};
  // Adjusted for the number of cells that were measured again; 1 for those
  // that were not.
  double p_value = 1;
  // Cycles a call.
  double base_cycles = 0;
  double patched_cycles = 0;
  // Processes, each with its own placement of code and buffers.
  int processes = 0;
  // The interval lies below the tolerated slowdown: whatever else cannot be
  // told, this is no regression.
  bool excludes_regression = false;
  // Log ratios of the first look, which no cell was picked out for: one a
  // process, the same processes for all cells that were measured together.
  std::vector<double> patched_samples, control_samples;
};

struct SpeedResult {
  std::vector<SpeedCellResult> cells;
  // A log ratio: what the control, which is the base's code once more, differed
  // by in 95 of 100 cells; the second of those that were measured alone.
  double noise_floor = 0;
  double alone_noise_floor = 0;
  // Cells in which the control itself would have been called slower or faster.
  int control_alarms = 0;
  int processes = 0;
  // Share of CPU time that the hypervisor took away, 0 to 1.
  double steal = 0;
};

struct SpeedOptions {
  // Equivalence: a ratio closer to 1 than this is "same".
  double band = 0.02;
  // The slowdown at which a patch is rejected.
  double tolerated = 0.05;
  // Processes of the first look at all cells, and of the second look at
  // suspicious ones, over all factories. The second goes on until it can tell,
  // or is at its budget.
  int first_processes = 6;
  int second_processes = 12;
  absl::Duration first_budget = absl::Seconds(9);
  absl::Duration second_budget = absl::Seconds(12);
  // Of cells that are measured alone.
  absl::Duration alone_first_budget = absl::Seconds(8);
  absl::Duration alone_second_budget = absl::Seconds(6);
  // Past this many times its budget a look at those ends with what it has.
  double alone_patience = 1.5;
  uint64_t seed = 1;
};

struct SpeedFactories {
  // One a CPU; they work at the same time.
  std::vector<const kernels::PairSourceFactory*> side_by_side;
  // Has all CPUs, for cells that are measured alone; nullptr where the plan has
  // none.
  const kernels::PairSourceFactory* alone = nullptr;
};

// Two looks. The first finds cells that look slower or faster, or that are too
// noisy to tell; only these are measured again, in fresh processes, and only
// the second look's samples decide about them: having been picked out of many
// is no advantage. Slower (faster) is a cell whose mean over processes lies
// beyond the band (t test, Benjamini and Hochberg over all cells of the plan,
// q = 1 %) and whose median does (distribution-free 95 % interval), while its
// control does not. Same is one whose 95 % interval lies within the band.
absl::StatusOr<SpeedResult> MeasureSpeed(
    const SpeedFactories& factories, const SpeedPlan& plan,
    const SpeedOptions& options, const advisor::Clock& clock,
    const std::function<void(double)>& progress);

// 1.034 for a log ratio of 0.0334, as "+3.4 %".
std::string FormatChange(double log_ratio);

// 0.034 as "3.4 %".
std::string FormatShare(double share);

// The p-value of "the mean of these log ratios is within the band", two-sided.
double BeyondBandPValue(absl::Span<const double> samples, double band);

// What the samples of a cell (log ratios, one a process) say; slower or faster
// takes six of them. `adjusted_p` is its BeyondBandPValue among all cells'.
SpeedJudgement JudgeSamples(absl::Span<const double> samples, double adjusted_p,
                            double noise_floor, double band);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_SPEED_H_
