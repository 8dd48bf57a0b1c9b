// Which checks are made of changed variants, and in which order.

#ifndef GLIBC_PATCHES_CHECK_PLAN_H_
#define GLIBC_PATCHES_CHECK_PLAN_H_

#include <vector>

#include "absl/types/span.h"
#include "glibc_patches/checks/check.h"
#include "glibc_patches/checks/runner.h"
#include "kernels/variant.h"

namespace glibc_patches {

// All checks of all variants, in the order of the variants; of one variant
// those that take the least time first, so that most faults are found at once.
std::vector<PlannedCheck> PlanChecks(
    absl::Span<const kernels::Variant* const> variants, Effort effort);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_CHECK_PLAN_H_
