// The cache descriptors of CPUID leaf 2.

#ifndef ADVISOR_CPU_CACHE_DESCRIPTOR_TABLE_H_
#define ADVISOR_CPU_CACHE_DESCRIPTOR_TABLE_H_

#include <cstdint>

#include "absl/types/span.h"

namespace advisor {

enum class CacheType { kData, kInstruction, kUnified };

struct CacheDescriptorRow {
  uint8_t descriptor;
  int level;
  CacheType type;
  uint32_t size;  // bytes
  uint32_t ways;
  uint32_t line;  // bytes
};

// The 68 descriptors that every glibc from 2.26 to 2.42 knows (intel_02_known
// in sysdeps/x86/dl-cacheinfo.h, after Intel SDM volume 2A, table 3-12); it
// ignores all others. The sizes are glibc's; of 0xdc, 0xdd and 0xde the manual
// gives 1.5, 3 and 6 MiB. Sorted by descriptor.
absl::Span<const CacheDescriptorRow> CacheDescriptorTable();

// Bytes with a meaning of their own.
constexpr uint8_t kNoL2OrL3Descriptor = 0x40;
// An L2 of 4 MiB in the table; on family 15 model 6 it is an L3 of 4 MiB.
constexpr uint8_t kL2OrL3Descriptor = 0x49;
constexpr uint8_t kSeeLeaf4Descriptor = 0xff;

// nullptr for a byte that the table lacks.
const CacheDescriptorRow* FindCacheDescriptor(uint8_t descriptor);

}  // namespace advisor

#endif  // ADVISOR_CPU_CACHE_DESCRIPTOR_TABLE_H_
