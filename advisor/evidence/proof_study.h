// The proof of a recommendation: the real libc in fresh processes, with the
// recommended GLIBC_TUNABLES against without.

#ifndef ADVISOR_EVIDENCE_PROOF_STUDY_H_
#define ADVISOR_EVIDENCE_PROOF_STUDY_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "advisor/evidence/path_study.h"
#include "advisor/glibc/copy_path.h"
#include "advisor/report.h"
#include "kernels/measure/study.h"

namespace advisor {

// The sides of a proof study.
enum ProofSide {
  kWithoutSide = 0,
  kWithSide = 1,
  // The A/A control: two more processes without it. The others take no part in
  // it, for a process that is used more often has more of its buffers in the
  // last-level cache (seen: 1.14 times faster than a copy of itself).
  kControlSide = 2,
  kControlAgainSide = 3,
};

// A log ratio nearer to 0 is no difference, and a cell may lose this much (log
// 1.02): the measurement's own equivalence band.
inline constexpr double kBand = 0.0198;

// What an interval of log ratios says of a cell or a mean, beyond the noise.
CellVerdict VerdictOf(const kernels::Interval& interval, double noise_floor);

// "0.868 [0.835, 0.902]": the ratios of an interval of log ratios.
std::string RatioWords(const kernels::Interval& interval);

// What the recommendation changes of one function.
struct ProofSubject {
  bool is_memset = false;
  // The path of a size without and with it.
  std::function<CopyPath(uint64_t)> before;
  std::function<CopyPath(uint64_t)> after;
  // The path with what was set while it was measured, where that is more than
  // what is judged: cells in which the two differ say nothing. nullptr:
  // `after`.
  std::function<CopyPath(uint64_t)> measured = nullptr;
  // How much a cell counts beside all others. What has no weight neither gains
  // nor harms, and is measured only for neighbours. nullptr: WeightOf.
  CellWeight weight = nullptr;
  // Sizes of a workload's calls that are proved beside the others, with one
  // copier and with several.
  std::vector<uint64_t> sizes = {};
};

struct ProofPlan {
  std::vector<ProofSubject> subjects;
  // The largest call, bytes.
  uint64_t largest = 0;
  // Copiers of the "all cores at once" cells; 1 leaves them out.
  int copiers = 1;
};

// Cells of the sizes that are touched, of their neighbours that are not, and
// the control.
std::vector<kernels::Contrast> ProofContrasts(const ProofPlan& plan);

// What the study says of one function. It holds when the touched cells are
// faster in the mean (by weight, path_study.h) with 99 % confidence, processes
// being the replicates, and when nothing that is touched is slower by more than
// 2 % (after Benjamini and Hochberg): no cell of buffers in use or of
// non-temporal stores, no size in its mean, and no condition (regime,
// alignment, copiers) in the mean of its sizes. A run whose control differs
// from itself, or that was disturbed too much, holds nothing. `harmed_size`,
// where given, gets the size that was found to be slower, or 0.
Proof JudgeProof(const kernels::Study& study, const ProofSubject& subject,
                 uint64_t* harmed_size = nullptr);

// The mean of the log ratios over comparisons by weight (path_study.h), one
// value a process.
std::vector<double> MeanByProcess(
    const std::vector<const kernels::ContrastResult*>& results,
    const CellWeight& weight = &WeightOf);

// Several subjects' proofs as one, for the report; each cell once.
Proof JoinProofs(const std::vector<Proof>& proofs);

}  // namespace advisor

#endif  // ADVISOR_EVIDENCE_PROOF_STUDY_H_
