// What a measurement may spend of time, memory and CPUs.

#ifndef ADVISOR_MEASUREMENT_EFFORT_H_
#define ADVISOR_MEASUREMENT_EFFORT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "advisor/host/file_reader.h"

namespace advisor {

enum class MeasureMode { kOff, kQuick, kFull };

// What a mode may spend on thresholds. Quick ends within 20 s and full within
// 120 s on two cores, the start of processes, the loader's listings, the
// latency curve and the trial of masks included.
struct Effort {
  absl::Duration path_budget;
  absl::Duration path_limit;
  int path_max_processes;
  absl::Duration proof_budget;
  absl::Duration proof_limit;
  int proof_max_processes;
  uint64_t largest;
};

Effort EffortOf(MeasureMode mode);

// The CPUs to measure on, that of the measured thread first; the others are for
// further copiers.
std::vector<int> MeasurementCpus();

// The largest call, bytes, up to `wanted`: workers hold two pairs of buffers a
// copier, and there may be `processes` of them; together they take no more than
// a quarter of what is available.
uint64_t LargestCall(uint64_t wanted, size_t copiers, int processes,
                     const FileReader& files);

}  // namespace advisor

#endif  // ADVISOR_MEASUREMENT_EFFORT_H_
