// What a check may do about signals in its child before they end it.

#ifndef GLIBC_PATCHES_CHECKS_FAULT_HOOKS_H_
#define GLIBC_PATCHES_CHECKS_FAULT_HOOKS_H_

#include <signal.h>
#include <ucontext.h>

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"

namespace glibc_patches {

// Sees a SIGTRAP first, in the signal handler; true when it was the handler's
// own and the code can go on. For checks that plant breakpoints or step.
using TrapHandler = bool (*)(ucontext_t& context);
void SetTrapHandler(TrapHandler handler);

// What a planted breakpoint is: int3, one byte, behind which the trap finds the
// instruction pointer.
inline constexpr unsigned char kBreakpoint = 0xcc;
// Before any byte of code is changed; false when the kernel refuses.
bool MakeCodeWritable(uint64_t address);
void PutCodeByte(uint64_t address, unsigned char byte);

struct ExpectedFault {
  int signal;
  // What was touched (SIGSEGV, SIGBUS), else the instruction.
  uint64_t address;
  uint64_t instruction;
};

// Runs `body`; nullopt when it came to its end. It is left for good, without
// destructors, at the first SIGSEGV, SIGBUS or SIGILL.
std::optional<ExpectedFault> RunToFault(absl::FunctionRef<void()> body);

// For the child's signal handler: does not come back when a RunToFault() is
// active.
void LeaveExpectedFault(int signal, const siginfo_t& info,
                        const ucontext_t& context);
// nullptr when there is none.
TrapHandler CurrentTrapHandler();

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_CHECKS_FAULT_HOOKS_H_
