// What a study says of each cell, and what disturbed it.

#ifndef KERNELS_MEASURE_JUDGEMENT_H_
#define KERNELS_MEASURE_JUDGEMENT_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "kernels/measure/cell.h"
#include "kernels/measure/statistics.h"
#include "kernels/measure/study.h"

namespace kernels {

struct CellJudgement {
  Cell cell;
  Interval interval;  // of the log ratio, 95 %, over placements
  Comparison comparison = Comparison::kCannotTell;
  // The largest less the smallest log ratio of a placement (of code and
  // buffers: one a process).
  double spread = 0;
  // One placement differs, the others do not: luck, and no difference.
  bool one_placement_alone = false;
};

// Side `candidate` against side `base` in every cell of the study that has that
// contrast. A cell is faster or slower when its interval lies beyond the noise
// floor, when that survives Benjamini and Hochberg's correction over the cells
// (5 % of such claims may be false), and when it is not one placement's luck;
// equivalent within `band` (a log ratio).
std::vector<CellJudgement> JudgeCells(const Study& study, int base,
                                      int candidate, double noise_floor,
                                      double band);

// One sample is farther from the middle of the others than `floor` and than
// four times their own spread, while they do not differ from 0 by `floor`. Of
// at least four samples (log ratios, one a placement).
bool OnePlacementAlone(absl::Span<const double> log_ratios, double floor);

// What happened meanwhile that a reader must know, in words: "the hypervisor
// took 3.1 % of the time away", "the core's clock moved by 12 %", "2 moves to
// another CPU". Empty where nothing did.
std::vector<std::string> Disturbances(const Study& study);

}  // namespace kernels

#endif  // KERNELS_MEASURE_JUDGEMENT_H_
