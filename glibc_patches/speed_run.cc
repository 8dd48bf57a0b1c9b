#include "glibc_patches/speed_run.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "advisor/cpu/cpu_model.h"
#include "advisor/host/load.h"
#include "glibc_patches/placed_pair_source.h"
#include "glibc_patches/speed_plan.h"

namespace glibc_patches {
namespace {

using ::kernels::KernelParameters;
using ::kernels::Variant;

// Workers that measure at the same time.
constexpr size_t kMostLanes = 4;
// More copiers add nothing but memory.
constexpr size_t kMostCopiers = 8;
// Of the memory that is available, a measurement may take one part in so many.
constexpr uint64_t kShareOfMemory = 4;

SpeedEffort EffortOfSpeed(ValidationEffort effort) {
  switch (effort) {
    case ValidationEffort::kQuick:
      return SpeedEffort::kQuick;
    case ValidationEffort::kNormal:
      return SpeedEffort::kNormal;
    case ValidationEffort::kThorough:
      return SpeedEffort::kThorough;
  }
  return SpeedEffort::kNormal;
}

SpeedMachine Machine(const KernelParameters& thresholds,
                     const advisor::CpuidSource& cpu, size_t cpus,
                     const advisor::FileReader& files) {
  SpeedMachine machine;
  machine.thresholds = thresholds;
  machine.cpus = static_cast<int>(std::min(cpus, kMostCopiers));
  const advisor::CacheClaims caches = advisor::DecodeCpuModel(cpu).caches;
  for (const advisor::CacheLeaf& leaf : caches.leaves) {
    for (const advisor::CacheClaim& claim : leaf.claims) {
      if (claim.type == advisor::CacheType::kInstruction) continue;
      machine.last_cache = std::max(machine.last_cache.value_or(0), claim.size);
    }
  }
  if (const auto memory = advisor::AvailableMemory(files)) {
    machine.memory = *memory / kShareOfMemory;
  }
  return machine;
}

}  // namespace

absl::Status MeasurePatch(absl::Span<const Variant* const> variants,
                          const KernelParameters& thresholds,
                          const advisor::CpuidSource& cpu,
                          const ValidationInput& input,
                          const ValidationDoors& doors, Verdict& verdict) {
  const std::vector<int> cpus = advisor::AllowedCpus();
  SpeedPlan plan =
      PlanSpeed(variants, Machine(thresholds, cpu, cpus.size(), doors.files),
                EffortOfSpeed(input.effort));
  verdict.regimes = std::move(plan.regimes);
  verdict.regime_gaps = std::move(plan.gaps);
  const PlacedTrees trees{input.built_base, input.scratch + "/control",
                          input.built_patched};
  absl::Status status = CopyControl(trees.base, trees.control);
  if (!status.ok()) return status;
  const auto self = doors.files.Resolve("/proc/self/exe");
  if (!self.ok()) return self.status();
  std::vector<std::unique_ptr<PlacedPairSourceFactory>> made;
  const auto make = [&](std::vector<int> on) {
    kernels::WorkerSetup setup{&doors.dialogues, advisor::Command(),
                               std::move(on)};
    setup.command.argv = {*self, kMeasurementWorker};
    setup.command.environment = doors.environment.ForChild();
    setup.command.time_limit = absl::Seconds(30);
    made.push_back(std::make_unique<PlacedPairSourceFactory>(
        std::move(setup), trees, plan.sides));
    return made.back().get();
  };
  SpeedFactories factories;
  for (size_t i = 0; i < std::min(cpus.size(), kMostLanes); ++i) {
    factories.side_by_side.push_back(make({cpus[i]}));
  }
  factories.alone = make(cpus);
  const auto before = advisor::ReadCpuTimes(doors.files);
  absl::StatusOr<SpeedResult> speed =
      MeasureSpeed(factories, plan, verdict.speed_options, doors.clock,
                   [&](double share) { doors.progress("measuring", share); });
  if (!speed.ok()) return speed.status();
  speed->steal =
      advisor::StealShare(before, advisor::ReadCpuTimes(doors.files));
  verdict.weighed = Weigh(input.mix, *speed);
  verdict.speed = *std::move(speed);
  return absl::OkStatus();
}

}  // namespace glibc_patches
