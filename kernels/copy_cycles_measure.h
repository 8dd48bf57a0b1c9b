// What one copy of a given size costs, under several non-temporal thresholds,
// measured side by side in one run.

#ifndef KERNELS_COPY_CYCLES_MEASURE_H_
#define KERNELS_COPY_CYCLES_MEASURE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"

namespace kernels {

struct CopyCase {
  std::string name;
  // For the ported 2.28 variant; nullopt: the running libc's memcpy, whatever
  // its thresholds are.
  std::optional<uint64_t> non_temporal_threshold;
};

// Median cycles a call (of the time stamp counter) of each case. Each case
// copies `size` bytes between two buffers of its own, `calls` times in batches
// of 16 after one that does not count; the cases take turns in random order, so
// that a disturbance meets all of them. Aborts when there is no memory.
std::vector<double> MeasureCopyCycles(absl::Span<const CopyCase> cases,
                                      size_t size, uint64_t calls);

}  // namespace kernels

#endif  // KERNELS_COPY_CYCLES_MEASURE_H_
