// Measures a base against a patched tree on this machine.

#ifndef GLIBC_PATCHES_SPEED_RUN_H_
#define GLIBC_PATCHES_SPEED_RUN_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "advisor/cpu/cpuid_source.h"
#include "glibc_patches/validation.h"
#include "glibc_patches/verdict.h"
#include "kernels/variant.h"

namespace glibc_patches {

// Plans and measures `variants`, which both trees have, and fills in what
// `verdict` says of speed, but for its seconds. `thresholds` are those that
// glibc computes here. Its workers are this program (kMeasurementWorker).
absl::Status MeasurePatch(absl::Span<const kernels::Variant* const> variants,
                          const kernels::KernelParameters& thresholds,
                          const advisor::CpuidSource& cpu,
                          const ValidationInput& input,
                          const ValidationDoors& doors, Verdict& verdict);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_SPEED_RUN_H_
