#include "advisor/glibc/leaf2.h"

#include <algorithm>
#include <iterator>

namespace advisor {
namespace {

constexpr uint32_t kKiB = 1024;
constexpr uint32_t kMiB = 1024 * kKiB;

// {byte, level, size}
constexpr Leaf2Descriptor kDescriptors[] = {
    {0x06, CacheLevel::kL1i, 8 * kKiB},  {0x08, CacheLevel::kL1i, 16 * kKiB},
    {0x09, CacheLevel::kL1i, 32 * kKiB}, {0x0a, CacheLevel::kL1d, 8 * kKiB},
    {0x0c, CacheLevel::kL1d, 16 * kKiB}, {0x0d, CacheLevel::kL1d, 16 * kKiB},
    {0x0e, CacheLevel::kL1d, 24 * kKiB}, {0x21, CacheLevel::kL2, 256 * kKiB},
    {0x22, CacheLevel::kL3, 512 * kKiB}, {0x23, CacheLevel::kL3, 1 * kMiB},
    {0x25, CacheLevel::kL3, 2 * kMiB},   {0x29, CacheLevel::kL3, 4 * kMiB},
    {0x2c, CacheLevel::kL1d, 32 * kKiB}, {0x30, CacheLevel::kL1i, 32 * kKiB},
    {0x39, CacheLevel::kL2, 128 * kKiB}, {0x3a, CacheLevel::kL2, 192 * kKiB},
    {0x3b, CacheLevel::kL2, 128 * kKiB}, {0x3c, CacheLevel::kL2, 256 * kKiB},
    {0x3d, CacheLevel::kL2, 384 * kKiB}, {0x3e, CacheLevel::kL2, 512 * kKiB},
    {0x3f, CacheLevel::kL2, 256 * kKiB}, {0x41, CacheLevel::kL2, 128 * kKiB},
    {0x42, CacheLevel::kL2, 256 * kKiB}, {0x43, CacheLevel::kL2, 512 * kKiB},
    {0x44, CacheLevel::kL2, 1 * kMiB},   {0x45, CacheLevel::kL2, 2 * kMiB},
    {0x46, CacheLevel::kL3, 4 * kMiB},   {0x47, CacheLevel::kL3, 8 * kMiB},
    {0x48, CacheLevel::kL2, 3 * kMiB},   {0x49, CacheLevel::kL2, 4 * kMiB},
    {0x4a, CacheLevel::kL3, 6 * kMiB},   {0x4b, CacheLevel::kL3, 8 * kMiB},
    {0x4c, CacheLevel::kL3, 12 * kMiB},  {0x4d, CacheLevel::kL3, 16 * kMiB},
    {0x4e, CacheLevel::kL2, 6 * kMiB},   {0x60, CacheLevel::kL1d, 16 * kKiB},
    {0x66, CacheLevel::kL1d, 8 * kKiB},  {0x67, CacheLevel::kL1d, 16 * kKiB},
    {0x68, CacheLevel::kL1d, 32 * kKiB}, {0x78, CacheLevel::kL2, 1 * kMiB},
    {0x79, CacheLevel::kL2, 128 * kKiB}, {0x7a, CacheLevel::kL2, 256 * kKiB},
    {0x7b, CacheLevel::kL2, 512 * kKiB}, {0x7c, CacheLevel::kL2, 1 * kMiB},
    {0x7d, CacheLevel::kL2, 2 * kMiB},   {0x7f, CacheLevel::kL2, 512 * kKiB},
    {0x80, CacheLevel::kL2, 512 * kKiB}, {0x82, CacheLevel::kL2, 256 * kKiB},
    {0x83, CacheLevel::kL2, 512 * kKiB}, {0x84, CacheLevel::kL2, 1 * kMiB},
    {0x85, CacheLevel::kL2, 2 * kMiB},   {0x86, CacheLevel::kL2, 512 * kKiB},
    {0x87, CacheLevel::kL2, 1 * kMiB},   {0xd0, CacheLevel::kL3, 512 * kKiB},
    {0xd1, CacheLevel::kL3, 1 * kMiB},   {0xd2, CacheLevel::kL3, 2 * kMiB},
    {0xd6, CacheLevel::kL3, 1 * kMiB},   {0xd7, CacheLevel::kL3, 2 * kMiB},
    {0xd8, CacheLevel::kL3, 4 * kMiB},   {0xdc, CacheLevel::kL3, 2 * kMiB},
    {0xdd, CacheLevel::kL3, 4 * kMiB},   {0xde, CacheLevel::kL3, 8 * kMiB},
    {0xe2, CacheLevel::kL3, 2 * kMiB},   {0xe3, CacheLevel::kL3, 4 * kMiB},
    {0xe4, CacheLevel::kL3, 8 * kMiB},   {0xea, CacheLevel::kL3, 12 * kMiB},
    {0xeb, CacheLevel::kL3, 18 * kMiB},  {0xec, CacheLevel::kL3, 24 * kMiB},
};

}  // namespace

absl::Span<const Leaf2Descriptor> AllLeaf2Descriptors() { return kDescriptors; }

const Leaf2Descriptor* FindLeaf2Descriptor(uint8_t byte) {
  const auto* row =
      std::lower_bound(std::begin(kDescriptors), std::end(kDescriptors), byte,
                       [](const Leaf2Descriptor& candidate, uint8_t wanted) {
                         return candidate.byte < wanted;
                       });
  if (row == std::end(kDescriptors) || row->byte != byte) return nullptr;
  return row;
}

}  // namespace advisor
