// Runs code that may touch what it must not.

#ifndef KERNELS_FAULT_GUARD_H_
#define KERNELS_FAULT_GUARD_H_

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"

namespace kernels {

struct Fault {
  int signal;
  // What was touched (SIGSEGV, SIGBUS) or the instruction (SIGILL).
  uintptr_t address;
};

// Runs `body` to its end, or to the first SIGSEGV, SIGBUS or SIGILL, at which
// it is left for good: no destructor in it runs. An `xtest` that the CPU does
// not know is no fault (xtest.h).
// Not for several threads at once, and not inside itself.
std::optional<Fault> RunGuarded(absl::FunctionRef<void()> body);

}  // namespace kernels

#endif  // KERNELS_FAULT_GUARD_H_
