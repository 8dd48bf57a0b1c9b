#include "kernels/measure/study.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "kernels/measure/cycle_counter.h"
#include "nlohmann/json.hpp"

namespace kernels {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kLowestNoiseFloor = 0.005;
constexpr size_t kContrastsAnObservation = 8;
// Of the observations of the core's clock, at each end: an interrupt is no
// drift.
constexpr double kOutliers = 0.05;

// What one process told of one contrast.
struct ProcessResult {
  double log_ratio;
  double variance;  // of the median of its pairs
  double base_cycles;
  double candidate_cycles;
};

double Variance(absl::Span<const double> values) {
  if (values.size() < 2) return 0;
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) /
                      static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / static_cast<double>(values.size() - 1);
}

// The variance of a median, from its distribution-free interval: 95 % of a
// normal distribution lie within 1.96 standard deviations.
double VarianceOfMedian(absl::Span<const double> values) {
  const Interval interval = MedianInterval(values, 0.95);
  const double deviation = (interval.high - interval.low) / (2 * 1.96);
  return deviation * deviation;
}

ContrastResult Summarise(const Contrast& contrast,
                         absl::Span<const ProcessResult> processes) {
  ContrastResult result;
  result.contrast = contrast;
  std::vector<double> base, candidate;
  double within = 0;
  for (const ProcessResult& process : processes) {
    result.log_ratios.push_back(process.log_ratio);
    base.push_back(process.base_cycles);
    candidate.push_back(process.candidate_cycles);
    within += process.variance / static_cast<double>(processes.size());
  }
  if (processes.empty()) return result;
  result.base_cycles = Median(base);
  result.candidate_cycles = Median(candidate);
  const double total = Variance(result.log_ratios);
  result.placement_share =
      total > 0 ? std::clamp(1 - within / total, 0.0, 1.0) : 0;
  return result;
}

// Contrasts of one cell stay together: they use the same buffers.
void ShuffleByCell(absl::Span<const Contrast> contrasts,
                   std::vector<size_t>& order, std::mt19937_64& random) {
  std::shuffle(order.begin(), order.end(), random);
  std::map<Cell, size_t> first_place;
  for (size_t i = 0; i < order.size(); ++i) {
    first_place.emplace(contrasts[order[i]].cell, i);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return first_place[contrasts[a].cell] < first_place[contrasts[b].cell];
  });
}

// The clock of the core and the moves between cores, as the processes of a
// study saw them.
class Observer {
 public:
  absl::Status Look(PairSource& source) {
    const absl::StatusOr<Observation> seen = source.Observe();
    if (!seen.ok()) return seen.status();
    migrations_in_process_ = seen->migrations;
    if (seen->ticks_per_step.has_value()) {
      ticks_.push_back(*seen->ticks_per_step);
    }
    return absl::OkStatus();
  }

  void EndProcess() { migrations_ += std::exchange(migrations_in_process_, 0); }

  void Write(Study& study) const {
    study.migrations = migrations_;
    if (ticks_.empty()) return;
    study.clock_drift =
        Quantile(ticks_, 1 - kOutliers) / Quantile(ticks_, kOutliers) - 1;
  }

 private:
  std::vector<double> ticks_;
  int migrations_ = 0, migrations_in_process_ = 0;
};

// All contrasts in one fresh process, in `order`. `go_on` is told the share
// that is done; empty when it said no.
absl::StatusOr<std::vector<ProcessResult>> RunProcess(
    const PairSourceFactory& factory, uint64_t seed,
    absl::Span<const Contrast> contrasts, absl::Span<const size_t> order,
    Observer& observer, const std::function<bool(double)>& go_on) {
  const absl::StatusOr<std::unique_ptr<PairSource>> source =
      factory.Start(seed);
  if (!source.ok()) return source.status();
  std::vector<ProcessResult> results;
  for (const size_t index : order) {
    if (results.size() % kContrastsAnObservation == 0) {
      if (absl::Status status = observer.Look(**source); !status.ok()) {
        return status;
      }
    }
    const Contrast& contrast = contrasts[index];
    const absl::StatusOr<Pairs> pairs = (*source)->Measure(
        contrast.cell, contrast.base, contrast.candidate, contrast.pairs);
    if (!pairs.ok()) return pairs.status();
    results.push_back({Median(pairs->log_ratios),
                       VarianceOfMedian(pairs->log_ratios), pairs->base_cycles,
                       pairs->candidate_cycles});
    const double share =
        static_cast<double>(results.size()) / static_cast<double>(order.size());
    if (!go_on(share) && results.size() < order.size()) {
      return std::vector<ProcessResult>();
    }
  }
  if (absl::Status status = observer.Look(**source); !status.ok()) {
    return status;
  }
  observer.EndProcess();
  return results;
}

}  // namespace

