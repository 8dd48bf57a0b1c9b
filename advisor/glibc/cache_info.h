// Cache sizes and thread counts as glibc's start-up code derives them from
// CPUID, before tunables.
//
// Source: sysdeps/x86/cacheinfo.c (2.26 to 2.32), sysdeps/x86/dl-cacheinfo.h
// (2.33 and later), and their branches.

#ifndef ADVISOR_GLIBC_CACHE_INFO_H_
#define ADVISOR_GLIBC_CACHE_INFO_H_

#include <cstdint>

#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/cpu_features.h"
#include "advisor/glibc/step.h"

namespace advisor {

// Bytes; -1 is glibc's own "unknown", 0 its "none".
struct CacheInfo {
  // Start-up never ends: a Zhaoxin CPU whose leaf 4 has no level 2, or a leaf 4
  // or 0xB without an end. The other fields mean nothing then.
  bool hangs = false;

  int64_t level1_dcache_size = -1;
  int64_t level2_cache_size = -1;
  int64_t level3_cache_size = -1;

  int64_t data = -1;
  // The level 2 size; the stop threshold of AMD.
  int64_t core = -1;
  // By build: one thread's share of the last level, or all of it.
  int64_t shared = -1;
  // Only in builds with Change::kNonTemporalOfTotal.
  int64_t shared_per_thread = -1;
  // Logical processors that share the last level; 0 where glibc cannot tell.
  uint32_t threads = 0;
};

// `features` as they are when the build computes this: after the hwcaps mask
// in builds without Change::kCacheInfoInLoader.
CacheInfo ComputeCacheInfo(const CpuidSource& cpu, const GlibcBuild& build,
                           const CpuFeatures& features,
                           const StepRecorder& steps);

}  // namespace advisor

#endif  // ADVISOR_GLIBC_CACHE_INFO_H_
