#include "advisor/program_comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace advisor {
namespace {

// Nearer than this (log 1.02) is the same, as everywhere here.
constexpr double kBand = 0.0198;
constexpr double kLowestNoise = 0.005;

enum Side { kWithout = 0, kControl = 1, kWith = 2 };
constexpr int kSides = 3;

// A program that fails by itself in one run of twenty does so with the string
// alone, this often in a row, in one comparison of three hundred.
constexpr int kDifferingInARow = 3;

// A run that the clock of CPU time cannot resolve counts as one tick.
double Seconds(absl::Duration duration) {
  return std::max(absl::ToDoubleSeconds(duration), 1e-6);
}

std::string EndOf(const TimedRun& run) {
  return run.signal.has_value()
             ? absl::StrCat("killed by signal ", *run.signal)
             : absl::StrCat("exit status ", run.exit_status.value_or(0));
}

std::string Words(const TimeRatio& time) {
  return absl::StrFormat("%.3f [%.3f, %.3f]", time.ratio, time.low, time.high);
}

class Comparison {
 public:
  Comparison(const ProgramQuestion& question, const ProgramTimer& timer,
             const Clock& clock, const std::function<void(double)>& progress)
      : question_(question),
        timer_(timer),
        clock_(clock),
        progress_(progress),
        random_(question.seed) {}

  absl::StatusOr<ProgramComparison> Run() {
    const absl::Duration start = clock_.Monotonic();
    for (int round = -1; round < question_.most_rounds; ++round) {
      const absl::Duration passed = clock_.Monotonic() - start;
      if (round >= 0 && passed >= question_.budget &&
          differing_in_a_row_ == 0) {
        break;
      }
      if (absl::Status status = Round(/*counts=*/round >= 0); !status.ok()) {
        return status;
      }
      if (result_.ends_differ) break;
      progress_(std::max(
          absl::FDivDuration(clock_.Monotonic() - start, question_.budget),
          (round + 1.0) / question_.most_rounds));
    }
    Conclude();
    return std::move(result_);
  }

 private:
  absl::StatusOr<TimedRun> RunSide(int side) const {
    Command command;
    command.argv = question_.argv;
    const std::string& string =
        side == kWith ? question_.string_with : question_.string_without;
    command.environment =
        string.empty() ? question_.environment.Without("GLIBC_TUNABLES")
                       : question_.environment.With("GLIBC_TUNABLES", string);
    command.time_limit = absl::InfiniteDuration();
    return timer_.Run(command);
  }

  absl::Status Round(bool counts) {
    std::array<int, kSides> order = {kWithout, kControl, kWith};
    std::shuffle(order.begin(), order.end(), random_);
    std::array<TimedRun, kSides> runs;
    for (const int side : order) {
      absl::StatusOr<TimedRun> run = RunSide(side);
      if (!run.ok()) return run.status();
      runs[side] = *run;
    }
    result_.end_without = EndOf(runs[kWithout]);
    result_.end_with = EndOf(runs[kWith]);
    CompareEnds(runs);
    // The time to another end is no time of the work.
    if (!counts || !runs[kWithout].SameEnd(runs[kControl]) ||
        !runs[kWithout].SameEnd(runs[kWith])) {
      return absl::OkStatus();
    }
    ++result_.rounds;
    const auto add = [&runs](absl::Duration TimedRun::*time, Times& times) {
      const double without = Seconds(runs[kWithout].*time);
      times.ratios.push_back(std::log(Seconds(runs[kWith].*time) / without));
      times.control.push_back(
          std::log(Seconds(runs[kControl].*time) / without));
      times.seconds.push_back(without);
    };
    add(&TimedRun::wall, wall_);
    add(&TimedRun::cpu, cpu_);
    return absl::OkStatus();
  }

  // A program that ends now so and now so does that by itself.
  void CompareEnds(const std::array<TimedRun, kSides>& runs) {
    if (!first_.has_value()) first_ = runs[kWithout];
    is_steady_ = is_steady_ && first_->SameEnd(runs[kWithout]) &&
                 first_->SameEnd(runs[kControl]);
    differing_in_a_row_ =
        first_->SameEnd(runs[kWith]) ? 0 : differing_in_a_row_ + 1;
    result_.ends_differ = is_steady_ && differing_in_a_row_ == kDifferingInARow;
  }

