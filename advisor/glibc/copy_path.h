// Which way through its code a memmove or memset variant takes for a size: the
// meaning of the thresholds.
//
// Source: sysdeps/x86_64/multiarch/memmove-vec-unaligned-erms.S and
// memset-vec-unaligned-erms.S of each release; the changes are named in the
// rows of change.h.

#ifndef ADVISOR_GLIBC_COPY_PATH_H_
#define ADVISOR_GLIBC_COPY_PATH_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/loader_listing.h"

namespace advisor {

enum class CopyPath {
  kVectors,      // vector registers, ordinary stores
  kRepString,    // rep movsb or rep stosb
  kNonTemporal,  // vector registers, stores that bypass the caches
};

// What decides, beside the size.
struct CopyCode {
  const GlibcBuild& build;
  // The variant has a rep movsb (rep stosb) zone: VariantIsErms().
  bool erms;
  // Bytes of its vector registers: 16, 32 or 64.
  int vector_size;
};

// For a copy of `size` bytes between buffers that neither overlap nor are close
// to each other. Thresholds that are nullopt are the constants of the releases
// before they became variables.
CopyPath PathOfMemmove(const CopyCode& code,
                       const EffectiveThresholds& thresholds, uint64_t size);
CopyPath PathOfMemset(const CopyCode& code,
                      const EffectiveThresholds& thresholds, uint64_t size);

// The same of a variant by its name: "evex_unaligned_erms", or "erms", which is
// one rep movsb or rep stosb for all sizes.
CopyPath PathOfVariant(const GlibcBuild& build, absl::string_view variant,
                       bool is_memset, const EffectiveThresholds& thresholds,
                       uint64_t size);

struct SizeRange {
  uint64_t first;
  uint64_t last;
};

// True when that memmove variant ("evex_unaligned_erms") compares with
// non_temporal_threshold. (ssse3 does from 2.40 on, avx512_no_vzeroupper and
// erms never.)
bool ReadsNonTemporal(const GlibcBuild& build, absl::string_view memmove);

// True where memset's variants with rep stosb do, too: tips of 2.37 and 2.38,
// and those of 2.39 for a time. Later ones have a threshold of their own.
bool MemsetReadsNonTemporal(const GlibcBuild& build);

// Sizes that the paged copy of that variant gets and cannot handle, so that it
// writes outside of the destination: below kMinimumNonTemporalThreshold
// (thresholds.h), four pages and the bytes lost to aligning.
// `thresholds.non_temporal_threshold` must have a value.
std::optional<SizeRange> CorruptedSizes(const GlibcBuild& build,
                                        absl::string_view memmove,
                                        const EffectiveThresholds& thresholds);

}  // namespace advisor

#endif  // ADVISOR_GLIBC_COPY_PATH_H_
