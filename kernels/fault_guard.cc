#include "kernels/fault_guard.h"

#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

#include <cstring>

namespace kernels {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL};

sigjmp_buf escape;
Fault caught;

// Takes the place of `xtest`: ZF set says "not in a transaction"; the other
// status flags are cleared (Intel SDM volume 2C, XTEST).
bool AnswerXtest(ucontext_t& context) {
  greg_t* registers = context.uc_mcontext.gregs;
  const auto* code = reinterpret_cast<const void*>(registers[REG_RIP]);
  constexpr unsigned char kXtest[] = {0x0f, 0x01, 0xd6};
  if (std::memcmp(code, kXtest, sizeof(kXtest)) != 0) return false;
  constexpr greg_t kZero = 1 << 6;
  constexpr greg_t kOthers = 1 << 0 | 1 << 2 | 1 << 4 | 1 << 7 | 1 << 11;
  registers[REG_EFL] = (registers[REG_EFL] & ~kOthers) | kZero;
  registers[REG_RIP] += sizeof(kXtest);
  return true;
}

void Handle(int signal, siginfo_t* info, void* context) {
  if (signal == SIGILL && AnswerXtest(*static_cast<ucontext_t*>(context))) {
    return;
  }
  caught = {signal, reinterpret_cast<uintptr_t>(info->si_addr)};
  siglongjmp(escape, 1);
}

}  // namespace

std::optional<Fault> RunGuarded(absl::FunctionRef<void()> body) {
  struct sigaction action = {};
  action.sa_sigaction = Handle;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  static struct sigaction before[3];
  for (int i = 0; i < 3; ++i) sigaction(kSignals[i], &action, &before[i]);
  // The mask is restored with the jump, so that the next fault is caught too.
  volatile bool faulted = true;
  if (sigsetjmp(escape, /*savemask=*/1) == 0) {
    body();
    faulted = false;
  }
  for (int i = 0; i < 3; ++i) sigaction(kSignals[i], &before[i], nullptr);
  if (faulted) return caught;
  return std::nullopt;
}

}  // namespace kernels
