// Runs one call of a variant instruction by instruction and looks at each
// memory operand before it is used.

#ifndef GLIBC_PATCHES_CHECKS_STEPPER_H_
#define GLIBC_PATCHES_CHECKS_STEPPER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "glibc_patches/checks/world.h"
#include "kernels/variant.h"

namespace glibc_patches {

struct SteppedCall {
  // The first access outside what the call may touch.
  std::optional<std::string> wrong;
  int64_t instructions = 0;
};

// The variant may read the source (memset: nothing) and write the destination.
// The ssse3 variants may also read the rest of an aligned 16 bytes that hold a
// byte of the source: they shift together what aligned loads bring, and such a
// load leaves no page that the source is not in.
// outside the world it may read what it wants and write its stack. Of masked
// accesses only enabled elements count; prefetches do not. A rep string
// instruction counts as one instruction. nullopt when the kernel refuses to
// make code writable. Only in a child of the runner.
std::optional<SteppedCall> CallStepped(const kernels::Variant& variant,
                                       const PlacedCall& call);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_CHECKS_STEPPER_H_
