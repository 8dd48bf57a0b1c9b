#include "kernels/benchmark_regime.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/status/statusor.h"

namespace kernels {
namespace {

constexpr size_t kPage = 4096;
// Operands that are not to alias differ by this, mod 4096.
constexpr ptrdiff_t kApart = 2048;
constexpr size_t kMiB = size_t{1} << 20;

size_t RoundUp(size_t value) { return (value + kPage - 1) / kPage * kPage; }

size_t CacheSize(int name, size_t otherwise) {
  const long size = sysconf(name);
  return size > 0 ? static_cast<size_t>(size) : otherwise;
}

// The members of `sizes` of which `working_set` holds at least two calls.
std::vector<size_t> SizesWithin(size_t working_set, std::vector<size_t> sizes) {
  sizes.erase(
      std::remove_if(sizes.begin(), sizes.end(),
                     [&](size_t size) { return 4 * size > working_set; }),
      sizes.end());
  return sizes;
}

}  // namespace

CacheSizes CacheSizesOfThisMachine() {
  return {CacheSize(_SC_LEVEL1_DCACHE_SIZE, 32 << 10),
          CacheSize(_SC_LEVEL2_CACHE_SIZE, kMiB),
          CacheSize(_SC_LEVEL3_CACHE_SIZE, 32 * kMiB)};
}

std::vector<BenchmarkRegime> BenchmarkRegimes(const CacheSizes& caches) {
  const size_t l1 = caches.l1 / 2;
  const size_t l2 = caches.l2 / 2;
  const size_t l3 = std::min(4 * caches.l2, caches.l3 / 2);
  const size_t dram = std::clamp(2 * caches.l3, 64 * kMiB, 512 * kMiB);
  const std::vector<size_t> middle = {256, 1024, 4096, 16384, 65536, 262144};
  return {
      {"L1", SizesWithin(2 * l1, {16, 64, 256, 1024, 4096, 16384}), 0, false,
       kApart, true},
      {"L2", SizesWithin(l2, {4096, 16384, 65536, 262144}), l2, false, kApart,
       true},
      {"L3", SizesWithin(l3, {16384, 65536, 262144, kMiB}), l3, false, kApart,
       true},
      {"DRAM", SizesWithin(dram, {262144, kMiB, 8 * kMiB, 32 * kMiB}), dram,
       false, kApart, true},
      {"misaligned", middle, 0, false, kApart + 17, true},
      {"alias_4k", middle, 0, false, 64, false},
      {"overlap_forward", middle, 0, true, -1, false},
      {"overlap_backward", middle, 0, true, 1, false},
  };
}

std::vector<BufferPair> MakeOperands(const BenchmarkRegime& regime, size_t size,
                                     ArenaPool& pool) {
  const size_t count =
      regime.working_set == 0
          ? 1
          : std::max<size_t>(2, regime.working_set / (2 * size));
  // A page behind each operand leaves room for its offset.
  const size_t side = RoundUp(size) + kPage;
  const absl::StatusOr<char*> memory = pool.Get(2 * side * count);
  if (!memory.ok()) {
    std::fprintf(stderr, "%s\n",
                 std::string(memory.status().message()).c_str());
    std::abort();
  }
  std::vector<BufferPair> pairs;
  for (size_t i = 0; i < count; ++i) {
    char* const slot = *memory + 2 * side * i;
    if (regime.overlap) {
      const ptrdiff_t distance = size / 4 * regime.destination_offset;
      char* const source = slot + (distance < 0 ? -distance : 0);
      pairs.push_back({source + distance, source});
    } else {
      pairs.push_back({slot + side + regime.destination_offset, slot});
    }
  }
  return pairs;
}

}  // namespace kernels
