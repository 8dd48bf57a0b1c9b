// One run of the A/B engine against itself and against planted effects: how
// often its verdicts are false, and how often they find what is there.

#ifndef KERNELS_NOISE_NOISE_RUN_H_
#define KERNELS_NOISE_NOISE_RUN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "advisor/host/clock.h"
#include "advisor/host/file_reader.h"
#include "kernels/measure/cell.h"
#include "kernels/measure/judgement.h"
#include "kernels/measure/study.h"
#include "kernels/measure/worker_client.h"

namespace kernels {

// What a run compares with the base. The first is the engine's own control and
// is not judged.
struct PlantedEffect {
  std::string name;  // "A/A", "planted 3 %"
  double share;      // of the time of the base's call: 0.03
};
const std::vector<PlantedEffect>& PlantedEffects();

struct NoiseCell {
  Cell cell;
  // Of the base's call, in cycles of the core (not of the time stamp counter).
  double core_cycles = 0;
};

// The cells of a run and what a call of them takes here, the median of a few
// processes. Errors of this and the next are the workers'.
absl::StatusOr<std::vector<NoiseCell>> CalibrateNoiseCells(
    const WorkerSetup& setup, const advisor::Clock& clock, uint64_t seed);

struct NoiseRun {
  // By effect, as PlantedEffects(); one a cell, without cells whose calls are
  // too short for an exact plant.
  std::vector<std::vector<CellJudgement>> judgements;
  // The worst of all cells' studies; it has no results.
  Study conditions;
};

// `placements` processes for each cell.
absl::StatusOr<NoiseRun> RunNoise(const WorkerSetup& setup,
                                  const std::vector<NoiseCell>& cells,
                                  int placements, uint64_t seed,
                                  const advisor::Clock& clock,
                                  const advisor::FileReader& files);

}  // namespace kernels

#endif  // KERNELS_NOISE_NOISE_RUN_H_
