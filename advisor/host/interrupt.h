// Ctrl-C and SIGTERM as a question that long work asks now and then, so that
// it can stop cleanly: children ended, files whole, the terminal's line closed.

#ifndef ADVISOR_HOST_INTERRUPT_H_
#define ADVISOR_HOST_INTERRUPT_H_

#include <optional>

namespace advisor {

// From now on the first SIGINT, SIGTERM or SIGHUP is only remembered; a second
// one of the same kind ends the process at once. A signal that was ignored at
// the start (nohup) stays ignored. For main(), once.
void InstallInterruptHandler();

// The signal that asked this process to stop. RealSubprocess asks too: it kills
// the running child's process group and returns Cancelled.
std::optional<int> Interrupted();

// The exit status that shells give to a process that a signal ended.
constexpr int ExitStatusOfSignal(int signal) { return 128 + signal; }

}  // namespace advisor

#endif  // ADVISOR_HOST_INTERRUPT_H_
