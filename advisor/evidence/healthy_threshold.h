// A non_temporal_threshold for a CPU whose glibc computes a wrong one.

#ifndef ADVISOR_EVIDENCE_HEALTHY_THRESHOLD_H_
#define ADVISOR_EVIDENCE_HEALTHY_THRESHOLD_H_

#include <cstdint>

#include "advisor/cpu/cpuid_source.h"

namespace advisor {

// Below this, copies that fit every L2 of a processor with AVX would bypass the
// caches.
inline constexpr uint64_t kTinyNonTemporalThreshold = 128 * 1024;

struct HealthyThreshold {
  uint64_t bytes;
  // True: what the newest release that the model knows computes from the same
  // CPUID, upstream's latest judgement. False: that release finds no cache size
  // either, and it is 64 MiB, as upstream chose (bug 30429).
  bool computed;
};

HealthyThreshold HealthyNonTemporalThreshold(const CpuidSource& cpu);

}  // namespace advisor

#endif  // ADVISOR_EVIDENCE_HEALTHY_THRESHOLD_H_
