#include "glibc_patches/checks/fault_hooks.h"

#include <setjmp.h>
#include <sys/mman.h>

namespace glibc_patches {
namespace {

TrapHandler trap_handler = nullptr;
volatile bool fault_is_expected = false;
sigjmp_buf escape;
ExpectedFault caught;

}  // namespace

void SetTrapHandler(TrapHandler handler) { trap_handler = handler; }

TrapHandler CurrentTrapHandler() { return trap_handler; }

std::optional<ExpectedFault> RunToFault(absl::FunctionRef<void()> body) {
  fault_is_expected = true;
  // The mask is restored with the jump, so that the next fault is caught too.
  if (sigsetjmp(escape, /*savemask=*/1) != 0) return caught;
  body();
  fault_is_expected = false;
  return std::nullopt;
}

void LeaveExpectedFault(int signal, const siginfo_t& info,
                        const ucontext_t& context) {
  if (!fault_is_expected ||
      (signal != SIGSEGV && signal != SIGBUS && signal != SIGILL)) {
    return;
  }
  fault_is_expected = false;
  caught = {signal, reinterpret_cast<uintptr_t>(info.si_addr),
            static_cast<uint64_t>(context.uc_mcontext.gregs[REG_RIP])};
  siglongjmp(escape, 1);
}

bool MakeCodeWritable(uint64_t address) {
  constexpr uint64_t kPage = 4096;
  return mprotect(reinterpret_cast<void*>(address / kPage * kPage), kPage,
                  PROT_READ | PROT_WRITE | PROT_EXEC) == 0;
}

void PutCodeByte(uint64_t address, unsigned char byte) {
  *reinterpret_cast<volatile unsigned char*>(address) = byte;
}

}  // namespace glibc_patches
