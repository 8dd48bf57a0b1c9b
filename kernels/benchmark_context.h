// What a benchmark's figures depend on, for the head of its output.

#ifndef KERNELS_BENCHMARK_CONTEXT_H_
#define KERNELS_BENCHMARK_CONTEXT_H_

#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "kernels/benchmark_regime.h"
#include "kernels/variant.h"

namespace kernels {

// The thresholds in the output of `ld.so --list-tunables` (2.33 and later);
// fields that it lacks are nullopt.
KernelParameters ParametersFromListing(absl::string_view listing);

// What the running libc goes by: its loader's listing, and from that, where no
// tunable tells, rep_movsb_stop_threshold (the non-temporal threshold; L2 on an
// AMD before 2.40) and string_control (1 on an Intel with FSRM), as
// sysdeps/x86/dl-cacheinfo.h derives them from 2.36 on. All nullopt when the
// loader lists nothing.
KernelParameters ParametersOfRunningLibc();

// Names and values for benchmark::AddCustomContext: CPU and hypervisor, kernel,
// libc, trees with their thresholds, GLIBC_TUNABLES, working sets.
std::map<std::string, std::string> BenchmarkContext(const CacheSizes& caches);

}  // namespace kernels

#endif  // KERNELS_BENCHMARK_CONTEXT_H_
