#include "glibc_patches/speed.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "kernels/measure/study.h"

namespace glibc_patches {
namespace {

using ::kernels::Contrast;
using ::kernels::Interval;
using ::kernels::MeanInterval;
using ::kernels::Study;
using ::kernels::StudyPlan;

constexpr double kFalseDiscoveries = 0.01;
constexpr double kConfidence = 0.95;
// How likely chance may be for a cell to be looked at again.
constexpr double kSuspicion = 0.2;
constexpr double kLowestNoiseFloor = 0.005;
// With fewer the median's interval covers less than 95 %.
constexpr size_t kFewestSamples = 6;
constexpr int kFirstPairs = 15;
constexpr int kSecondPairs = 21;
// Of calls that take milliseconds.
constexpr uint64_t kLargeCall = uint64_t{4} << 20;
constexpr int kLargePairs = 5;
// One after the other, and each has much memory to write first.
constexpr int kAloneProcesses = 6;
constexpr absl::Duration kShortestLook = absl::Seconds(2);

// A cell's samples, one a process.
struct Samples {
  std::vector<double> patched, control;
  std::vector<double> base_cycles, patched_cycles;
};

// One study a factory, at the same time; each on a CPU of its own.
absl::StatusOr<std::vector<Study>> RunStudies(
    absl::Span<const kernels::PairSourceFactory* const> factories,
    const StudyPlan& plan, const advisor::Clock& clock,
    const std::function<void(double)>& progress) {
  std::vector<absl::StatusOr<Study>> results(
      factories.size(), absl::StatusOr<Study>(absl::UnknownError("not run")));
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < factories.size(); ++i) {
    threads.emplace_back([&, i] {
      StudyPlan own = plan;
      own.seed = plan.seed * 1000 + i;
      results[i] =
          kernels::RunStudy(*factories[i], {}, own, clock, [&](double share) {
            const std::lock_guard<std::mutex> lock(mutex);
            progress(share);
          });
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<Study> studies;
  for (absl::StatusOr<Study>& result : results) {
    if (!result.ok()) return result.status();
    studies.push_back(*std::move(result));
  }
  return studies;
}

// Cells that are measured together.
struct Group {
  std::vector<size_t> cells;
  std::vector<const kernels::PairSourceFactory*> factories;
  int first_processes = 0, second_processes = 0;
  absl::Duration first_budget, second_budget;
  // Past this many times its budget a look ends with what it has.
  double patience = 0;
  double noise_floor = 0;
  int control_alarms = 0;
};

class SpeedMeasurement {
 public:
  SpeedMeasurement(const SpeedFactories& factories, const SpeedPlan& plan,
                   const SpeedOptions& options, const advisor::Clock& clock,
                   const std::function<void(double)>& progress)
      : plan_(plan), options_(options), clock_(clock), progress_(progress) {
    Group crowd, alone;
    crowd.factories = factories.side_by_side;
    crowd.first_processes = options.first_processes;
    crowd.second_processes = options.second_processes;
    crowd.first_budget = options.first_budget;
    crowd.second_budget = options.second_budget;
    crowd.patience = std::numeric_limits<double>::infinity();
    alone.factories = {factories.alone};
    alone.first_processes = alone.second_processes = kAloneProcesses;
    alone.first_budget = options.alone_first_budget;
    alone.second_budget = options.alone_second_budget;
    alone.patience = options.alone_patience;
    for (size_t i = 0; i < plan.cells.size(); ++i) {
      (plan.cells[i].IsAlone() ? alone : crowd).cells.push_back(i);
    }
    for (Group* group : {&crowd, &alone}) {
      if (group->cells.empty()) continue;
      all_time_ += group->first_budget + group->second_budget;
      groups_.push_back(std::move(*group));
    }
  }

  absl::StatusOr<SpeedResult> Run() {
    for (const SpeedCell& cell : plan_.cells) {
      result_.cells.emplace_back();
      result_.cells.back().cell = cell;
    }
    start_ = clock_.Monotonic();
    for (Group& group : groups_) {
      if (absl::Status status = Measure(group); !status.ok()) return status;
      (IsAlone(group) ? result_.alone_noise_floor : result_.noise_floor) =
          group.noise_floor;
      result_.control_alarms += group.control_alarms;
    }
    return std::move(result_);
  }

 private:
  using Looked = std::map<size_t, Samples>;

  bool IsAlone(const Group& group) const {
    return plan_.cells[group.cells.front()].IsAlone();
  }

  absl::Status Measure(Group& group) {
    Looked first;
    absl::Status status = Look(group, group.cells, group.first_processes,
                               kFirstPairs, group.first_budget, first);
    if (!status.ok()) return status;
    group.noise_floor = NoiseFloor(first);
    std::set<size_t> suspects;
    for (const size_t i : group.cells) {
      Conclude(group, first, i, 1);
      result_.cells[i].patched_samples = first[i].patched;
      result_.cells[i].control_samples = first[i].control;
      if (IsSuspicious(first, i)) suspects.insert(i);
    }
    return LookAgain(group, std::move(suspects));
  }

  // Adds `processes` processes' samples of `cells`.
  absl::Status Look(const Group& group, absl::Span<const size_t> cells,
                    int processes, int pairs, absl::Duration budget,
                    Looked& looked) {
    StudyPlan plan;
    plan.seed = options_.seed + static_cast<uint64_t>(++looks_);
    const int lanes = static_cast<int>(group.factories.size());
    plan.min_processes = std::max(2, (processes + lanes - 1) / lanes);
    plan.max_processes = 2 * plan.min_processes;
    plan.budget = budget;
    plan.hard_limit = group.patience * std::max(budget, kShortestLook);
    for (const size_t i : cells) {
      const SpeedCell& cell = plan_.cells[i];
      for (const int side : {cell.patched_side(), cell.control_side()}) {
        plan.contrasts.push_back(
            {cell.cell, cell.base_side, side,
             cell.cell.size >= kLargeCall ? kLargePairs : pairs});
      }
    }
    const absl::StatusOr<std::vector<Study>> studies =
        RunStudies(group.factories, plan, clock_, [&](double) {
          progress_(std::min(
              1.0, absl::FDivDuration(clock_.Monotonic() - start_, all_time_)));
        });
    if (!studies.ok()) return studies.status();
    for (const Study& study : *studies) {
      if (study.processes == 0) continue;
      result_.processes += study.processes;
      // In the order of the contrasts: a patched one, then its control.
      for (size_t k = 0; k < cells.size(); ++k) {
        const auto& patched = study.results[2 * k];
        const auto& control = study.results[2 * k + 1];
        Samples& samples = looked[cells[k]];
        samples.patched.insert(samples.patched.end(),
                               patched.log_ratios.begin(),
                               patched.log_ratios.end());
        samples.control.insert(samples.control.end(),
                               control.log_ratios.begin(),
                               control.log_ratios.end());
        samples.base_cycles.push_back(patched.base_cycles);
        samples.patched_cycles.push_back(patched.candidate_cycles);
      }
    }
    return absl::OkStatus();
  }

  double NoiseFloor(const Looked& looked) const {
    std::vector<double> differences;
    for (const auto& [index, samples] : looked) {
      differences.push_back(std::abs(kernels::Median(samples.control)));
    }
    if (differences.empty()) return kLowestNoiseFloor;
    return std::max(kLowestNoiseFloor,
                    kernels::Quantile(differences, kConfidence));
  }

  bool IsSuspicious(const Looked& looked, size_t index) const {
    const SpeedCellResult& cell = result_.cells[index];
    if (!cell.excludes_regression) return true;
    return std::abs(cell.interval.middle) > std::log1p(options_.band) &&
           kernels::MeanPValue(looked.at(index).patched) < kSuspicion;
  }

  void Conclude(const Group& group, const Looked& looked, size_t index,
                double adjusted_p) {
    const auto at = looked.find(index);
    // No process came to its end in time.
    if (at == looked.end() || at->second.patched.size() < 2) return;
    const Samples& samples = at->second;
    SpeedCellResult& cell = result_.cells[index];
    cell.interval = MeanInterval(samples.patched, kConfidence);
    cell.p_value = adjusted_p;
    cell.processes = static_cast<int>(samples.patched.size());
    cell.base_cycles = kernels::Median(samples.base_cycles);
    cell.patched_cycles = kernels::Median(samples.patched_cycles);
    cell.judgement = JudgeSamples(samples.patched, adjusted_p,
                                  group.noise_floor, options_.band);
    cell.excludes_regression =
        cell.interval.high < std::log1p(options_.tolerated);
  }

  absl::Status LookAgain(Group& group, std::set<size_t> suspects) {
    Looked looked;
    const absl::Duration start = clock_.Monotonic();
    bool first_round = true;
    while (!suspects.empty()) {
      const absl::Duration used = clock_.Monotonic() - start;
      if (!first_round && used > group.second_budget) break;
      const absl::Status status =
          Look(group, std::vector<size_t>(suspects.begin(), suspects.end()),
               group.second_processes, kSecondPairs,
               std::max(absl::ZeroDuration(), (group.second_budget - used) / 2),
               looked);
      if (!status.ok()) return status;
      ConcludeAll(group, looked);
      for (auto i = suspects.begin(); i != suspects.end();) {
        const SpeedCellResult& cell = result_.cells[*i];
        const bool decided = cell.excludes_regression ||
                             cell.judgement != SpeedJudgement::kCannotTell;
        i = decided ? suspects.erase(i) : std::next(i);
      }
      first_round = false;
    }
    return absl::OkStatus();
  }

  void ConcludeAll(Group& group, const Looked& looked) {
    // Cells that were not looked at again count as tests too.
    std::vector<double> p_values(plan_.cells.size(), 1), controls = p_values;
    for (const auto& [index, samples] : looked) {
      p_values[index] = BeyondBandPValue(samples.patched, options_.band);
      controls[index] = BeyondBandPValue(samples.control, options_.band);
    }
    const auto adjusted = kernels::BenjaminiHochberg(p_values);
    const auto adjusted_controls = kernels::BenjaminiHochberg(controls);
    group.control_alarms = 0;
    for (const auto& [index, samples] : looked) {
      Conclude(group, looked, index, adjusted[index]);
      const SpeedJudgement control =
          JudgeSamples(samples.control, adjusted_controls[index],
                       group.noise_floor, options_.band);
      if (control != SpeedJudgement::kSlower &&
          control != SpeedJudgement::kFaster) {
        continue;
      }
      ++group.control_alarms;
      result_.cells[index].judgement = SpeedJudgement::kCannotTell;
    }
  }

  const SpeedPlan& plan_;
  const SpeedOptions& options_;
  const advisor::Clock& clock_;
  const std::function<void(double)>& progress_;
  std::vector<Group> groups_;
  absl::Duration start_, all_time_;
  int looks_ = 0;
  SpeedResult result_;
};

}  // namespace

absl::string_view SpeedJudgementName(SpeedJudgement judgement) {
  switch (judgement) {
    case SpeedJudgement::kSame:
      return "same";
    case SpeedJudgement::kSlower:
      return "slower";
    case SpeedJudgement::kFaster:
      return "faster";
    case SpeedJudgement::kCannotTell:
      return "cannot_tell";
  }
  return "";
}

std::string SpeedJudgementText(SpeedJudgement judgement) {
  return absl::StrReplaceAll(SpeedJudgementName(judgement), {{"_", " "}});
}

std::string FormatChange(double log_ratio) {
  return absl::StrFormat("%+.1f %%", 100 * std::expm1(log_ratio));
}

std::string FormatShare(double share) {
  const int digits = share > 0 && share < 0.001 ? 2 : 1;
  return absl::StrFormat("%.*f %%", digits, 100 * share);
}

double BeyondBandPValue(absl::Span<const double> samples, double band) {
  if (samples.size() < 2) return 1;
  const double mean = MeanInterval(samples, kConfidence).middle;
  const double edge = std::log1p(band);
  if (std::abs(mean) <= edge) return 1;
  return kernels::MeanPValue(samples, mean > 0 ? edge : -edge);
}

SpeedJudgement JudgeSamples(absl::Span<const double> samples, double adjusted_p,
                            double noise_floor, double band) {
  if (samples.size() < 2) return SpeedJudgement::kCannotTell;
  const double edge = std::max(std::log1p(band), noise_floor);
  const Interval median = kernels::MedianInterval(samples, kConfidence);
  if (adjusted_p <= kFalseDiscoveries && samples.size() >= kFewestSamples) {
    if (median.low > edge) return SpeedJudgement::kSlower;
    if (median.high < -edge) return SpeedJudgement::kFaster;
  }
  const Interval mean = MeanInterval(samples, kConfidence);
  const double same = std::log1p(band);
  return mean.low > -same && mean.high < same ? SpeedJudgement::kSame
                                              : SpeedJudgement::kCannotTell;
}

absl::StatusOr<SpeedResult> MeasureSpeed(
    const SpeedFactories& factories, const SpeedPlan& plan,
    const SpeedOptions& options, const advisor::Clock& clock,
    const std::function<void(double)>& progress) {
  return SpeedMeasurement(factories, plan, options, clock, progress).Run();
}

}  // namespace glibc_patches
