// Time of a dependent load against the size of the working set: which caches a
// process really gets, whatever CPUID claims.

#ifndef KERNELS_MEASURE_LATENCY_CURVE_H_
#define KERNELS_MEASURE_LATENCY_CURVE_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "advisor/host/clock.h"
#include "kernels/measure/worker_client.h"

namespace kernels {

// Below it every x86-64 CPU answers from L1d.
inline constexpr uint64_t kSmallestWorkingSet = 8192;

struct LatencyCurve {
  struct Point {
    uint64_t bytes = 0;
    double cycles = 0;  // a load, the median over rounds
  };
  // Whether the TLB takes no part in it.
  bool in_huge_pages = false;
  std::vector<Point> points;  // ascending by size, three an octave
  // Cycles a load from lines that are in no cache, of a set of the largest
  // size: what the curve rises to.
  double memory_cycles = 0;
  double cycles_per_second = 0;
};

struct LatencyPlan {
  uint64_t largest = uint64_t{32} << 20;  // bytes
  int most_rounds = 5;
  // No further round is begun that would not end in it; one is always made.
  absl::Duration budget = absl::Seconds(1.5);
  uint64_t seed = 1;
};

// Sizes of a plan: from kSmallestWorkingSet to `largest`, whole lines.
std::vector<uint64_t> WorkingSets(uint64_t largest);

// In a fresh worker, the sizes of each round in random order. `progress` is
// called with the share that is done. Errors are the worker's.
absl::StatusOr<LatencyCurve> MeasureLatencyCurve(
    const WorkerSetup& setup, const LatencyPlan& plan,
    const advisor::Clock& clock, const std::function<void(double)>& progress);

}  // namespace kernels

#endif  // KERNELS_MEASURE_LATENCY_CURVE_H_
