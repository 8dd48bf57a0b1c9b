// A user's own command with a GLIBC_TUNABLES against without: whole runs, in
// rounds of three in random order (without, without again as the control,
// with), so that what changes on the machine meanwhile meets all of them.

#ifndef ADVISOR_PROGRAM_COMPARISON_H_
#define ADVISOR_PROGRAM_COMPARISON_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "advisor/host/clock.h"
#include "advisor/host/environment.h"
#include "advisor/host/program_timer.h"
#include "advisor/report.h"
#include "kernels/measure/statistics.h"

namespace advisor {

struct ProgramQuestion {
  // argv[0] is a path.
  std::vector<std::string> argv;
  // Without the string; GLIBC_TUNABLES in it is replaced.
  Environment environment;
  std::string string_without;  // may be empty
  std::string string_with;
  // Rounds; a first one, for warmth, comes before them.
  int most_rounds = 30;
  // No round begins past this.
  absl::Duration budget = absl::Seconds(60);
  uint64_t seed = 1;
};

// With fewer rounds there is no 95 % interval of a median.
inline constexpr int kLeastRounds = 6;

// Time with / without, and of the control: without / without.
struct TimeRatio {
  double ratio = 1;
  // 95 %, distribution-free interval of the median over rounds.
  double low = 1;
  double high = 1;
  double control = 1;
  double control_low = 1;
  double control_high = 1;
  // Median of the runs without, seconds.
  double seconds = 0;
  CellVerdict verdict = CellVerdict::kCannotTell;
};

struct ProgramComparison {
  int rounds = 0;
  TimeRatio wall;
  TimeRatio cpu;  // user and system time
  // "exit status 0"; of the two sides, where they differ.
  std::string end_without;
  std::string end_with;
  bool ends_differ = false;
  CellVerdict verdict = CellVerdict::kCannotTell;
  std::string summary;  // one sentence, without its full stop
};

// `progress` gets the share done, 0 to 1. Errors: those of ProgramTimer::Run.
absl::StatusOr<ProgramComparison> CompareProgram(
    const ProgramQuestion& question, const ProgramTimer& timer,
    const Clock& clock, const std::function<void(double)>& progress);

// The verdict of log ratios, one a round, beside those of the control. A
// control whose interval lies wholly beyond 2 % on one side tells nothing.
TimeRatio JudgeTimes(const std::vector<double>& log_ratios,
                     const std::vector<double>& control_log_ratios);

}  // namespace advisor

#endif  // ADVISOR_PROGRAM_COMPARISON_H_
