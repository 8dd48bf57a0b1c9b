// What a proof says of a whole workload.

#ifndef ADVISOR_MEASUREMENT_WORKLOAD_RESULT_H_
#define ADVISOR_MEASUREMENT_WORKLOAD_RESULT_H_

#include <vector>

#include "advisor/evidence/proof_study.h"
#include "advisor/report.h"
#include "advisor/workload/weights.h"
#include "advisor/workload/workload.h"
#include "kernels/measure/study.h"

namespace advisor {

// `subjects`: memmove and memset with all that is recommended, their weights
// those of the workload; empty where nothing is. `mix`: what the workload
// spends on each size without it. `proof`: nullptr where nothing was proved.
//
// The time of the whole mix is 1 and, for each size that takes another path,
// its share times what the nearest proved size (an octave away at most) gained
// or lost; sizes that take no other path do not change. nullopt where a size
// that matters has no such neighbour. With several copiers the shares are the
// same: what one copier spends.
WorkloadSummary SummariseWorkload(const Workload& workload,
                                  const std::vector<SizeShare>& mix,
                                  const std::vector<ProofSubject>& subjects,
                                  const kernels::Study* proof);

}  // namespace advisor

#endif  // ADVISOR_MEASUREMENT_WORKLOAD_RESULT_H_
