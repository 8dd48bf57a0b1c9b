#include "advisor/cache_measurement.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "advisor/evidence/cache_truth.h"
#include "advisor/host/load.h"
#include "kernels/measure/latency_curve.h"

namespace advisor {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

}  // namespace

absl::StatusOr<CacheTruth> MeasureCaches(
    const MeasurementDoors& doors, const MeasurementOptions& options,
    absl::Span<const CacheSummary> claims) {
  const absl::StatusOr<kernels::WorkerSetup> setup = MeasurementWorkers(doors);
  if (!setup.ok()) return setup.status();
  const bool full = options.mode == MeasureMode::kFull;
  kernels::LatencyPlan plan;
  plan.seed = options.seed;
  plan.largest = full ? 256 * kMiB : 32 * kMiB;
  plan.budget = full ? absl::Seconds(10) : absl::Seconds(1.5);
  if (const std::optional<uint64_t> memory = AvailableMemory(doors.files)) {
    plan.largest = std::min(plan.largest, *memory / 8);
  }
  const absl::StatusOr<kernels::LatencyCurve> curve =
      kernels::MeasureLatencyCurve(*setup, plan, doors.clock, [&](double done) {
        doors.progress("measuring the caches", done);
      });
  if (!curve.ok()) return curve.status();
  return JudgeCaches(*curve, claims);
}

}  // namespace advisor
