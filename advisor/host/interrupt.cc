#include "advisor/host/interrupt.h"

#include <signal.h>

#include <atomic>

namespace advisor {
namespace {

std::atomic<int> received_signal{0};
static_assert(std::atomic<int>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

void Remember(int signal) { received_signal.store(signal); }

}  // namespace

void InstallInterruptHandler() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction previous;
    if (sigaction(signal, nullptr, &previous) == 0 &&
        previous.sa_handler == SIG_IGN) {
      continue;
    }
    struct sigaction action = {};
    action.sa_handler = &Remember;
    // No SA_RESTART: a blocking call returns, and its caller asks.
    action.sa_flags = SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
}

std::optional<int> Interrupted() {
  const int signal = received_signal.load();
  if (signal == 0) return std::nullopt;
  return signal;
}

}  // namespace advisor
