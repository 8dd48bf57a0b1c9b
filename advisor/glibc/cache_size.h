// The size of one cache as glibc reads it from CPUID: leaf 2 and leaf 4 (Intel,
// Zhaoxin), 0x80000005 and 0x80000006, 0x8000001D (AMD, Hygon).
//
// Source: handle_intel, intel_check_word, handle_amd, handle_zhaoxin and
// handle_hygon in sysdeps/x86/cacheinfo.c and sysdeps/x86/dl-cacheinfo.h.

#ifndef ADVISOR_GLIBC_CACHE_SIZE_H_
#define ADVISOR_GLIBC_CACHE_SIZE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/cpu_features.h"
#include "advisor/glibc/leaf2.h"
#include "advisor/glibc/step.h"

namespace advisor {

// A leaf that goes on longer than this has no end.
inline constexpr uint32_t kMaxSubleaf = 256;

struct CacheSize {
  // -1 is glibc's own "unknown", 0 its "none". A size of 4 GiB or more has
  // wrapped: the product is of 32-bit numbers.
  int64_t bytes = 0;
  // The loop over leaf 4 never ends.
  bool hangs = false;
  // As in Step; empty unless steps are recorded.
  std::string reason;
  std::string source;
};

CacheSize ReadCacheSize(const CpuidSource& cpu, const GlibcBuild& build,
                        const CpuFeatures& features, CacheLevel level,
                        const StepRecorder& steps);

// CPUID.1:EBX[23:16] if HTT is set, as the instruction gives it, whatever a
// mask says.
std::optional<uint32_t> LogicalProcessorsIfHtt(const CpuidSource& cpu);

// 0x8000001D:3:EAX[25:14] plus 1; 1 where that leaf is missing.
uint32_t ThreadsPerCcx(const CpuidSource& cpu);

}  // namespace advisor

#endif  // ADVISOR_GLIBC_CACHE_SIZE_H_
