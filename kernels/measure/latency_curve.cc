#include "kernels/measure/latency_curve.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "kernels/measure/cycle_counter.h"
#include "kernels/measure/statistics.h"

namespace kernels {
namespace {

using ::advisor::Dialogue;

constexpr double kSizesAnOctave = 3;
constexpr uint64_t kLine = 64;
// A small set is walked several times, a large one in part: its lines have been
// touched in random order just before.
constexpr uint64_t kFewestLoads = 10000;
constexpr uint64_t kMostLoads = 40000;

uint64_t LoadsOf(uint64_t bytes) {
  return std::clamp(bytes / kLine, kFewestLoads, kMostLoads);
}

}  // namespace

std::vector<uint64_t> WorkingSets(uint64_t largest) {
  std::vector<uint64_t> sizes;
  for (int i = 0;; ++i) {
    const double size = kSmallestWorkingSet * std::exp2(i / kSizesAnOctave);
    // The powers of two are whole numbers up to rounding.
    const uint64_t bytes = static_cast<uint64_t>(size + 0.5) / kLine * kLine;
    if (bytes > largest) return sizes;
    sizes.push_back(bytes);
  }
}

absl::StatusOr<LatencyCurve> MeasureLatencyCurve(
    const WorkerSetup& setup, const LatencyPlan& plan,
    const advisor::Clock& clock, const std::function<void(double)>& progress) {
  const absl::Duration start = clock.Monotonic();
  const auto spent = [&] { return clock.Monotonic() - start; };
  absl::StatusOr<std::unique_ptr<Dialogue>> worker =
      StartWorker(setup, setup.command, plan.seed);
  if (!worker.ok()) return worker.status();
  const absl::StatusOr<double> huge =
      AskWorkerForOne(**worker, absl::StrCat("chase ", plan.largest));
  if (!huge.ok()) return huge.status();

  LatencyCurve curve;
  curve.in_huge_pages = *huge != 0;
  curve.cycles_per_second = CyclesPerSecond();
  const absl::StatusOr<double> memory = AskWorkerForOne(
      **worker, absl::StrCat("flushed ", plan.largest, " ", kMostLoads));
  if (!memory.ok()) return memory.status();
  curve.memory_cycles = *memory;

  std::vector<uint64_t> sizes = WorkingSets(plan.largest);
  std::map<uint64_t, std::vector<double>> cycles;
  std::mt19937_64 random(plan.seed);
  absl::Duration longest_round;
  for (int round = 0; round < plan.most_rounds; ++round) {
    if (round > 0 && spent() + longest_round > plan.budget) break;
    const absl::Duration round_start = spent();
    std::shuffle(sizes.begin(), sizes.end(), random);
    for (size_t i = 0; i < sizes.size(); ++i) {
      const absl::StatusOr<double> one = AskWorkerForOne(
          **worker, absl::StrCat("latency ", sizes[i], " ", LoadsOf(sizes[i])));
      if (!one.ok()) return one.status();
      cycles[sizes[i]].push_back(*one);
      progress((round + static_cast<double>(i) / sizes.size()) /
               plan.most_rounds);
    }
    longest_round = std::max(longest_round, spent() - round_start);
  }
  for (const auto& [bytes, samples] : cycles) {
    curve.points.push_back({bytes, Median(samples)});
  }
  return curve;
}

}  // namespace kernels
