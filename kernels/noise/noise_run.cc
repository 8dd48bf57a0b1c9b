#include "kernels/noise/noise_run.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "advisor/host/load.h"
#include "kernels/measure/pair_source.h"
#include "kernels/noise/planted_copy.h"

namespace kernels {
namespace {

constexpr int kBaseSide = 0;
constexpr int kControlSide = 1;
constexpr int kFirstEffectSide = 2;
constexpr int kPairs = 15;
constexpr int kCalibrationProcesses = 5;
// Every side waits for so many cycles after its copy, whatever is planted: some
// 30 of the first 50 are lost in what the next copy waits for anyway (seen on
// an Emerald Rapids), and only then does one more cycle cost one more.
constexpr double kBaseIdle = 200;
// Seen there as well: up to 8 cycles more or less, by how the wait falls into
// the groups that the core fetches and retires. In shorter calls that is as
// much as what is planted, so nothing is.
constexpr double kShortestPlanted = 400;
// Of the recommendation's proof and of the patch verdict.
constexpr double kBand = 0.02;

std::vector<Cell> Cells() {
  return {{false, 64, Alignment::kAligned, Regime::kHot, 1},
          {false, 1024, Alignment::kMisalignedDestination, Regime::kHot, 1},
          {false, 16384, Alignment::kAligned, Regime::kHot, 1},
          {false, 65536, Alignment::kMisalignedDestination, Regime::kHot, 1},
          {false, 262144, Alignment::kAligned, Regime::kRotating, 1}};
}

KernelParameters IdleFor(double more_core_cycles) {
  KernelParameters parameters;
  parameters.rep_movsb_threshold =
      static_cast<uint64_t>(kBaseIdle + more_core_cycles + 0.5);
  return parameters;
}

VariantPairSourceFactory Sides(const WorkerSetup& setup,
                               std::vector<KernelParameters> sides) {
  return VariantPairSourceFactory(setup, std::string(kPlantedTree),
                                  std::string(kPlantedCopy), "",
                                  std::move(sides));
}

StudyPlan PlanFor(const Cell& cell, int sides, int processes, uint64_t seed) {
  StudyPlan plan;
  for (int side = 1; side < sides; ++side) {
    plan.contrasts.push_back({cell, kBaseSide, side, kPairs});
  }
  plan.min_processes = plan.max_processes = processes;
  plan.seed = seed;
  return plan;
}

absl::StatusOr<Study> RunCell(const WorkerSetup& setup, const NoiseCell& cell,
                              int placements, uint64_t seed,
                              const advisor::Clock& clock) {
  std::vector<KernelParameters> sides = {IdleFor(0), IdleFor(0)};
  for (const PlantedEffect& effect : PlantedEffects()) {
    if (effect.share > 0 && cell.core_cycles < kShortestPlanted) continue;
    sides.push_back(IdleFor(effect.share * cell.core_cycles));
  }
  const int count = static_cast<int>(sides.size());
  return RunStudy(
      Sides(setup, std::move(sides)), std::vector<std::string>(count),
      PlanFor(cell.cell, count, placements, seed), clock, [](double) {});
}

}  // namespace

const std::vector<PlantedEffect>& PlantedEffects() {
  static const auto& effects = *new std::vector<PlantedEffect>{
      {"A/A", 0}, {"planted 3 %", 0.03}, {"planted 10 %", 0.10}};
  return effects;
}

absl::StatusOr<std::vector<NoiseCell>> CalibrateNoiseCells(
    const WorkerSetup& setup, const advisor::Clock& clock, uint64_t seed) {
  const VariantPairSourceFactory factory =
      Sides(setup, {IdleFor(0), IdleFor(0)});
  const absl::StatusOr<std::unique_ptr<PairSource>> source =
      factory.Start(seed);
  if (!source.ok()) return source.status();
  const absl::StatusOr<Observation> core = (*source)->Observe();
  if (!core.ok()) return core.status();
  std::vector<NoiseCell> cells;
  for (const Cell& cell : Cells()) {
    const absl::StatusOr<Study> study = RunStudy(
        factory, {"", ""}, PlanFor(cell, 2, kCalibrationProcesses, seed), clock,
        [](double) {});
    if (!study.ok()) return study.status();
    cells.push_back({cell, study->results[0].base_cycles /
                               core->ticks_per_step.value_or(1)});
  }
  return cells;
}

absl::StatusOr<NoiseRun> RunNoise(const WorkerSetup& setup,
                                  const std::vector<NoiseCell>& cells,
                                  int placements, uint64_t seed,
                                  const advisor::Clock& clock,
                                  const advisor::FileReader& files) {
  const std::optional<advisor::CpuTimes> before = advisor::ReadCpuTimes(files);
  Study all;
  for (const NoiseCell& cell : cells) {
    absl::StatusOr<Study> study =
        RunCell(setup, cell, placements, seed++, clock);
    if (!study.ok()) return study.status();
    std::move(study->results.begin(), study->results.end(),
              std::back_inserter(all.results));
    all.clock_drift = std::max(all.clock_drift, study->clock_drift);
    all.migrations += study->migrations;
  }
  all.steal = advisor::StealShare(before, advisor::ReadCpuTimes(files));
  NoiseRun run;
  const double noise_floor = NoiseFloor(all, kBaseSide, kControlSide);
  for (size_t i = 0; i < PlantedEffects().size(); ++i) {
    run.judgements.push_back(JudgeCells(all, kBaseSide,
                                        kFirstEffectSide + static_cast<int>(i),
                                        noise_floor, std::log1p(kBand)));
  }
  all.results.clear();
  run.conditions = std::move(all);
  return run;
}

}  // namespace kernels
