// Where the operands of a benchmark's calls lie.

#ifndef KERNELS_BENCHMARK_REGIME_H_
#define KERNELS_BENCHMARK_REGIME_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "kernels/measure/buffers.h"

namespace kernels {

// Bytes of the caches, as the C library tells them, or as flags override them.
struct CacheSizes {
  size_t l1;
  size_t l2;
  size_t l3;
};

// From sysconf(3); a cache that it does not tell counts as 32 KiB, 1 MiB,
// 32 MiB (guests often hide them).
CacheSizes CacheSizesOfThisMachine();

struct BenchmarkRegime {
  absl::string_view name;
  std::vector<size_t> sizes;
  // Bytes that the calls touch in turn, reading and writing together; 0: the
  // same two buffers for each call.
  size_t working_set;
  // Both operands in one buffer.
  bool overlap;
  // Where the destination of a call starts: bytes past the source in a buffer
  // of both, otherwise past the start of a page (sources start one). A quarter
  // of the size in overlapping calls, with this sign.
  ptrdiff_t destination_offset;
  // For memset too (which has no source).
  bool for_memset;
};

// In the order of reports:
//
//   L1, L2, L3, DRAM    the working set is half of L1d; half of L2; 4 times L2
//                       up to half of L3; twice L3, 64 MiB to 512 MiB
//   misaligned          destination 17 bytes past a line; the same buffers
//   alias_4k            destination 64 bytes past the source, mod 4096
//   overlap_forward     destination a quarter of the size below the source
//   overlap_backward    ... above it
std::vector<BenchmarkRegime> BenchmarkRegimes(const CacheSizes& caches);

// Operands for calls of `size` bytes, to be used in turn, in the pool's memory.
// Every page was written. Aborts with a message when there is no memory.
std::vector<BufferPair> MakeOperands(const BenchmarkRegime& regime, size_t size,
                                     ArenaPool& pool);

}  // namespace kernels

#endif  // KERNELS_BENCHMARK_REGIME_H_