const ContrastResult* Study::Find(const Contrast& contrast) const {
  for (const ContrastResult& result : results) {
    if (result.contrast == contrast) return &result;
  }
  return nullptr;
}

absl::StatusOr<Study> RunStudy(const PairSourceFactory& factory,
                               std::vector<std::string> sides,
                               const StudyPlan& plan,
                               const advisor::Clock& clock,
                               const Progress& progress) {
  std::mt19937_64 random(plan.seed);
  std::vector<std::vector<ProcessResult>> collected(plan.contrasts.size());
  std::vector<size_t> order(plan.contrasts.size());
  std::iota(order.begin(), order.end(), 0);
  const absl::Duration start = clock.Monotonic();
  const auto used = [&] { return clock.Monotonic() - start; };
  Study study;
  study.sides = std::move(sides);
  Observer observer;
  while (study.processes < plan.max_processes && used() < plan.hard_limit) {
    const double done = study.processes;
    // Another process must fit in.
    if (study.processes >= plan.min_processes &&
        used() * ((done + 1) / done) > plan.budget) {
      break;
    }
    ShuffleByCell(plan.contrasts, order, random);
    const absl::StatusOr<std::vector<ProcessResult>> results = RunProcess(
        factory, random(), plan.contrasts, order, observer, [&](double share) {
          progress(
              std::min(1.0, std::max((done + share) / plan.max_processes,
                                     absl::FDivDuration(used(), plan.budget))));
          return used() < plan.hard_limit;
        });
    if (!results.ok()) return results.status();
    if (results->empty()) break;
    for (size_t i = 0; i < order.size(); ++i) {
      collected[order[i]].push_back((*results)[i]);
    }
    ++study.processes;
  }
  for (size_t i = 0; i < collected.size(); ++i) {
    study.results.push_back(Summarise(plan.contrasts[i], collected[i]));
  }
  study.cycles_per_second = CyclesPerSecond();
  observer.Write(study);
  return study;
}

double NoiseFloor(const Study& study, int base, int copy_of_base,
                  const std::function<bool(const Cell&)>& matters) {
  std::vector<double> differences;
  for (const ContrastResult& result : study.results) {
    if (result.contrast.base == base &&
        result.contrast.candidate == copy_of_base &&
        matters(result.contrast.cell)) {
      differences.push_back(std::abs(result.interval(0.95).middle));
    }
  }
  if (differences.empty()) return kLowestNoiseFloor;
  return std::max(kLowestNoiseFloor, Quantile(differences, 0.95));
}

std::string FormatStudy(const Study& study) {
  Json results = Json::array();
  for (const ContrastResult& result : study.results) {
    results.push_back({{"cell", CellName(result.contrast.cell)},
                       {"base", result.contrast.base},
                       {"candidate", result.contrast.candidate},
                       {"log_ratios", result.log_ratios},
                       {"base_cycles", result.base_cycles},
                       {"candidate_cycles", result.candidate_cycles},
                       {"placement_share", result.placement_share}});
  }
  const Json json = {{"sides", study.sides},
                     {"processes", study.processes},
                     {"cycles_per_second", study.cycles_per_second},
                     {"steal", study.steal},
                     {"clock_drift", study.clock_drift},
                     {"migrations", study.migrations},
                     {"results", std::move(results)}};
  return json.dump(1);
}

absl::StatusOr<Study> ParseStudy(absl::string_view text,
                                 absl::string_view name) {
  const auto bad = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": ", what));
  };
  const Json json = Json::parse(text.begin(), text.end(), nullptr,
                                /*allow_exceptions=*/false);
  if (json.is_discarded()) return bad("expected JSON, found something else");
  // The library throws on a missing or mistyped field; that ends here.
  try {
    Study study;
    json.at("sides").get_to(study.sides);
    json.at("processes").get_to(study.processes);
    json.at("cycles_per_second").get_to(study.cycles_per_second);
    json.at("steal").get_to(study.steal);
    // Studies of before 2026-12 do not have these.
    study.clock_drift = json.value("clock_drift", 0.0);
    study.migrations = json.value("migrations", 0);
    for (const Json& item : json.at("results")) {
      ContrastResult result;
      const absl::StatusOr<Cell> cell =
          ParseCell(item.at("cell").get<std::string>());
      if (!cell.ok()) return bad(cell.status().message());
      result.contrast = {*cell, item.at("base").get<int>(),
                         item.at("candidate").get<int>()};
      item.at("log_ratios").get_to(result.log_ratios);
      item.at("base_cycles").get_to(result.base_cycles);
      item.at("candidate_cycles").get_to(result.candidate_cycles);
      item.at("placement_share").get_to(result.placement_share);
      study.results.push_back(std::move(result));
    }
    return study;
  } catch (const Json::exception& error) {
    return bad(error.what());
  }
}

}  // namespace kernels
