// Makes the call of a finding smaller.

#ifndef GLIBC_PATCHES_CHECKS_SHRINK_H_
#define GLIBC_PATCHES_CHECKS_SHRINK_H_

#include <string>

#include "glibc_patches/checks/check.h"
#include "glibc_patches/checks/runner.h"
#include "glibc_patches/checks/world.h"

namespace glibc_patches {

struct SmallestCall {
  PlacedCall call;
  // What that call did wrong.
  std::string what;
};

// Tries smaller sizes, rounder offsets and plainer thresholds, each in a child
// of its own, as long as limits.shrinking allows. `what` is wrong with `call`;
// both are given back when the call alone does not show it again (then `what`
// says so).
SmallestCall Shrink(const CheckRow& row, const CheckContext& context,
                    const RunLimits& limits, const PlacedCall& call,
                    std::string what);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_CHECKS_SHRINK_H_
