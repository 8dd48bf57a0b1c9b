// The one-byte cache descriptors of CPUID leaf 2, as glibc knows them.
//
// Source: intel_02_known in sysdeps/x86 (the same in 2.26 to 2.42); Intel SDM
// volume 2A, table 3-12.

#ifndef ADVISOR_GLIBC_LEAF2_H_
#define ADVISOR_GLIBC_LEAF2_H_

#include <cstdint>

#include "absl/types/span.h"

namespace advisor {

enum class CacheLevel { kL1d, kL1i, kL2, kL3, kL4 };

struct Leaf2Descriptor {
  uint8_t byte;
  CacheLevel level;
  uint32_t size;  // Bytes.
};

// Sorted by byte.
absl::Span<const Leaf2Descriptor> AllLeaf2Descriptors();

// nullptr for a byte that glibc ignores.
const Leaf2Descriptor* FindLeaf2Descriptor(uint8_t byte);

}  // namespace advisor

#endif  // ADVISOR_GLIBC_LEAF2_H_