  void Conclude() {
    if (result_.ends_differ) {
      result_.verdict = CellVerdict::kSlower;
      result_.summary =
          absl::StrCat("harmful: the program ends with ", result_.end_with,
                       " instead of ", result_.end_without);
      return;
    }
    if (result_.rounds < kLeastRounds) {
      result_.summary = absl::StrCat(
          "cannot tell: only ", result_.rounds, " of at least ", kLeastRounds,
          " rounds in the time given; allow more with --budget");
      return;
    }
    result_.wall = JudgeTimes(wall_.ratios, wall_.control);
    result_.wall.seconds = kernels::Median(wall_.seconds);
    result_.cpu = JudgeTimes(cpu_.ratios, cpu_.control);
    result_.cpu.seconds = kernels::Median(cpu_.seconds);
    // The clock on the wall decides, and CPU time where that cannot tell.
    const bool by_wall = result_.wall.verdict != CellVerdict::kCannotTell;
    const TimeRatio& time = by_wall ? result_.wall : result_.cpu;
    result_.verdict = time.verdict;
    const absl::string_view what = by_wall ? "wall time" : "CPU time";
    switch (time.verdict) {
      case CellVerdict::kFaster:
        result_.summary =
            absl::StrCat("faster: ", Words(time), " of the ", what);
        break;
      case CellVerdict::kSlower:
        result_.summary =
            absl::StrCat("harmful: ", Words(time), " of the ", what);
        break;
      case CellVerdict::kEquivalent:
        result_.summary =
            absl::StrCat("no difference: ", Words(time), " of the ", what);
        break;
      case CellVerdict::kCannotTell:
        result_.summary = absl::StrCat("cannot tell: ", Words(result_.wall),
                                       " of the wall time, ",
                                       Words(result_.cpu), " of the CPU time");
        break;
    }
  }

  struct Times {
    std::vector<double> ratios;
    std::vector<double> control;
    std::vector<double> seconds;
  };

  const ProgramQuestion& question_;
  const ProgramTimer& timer_;
  const Clock& clock_;
  const std::function<void(double)>& progress_;
  std::mt19937_64 random_;
  Times wall_;
  Times cpu_;
  std::optional<TimedRun> first_;  // without
  bool is_steady_ = true;
  int differing_in_a_row_ = 0;
  ProgramComparison result_;
};

}  // namespace

TimeRatio JudgeTimes(const std::vector<double>& log_ratios,
                     const std::vector<double>& control_log_ratios) {
  const kernels::Interval interval = kernels::MedianInterval(log_ratios, 0.95);
  const kernels::Interval control =
      kernels::MedianInterval(control_log_ratios, 0.95);
  TimeRatio time;
  time.ratio = std::exp(interval.middle);
  time.low = std::exp(interval.low);
  time.high = std::exp(interval.high);
  time.control = std::exp(control.middle);
  time.control_low = std::exp(control.low);
  time.control_high = std::exp(control.high);
  if (control.low > kBand || control.high < -kBand) return time;
  const double noise = std::max(kLowestNoise, std::abs(control.middle));
  switch (kernels::Compare(interval, noise, kBand)) {
    case kernels::Comparison::kFaster:
      time.verdict = CellVerdict::kFaster;
      break;
    case kernels::Comparison::kSlower:
      time.verdict = CellVerdict::kSlower;
      break;
    case kernels::Comparison::kEquivalent:
      time.verdict = CellVerdict::kEquivalent;
      break;
    case kernels::Comparison::kCannotTell:
      break;
  }
  return time;
}

absl::StatusOr<ProgramComparison> CompareProgram(
    const ProgramQuestion& question, const ProgramTimer& timer,
    const Clock& clock, const std::function<void(double)>& progress) {
  return Comparison(question, timer, clock, progress).Run();
}

}  // namespace advisor
