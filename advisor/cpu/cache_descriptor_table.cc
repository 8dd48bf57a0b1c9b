#include "advisor/cpu/cache_descriptor_table.h"

namespace advisor {
namespace {

constexpr uint32_t kKiB = 1024;
constexpr uint32_t kMiB = 1024 * kKiB;

using T = CacheType;

// descriptor, level, type, size, ways, line
constexpr CacheDescriptorRow kRows[] = {
    {0x06, 1, T::kInstruction, 8 * kKiB, 4, 32},
    {0x08, 1, T::kInstruction, 16 * kKiB, 4, 32},
    {0x09, 1, T::kInstruction, 32 * kKiB, 4, 32},
    {0x0a, 1, T::kData, 8 * kKiB, 2, 32},
    {0x0c, 1, T::kData, 16 * kKiB, 4, 32},
    {0x0d, 1, T::kData, 16 * kKiB, 4, 64},
    {0x0e, 1, T::kData, 24 * kKiB, 6, 64},
    {0x21, 2, T::kUnified, 256 * kKiB, 8, 64},
    {0x22, 3, T::kUnified, 512 * kKiB, 4, 64},
    {0x23, 3, T::kUnified, 1 * kMiB, 8, 64},
    {0x25, 3, T::kUnified, 2 * kMiB, 8, 64},
    {0x29, 3, T::kUnified, 4 * kMiB, 8, 64},
    {0x2c, 1, T::kData, 32 * kKiB, 8, 64},
    {0x30, 1, T::kInstruction, 32 * kKiB, 8, 64},
    {0x39, 2, T::kUnified, 128 * kKiB, 4, 64},
    {0x3a, 2, T::kUnified, 192 * kKiB, 6, 64},
    {0x3b, 2, T::kUnified, 128 * kKiB, 2, 64},
    {0x3c, 2, T::kUnified, 256 * kKiB, 4, 64},
    {0x3d, 2, T::kUnified, 384 * kKiB, 6, 64},
    {0x3e, 2, T::kUnified, 512 * kKiB, 4, 64},
    {0x3f, 2, T::kUnified, 256 * kKiB, 2, 64},
    {0x41, 2, T::kUnified, 128 * kKiB, 4, 32},
    {0x42, 2, T::kUnified, 256 * kKiB, 4, 32},
    {0x43, 2, T::kUnified, 512 * kKiB, 4, 32},
    {0x44, 2, T::kUnified, 1 * kMiB, 4, 32},
    {0x45, 2, T::kUnified, 2 * kMiB, 4, 32},
    {0x46, 3, T::kUnified, 4 * kMiB, 4, 64},
    {0x47, 3, T::kUnified, 8 * kMiB, 8, 64},
    {0x48, 2, T::kUnified, 3 * kMiB, 12, 64},
    {0x49, 2, T::kUnified, 4 * kMiB, 16, 64},
    {0x4a, 3, T::kUnified, 6 * kMiB, 12, 64},
    {0x4b, 3, T::kUnified, 8 * kMiB, 16, 64},
    {0x4c, 3, T::kUnified, 12 * kMiB, 12, 64},
    {0x4d, 3, T::kUnified, 16 * kMiB, 16, 64},
    {0x4e, 2, T::kUnified, 6 * kMiB, 24, 64},
    {0x60, 1, T::kData, 16 * kKiB, 8, 64},
    {0x66, 1, T::kData, 8 * kKiB, 4, 64},
    {0x67, 1, T::kData, 16 * kKiB, 4, 64},
    {0x68, 1, T::kData, 32 * kKiB, 4, 64},
    {0x78, 2, T::kUnified, 1 * kMiB, 8, 64},
    {0x79, 2, T::kUnified, 128 * kKiB, 8, 64},
    {0x7a, 2, T::kUnified, 256 * kKiB, 8, 64},
    {0x7b, 2, T::kUnified, 512 * kKiB, 8, 64},
    {0x7c, 2, T::kUnified, 1 * kMiB, 8, 64},
    {0x7d, 2, T::kUnified, 2 * kMiB, 8, 64},
    {0x7f, 2, T::kUnified, 512 * kKiB, 2, 64},
    {0x80, 2, T::kUnified, 512 * kKiB, 8, 64},
    {0x82, 2, T::kUnified, 256 * kKiB, 8, 32},
    {0x83, 2, T::kUnified, 512 * kKiB, 8, 32},
    {0x84, 2, T::kUnified, 1 * kMiB, 8, 32},
    {0x85, 2, T::kUnified, 2 * kMiB, 8, 32},
    {0x86, 2, T::kUnified, 512 * kKiB, 4, 64},
    {0x87, 2, T::kUnified, 1 * kMiB, 8, 64},
    {0xd0, 3, T::kUnified, 512 * kKiB, 4, 64},
    {0xd1, 3, T::kUnified, 1 * kMiB, 4, 64},
    {0xd2, 3, T::kUnified, 2 * kMiB, 4, 64},
    {0xd6, 3, T::kUnified, 1 * kMiB, 8, 64},
    {0xd7, 3, T::kUnified, 2 * kMiB, 8, 64},
    {0xd8, 3, T::kUnified, 4 * kMiB, 8, 64},
    {0xdc, 3, T::kUnified, 2 * kMiB, 12, 64},
    {0xdd, 3, T::kUnified, 4 * kMiB, 12, 64},
    {0xde, 3, T::kUnified, 8 * kMiB, 12, 64},
    {0xe2, 3, T::kUnified, 2 * kMiB, 16, 64},
    {0xe3, 3, T::kUnified, 4 * kMiB, 16, 64},
    {0xe4, 3, T::kUnified, 8 * kMiB, 16, 64},
    {0xea, 3, T::kUnified, 12 * kMiB, 24, 64},
    {0xeb, 3, T::kUnified, 18 * kMiB, 24, 64},
    {0xec, 3, T::kUnified, 24 * kMiB, 24, 64},
};

}  // namespace

absl::Span<const CacheDescriptorRow> CacheDescriptorTable() { return kRows; }

const CacheDescriptorRow* FindCacheDescriptor(uint8_t descriptor) {
  for (const CacheDescriptorRow& row : kRows) {
    if (row.descriptor == descriptor) return &row;
  }
  return nullptr;
}

}  // namespace advisor
