// Which checks are made of changed variants, and in which order.
//
// A first look goes through all variants, a second one makes more calls of the
// code that most of them share. What takes the least time comes first, so that
// most faults are found at once.

#ifndef GLIBC_PATCHES_CHECK_PLAN_H_
#define GLIBC_PATCHES_CHECK_PLAN_H_

#include <vector>

#include "glibc_patches/checks/check.h"
#include "glibc_patches/checks/runner.h"
#include "kernels/variant.h"

namespace glibc_patches {

// All checks in the quick effort. Of a variant that is not `representative` of
// its source file (speed_plan.h: it runs the same code but for some
// instructions at its entry), the slowest ones are left out or make fewer
// calls.
std::vector<PlannedCheck> FirstLook(const kernels::Variant& variant,
                                    bool representative);

// The checks to which more calls can tell more, in the normal effort.
std::vector<PlannedCheck> SecondLook(const kernels::Variant& variant);

// All checks in the thorough effort.
std::vector<PlannedCheck> ThoroughLook(const kernels::Variant& variant);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_CHECK_PLAN_H_
