// What values of the threshold code the memory functions cannot work with.

#ifndef GLIBC_PATCHES_THRESHOLDS_FAULT_H_
#define GLIBC_PATCHES_THRESHOLDS_FAULT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "advisor/cpu/cpuid_source.h"
#include "glibc_patches/thresholds/probe.h"

namespace glibc_patches {

enum class FaultKind {
  kCrash,
  kHang,
  // The paged copy writes outside of its destination: floor of
  // non_temporal_threshold and rep_movsb_stop_threshold. Source:
  // advisor/glibc/copy_path.h.
  kPagedCopyCorrupts,
  // Nearly every copy bypasses the caches (releases without a paged copy).
  kNonTemporalTooLow,
  // Kernels multiply it by 16; ceiling 0x0fffffffffffffff.
  kNonTemporalTooHigh,
  // rep_movsb_threshold must exceed 8 vectors (sysdeps/x86/dl-cacheinfo.h).
  kRepMovsbTooLow,
  // Below 1 (sysdeps/x86/dl-tunables.list).
  kRepStosbTooLow,
  // Its loop needs 16 pages' room and alignment, as memmove's: floor 0x4040.
  kMemsetNonTemporalTooLow,
  // Variants divide their work by data_cache_size and shared_cache_size.
  kCacheSizeNotPositive,
  // The selected variant has instructions that the CPU lacks.
  kFeatureMissing,
};

struct Fault {
  FaultKind kind;
  // "copies of 257 to 16447 bytes corrupt memory: non_temporal_threshold is 0".
  std::string what;
};

// All faults of a run on `cpu`. `release` is the tree's ("2.36"); its branch
// counts too, for a packaged tree may have that code.
std::vector<Fault> FaultsOf(const ProbeRun& run,
                            const advisor::CpuidSource& cpu,
                            absl::string_view release);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_THRESHOLDS_FAULT_H_
