// The benchmark of one function: a row for each variant that this CPU can run,
// and one for the running libc's own, in each regime and size:
// "memmove/__memmove_evex_unaligned_erms/L1/4096", "memmove/libc_memcpy/...".

#ifndef KERNELS_MEMORY_BENCHMARK_H_
#define KERNELS_MEMORY_BENCHMARK_H_

#include "kernels/variant.h"

namespace kernels {

// The whole of main(): Google Benchmark's flags (--benchmark_filter, ...), and
// ours (--helpshort). Variants run under the running libc's thresholds unless
// flags say otherwise. Returns main's exit status: 1 when nothing ran.
int RunMemoryBenchmark(Function function, int argc, char** argv);

}  // namespace kernels

#endif  // KERNELS_MEMORY_BENCHMARK_H_
