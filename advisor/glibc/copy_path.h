// Which way through its code a memmove or memset variant takes for a size: the
// meaning of the thresholds.
//
// Source: sysdeps/x86_64/multiarch/memmove-vec-unaligned-erms.S and
// memset-vec-unaligned-erms.S of each release; the changes are named in the
// rows of change.h.

#ifndef ADVISOR_GLIBC_COPY_PATH_H_
#define ADVISOR_GLIBC_COPY_PATH_H_

#include <cstdint>

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
  // The variant has a rep movsb (rep stosb) zone: its name ends in "_erms".
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

}  // namespace advisor

#endif  // ADVISOR_GLIBC_COPY_PATH_H_
