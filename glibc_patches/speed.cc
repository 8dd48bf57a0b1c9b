#include "glibc_patches/speed.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
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
constexpr int kFirstPairs = 15;
constexpr int kSecondPairs = 21;

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

class SpeedMeasurement {
 public:
  SpeedMeasurement(
      absl::Span<const kernels::PairSourceFactory* const> factories,
      const SpeedPlan& plan, const SpeedOptions& options,
      const advisor::Clock& clock, const std::function<void(double)>& progress)
      : factories_(factories),
        plan_(plan),
        options_(options),
        clock_(clock),
        progress_(progress) {}

  absl::StatusOr<SpeedResult> Run() {
    for (const SpeedCell& cell : plan_.cells) {
      result_.cells.emplace_back();
      result_.cells.back().cell = cell;
    }
    std::vector<size_t> all(plan_.cells.size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = i;
    Looked first;
    absl::Status status = Look(all, options_.first_processes, kFirstPairs,
                               options_.first_budget, 0, 0.5, first);
    if (!status.ok()) return status;
    result_.noise_floor = NoiseFloor(first);
    std::set<size_t> suspects;
    for (const size_t i : all) {
      Conclude(first, i, 1);
      result_.cells[i].patched_samples = first.at(i).patched;
      result_.cells[i].control_samples = first.at(i).control;
      if (IsSuspicious(first, i)) suspects.insert(i);
    }
    if (absl::Status looked = LookAgain(suspects); !looked.ok()) return looked;
    return std::move(result_);
  }

 private:
  using Looked = std::map<size_t, Samples>;

  // Adds `processes` processes' samples of `cells`.
  absl::Status Look(absl::Span<const size_t> cells, int processes, int pairs,
                    absl::Duration budget, double done, double share,
                    Looked& looked) {
    StudyPlan plan;
    plan.seed = options_.seed + static_cast<uint64_t>(++looks_);
    const int lanes = static_cast<int>(factories_.size());
    plan.min_processes = std::max(2, (processes + lanes - 1) / lanes);
    plan.max_processes = 2 * plan.min_processes;
    plan.budget = budget;
    for (const size_t i : cells) {
      const SpeedCell& cell = plan_.cells[i];
      for (const int side : {cell.patched_side(), cell.control_side()}) {
        plan.contrasts.push_back({cell.cell, cell.base_side, side, pairs});
      }
    }
    const absl::StatusOr<std::vector<Study>> studies =
        RunStudies(factories_, plan, clock_,
                   [&](double part) { progress_(done + share * part); });
    if (!studies.ok()) return studies.status();
    for (const Study& study : *studies) {
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

  void Conclude(const Looked& looked, size_t index, double adjusted_p) {
    const Samples& samples = looked.at(index);
    SpeedCellResult& cell = result_.cells[index];
    cell.interval = MeanInterval(samples.patched, kConfidence);
    cell.p_value = adjusted_p;
    cell.processes = static_cast<int>(samples.patched.size());
    cell.base_cycles = kernels::Median(samples.base_cycles);
    cell.patched_cycles = kernels::Median(samples.patched_cycles);
    cell.judgement = JudgeSamples(samples.patched, adjusted_p,
                                  result_.noise_floor, options_.band);
    cell.excludes_regression =
        cell.interval.high < std::log1p(options_.tolerated);
  }

  absl::Status LookAgain(std::set<size_t> suspects) {
    Looked looked;
    const absl::Duration start = clock_.Monotonic();
    bool first_round = true;
    while (!suspects.empty()) {
      const absl::Duration used = clock_.Monotonic() - start;
      if (!first_round && used > options_.second_budget) break;
      const double done =
          0.5 +
          0.5 * std::min(1.0, absl::FDivDuration(used, options_.second_budget));
      const absl::Status status = Look(
          std::vector<size_t>(suspects.begin(), suspects.end()),
          options_.second_processes, kSecondPairs,
          std::max(absl::ZeroDuration(), (options_.second_budget - used) / 2),
          done, 0.5 * (1 - done), looked);
      if (!status.ok()) return status;
      ConcludeAll(looked);
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

  void ConcludeAll(const Looked& looked) {
    // Cells that were not looked at again count as tests too.
    std::vector<double> p_values(plan_.cells.size(), 1), controls = p_values;
    for (const auto& [index, samples] : looked) {
      p_values[index] = BeyondBandPValue(samples.patched, options_.band);
      controls[index] = BeyondBandPValue(samples.control, options_.band);
    }
    const auto adjusted = kernels::BenjaminiHochberg(p_values);
    const auto adjusted_controls = kernels::BenjaminiHochberg(controls);
    result_.control_alarms = 0;
    for (const auto& [index, samples] : looked) {
      Conclude(looked, index, adjusted[index]);
      const SpeedJudgement control =
          JudgeSamples(samples.control, adjusted_controls[index],
                       result_.noise_floor, options_.band);
      if (control != SpeedJudgement::kSlower &&
          control != SpeedJudgement::kFaster) {
        continue;
      }
      ++result_.control_alarms;
      result_.cells[index].judgement = SpeedJudgement::kCannotTell;
    }
  }

  const absl::Span<const kernels::PairSourceFactory* const> factories_;
  const SpeedPlan& plan_;
  const SpeedOptions& options_;
  const advisor::Clock& clock_;
  const std::function<void(double)>& progress_;
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
      return "cannot tell";
  }
  return "";
}

std::string FormatChange(double log_ratio) {
  return absl::StrFormat("%+.1f %%", 100 * std::expm1(log_ratio));
}

std::string FormatShare(double share) {
  return absl::StrFormat(share > 0 && share < 0.001 ? "%.2f %%" : "%.1f %%",
                         100 * share);
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
  if (adjusted_p <= kFalseDiscoveries) {
    if (median.low > edge) return SpeedJudgement::kSlower;
    if (median.high < -edge) return SpeedJudgement::kFaster;
  }
  const Interval mean = MeanInterval(samples, kConfidence);
  const double same = std::log1p(band);
  return mean.low > -same && mean.high < same ? SpeedJudgement::kSame
                                              : SpeedJudgement::kCannotTell;
}

absl::StatusOr<SpeedResult> MeasureSpeed(
    absl::Span<const kernels::PairSourceFactory* const> factories,
    const SpeedPlan& plan, const SpeedOptions& options,
    const advisor::Clock& clock, const std::function<void(double)>& progress) {
  if (plan.cells.empty()) return SpeedResult();
  return SpeedMeasurement(factories, plan, options, clock, progress).Run();
}

}  // namespace glibc_patches
