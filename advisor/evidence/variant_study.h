// What other variants of memcpy and memset cost on the real libc: values of
// GLIBC_TUNABLES with a mask against one without.

#ifndef ADVISOR_EVIDENCE_VARIANT_STUDY_H_
#define ADVISOR_EVIDENCE_VARIANT_STUDY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "advisor/evidence/path_study.h"
#include "advisor/report.h"
#include "kernels/measure/statistics.h"
#include "kernels/measure/study.h"

namespace advisor {

// What a candidate changes.
struct VariantCandidate {
  std::string glibc_tunables;
  bool changes_memmove = false;
  bool changes_memset = false;
};

// Sides of a study: the base, each candidate, and two more of the base that
// only the A/A control uses (proof_study.h tells why). With one candidate they
// are those of a proof.
std::vector<std::string> VariantSides(
    const std::string& base, const std::vector<VariantCandidate>& candidates);

// Calls of 24 bytes to 1 MiB of the functions that each candidate changes;
// the control for each cell that any of them has. `pairs` for each.
std::vector<kernels::Contrast> VariantContrasts(
    const std::vector<VariantCandidate>& candidates, uint64_t largest,
    int pairs);

struct VariantJudgement {
  // Log of time with / without, the mean over cells by weight;
  // processes are the replicates.
  kernels::Interval mean = {0, 0, 0};
  // Of a cell, a log ratio.
  double noise_floor = 0;
  // The base differs from itself by more than a cell may lose: nothing can be
  // concluded.
  bool control_differs = false;
  CellVerdict verdict = CellVerdict::kCannotTell;
};

// Candidate `index` (from 0) of `count`. Nothing is told where no measured cell
// has a weight.
VariantJudgement JudgeVariant(const kernels::Study& study, int index, int count,
                              double confidence,
                              const CellWeight& weight = &WeightOf);

// The proof of a single candidate, on a study of its own: proof_study.h's
// judgement of each changed function. The whole holds when the mean over all
// its cells is below `worth` (a ratio) with 99 % confidence, no function is
// harmed or slower in its mean, and the control agrees with itself.
Proof JudgeVariantProof(const kernels::Study& study,
                        const VariantCandidate& candidate, double worth,
                        const CellWeight& weight = &WeightOf);

// One function's calls of some sizes.
struct VariantCost {
  std::string function;  // "memcpy", "memset"
  // Bytes a call, both included.
  uint64_t smallest = 0;
  uint64_t largest = 0;
  // Time with / without, 95 %.
  double ratio = 1;
  double low = 1;
  double high = 1;
  CellVerdict verdict = CellVerdict::kCannotTell;
};

// By function and size: up to 256 bytes, to 16 KiB, and above.
std::vector<VariantCost> VariantCosts(const kernels::Study& study, int index,
                                      int count);

}  // namespace advisor

#endif  // ADVISOR_EVIDENCE_VARIANT_STUDY_H_
