#include "kernels/fault_guard.h"

#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

#include "kernels/xtest.h"

namespace kernels {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL};

sigjmp_buf escape;
Fault caught;

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
