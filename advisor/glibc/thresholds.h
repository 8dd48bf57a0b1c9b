// The size thresholds of the copy and set kernels, as start-up computes them
// from the cache sizes and the tunables.
//
// Source: init_cacheinfo in sysdeps/x86/cacheinfo.c (2.26 to 2.32),
// dl_init_cacheinfo in sysdeps/x86/dl-cacheinfo.h and init_cacheinfo in
// sysdeps/x86/cacheinfo.h (2.33 and later); do_tunable_update_val in
// elf/dl-tunables.c.

#ifndef ADVISOR_GLIBC_THRESHOLDS_H_
#define ADVISOR_GLIBC_THRESHOLDS_H_

#include <array>
#include <cstdint>
#include <optional>

#include "advisor/glibc/build.h"
#include "advisor/glibc/cache_info.h"
#include "advisor/glibc/cpu_features.h"
#include "advisor/glibc/step.h"
#include "advisor/glibc/tunables.h"

namespace advisor {

// Below this, a build with Change::kPagedLargeCopy corrupts memory: 16448, four
// pages and the bytes lost to aligning the destination.
inline constexpr uint64_t kMinimumNonTemporalThreshold = 0x4040;
// Kernels multiply the threshold by 16.
inline constexpr uint64_t kMaximumNonTemporalThreshold = 0x0fff'ffff'ffff'ffff;

// A tunable as ld.so --list-tunables prints it.
struct TunableRecord {
  uint64_t value;
  uint64_t minimum;
  uint64_t maximum;
};

// All sizes are bytes.
struct Thresholds {
  // The variables that kernels read; sizes are multiples of 256.
  uint64_t data_cache_size = 32 * 1024;
  uint64_t shared_cache_size = 1024 * 1024;
  uint64_t non_temporal_threshold = 0;
  // nullopt: a constant of the code, or not there yet.
  std::optional<uint64_t> rep_movsb_threshold;
  std::optional<uint64_t> rep_movsb_stop_threshold;
  std::optional<uint64_t> rep_stosb_threshold;
  std::optional<uint64_t> memset_non_temporal_threshold;
  // __x86_string_control: bit 0, no rep movsb at short distances.
  std::optional<uint32_t> string_control;

  // As --list-diagnostics prints them, not rounded; nullopt in builds without
  // Change::kCacheInfoInLoader.
  std::optional<uint64_t> unrounded_data_cache_size;
  std::optional<uint64_t> unrounded_shared_cache_size;

  // nullopt where the build has no such tunable or does not write it back.
  std::array<std::optional<TunableRecord>, kTunableCount> records;
};

// `features` as in ComputeCacheInfo.
Thresholds ComputeThresholds(const GlibcBuild& build,
                             const CpuFeatures& features,
                             const CacheInfo& cache,
                             const ParsedTunables& tunables,
                             const StepRecorder& steps);

// 64, 32 or 16: the vector size that rep_movsb_threshold is chosen for. It
// follows from features, not from the variant that was selected.
int VectorClass(const CpuFeatures& features);

// rep_movsb_threshold as a constant of the code, in builds without
// Change::kRepThresholdTunables; by the vector size of the variant.
uint64_t ConstantRepMovsbThreshold(int vector_size);
inline constexpr uint64_t kConstantRepStosbThreshold = 2048;

}  // namespace advisor

#endif  // ADVISOR_GLIBC_THRESHOLDS_H_
