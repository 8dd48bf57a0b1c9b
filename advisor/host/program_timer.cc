#include "advisor/host/program_timer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "advisor/host/child_process.h"
#include "advisor/host/clock.h"
#include "advisor/host/interrupt.h"

namespace advisor {
namespace {

// In the child, after fork: async-signal-safe calls only.
[[noreturn]] void BecomeProgram(char* const* argv, char* const* environment,
                                int tell) {
  const int null = open("/dev/null", O_RDWR);
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (null >= 0 && dup2(null, 0) >= 0 && dup2(null, 1) >= 0 &&
      dup2(null, 2) >= 0 && setpgid(0, 0) == 0 &&
      prctl(PR_SET_PDEATHSIG, SIGKILL) == 0) {
    execve(argv[0], argv, environment);
  }
  const int error = errno;
  while (write(tell, &error, sizeof(error)) < 0 && errno == EINTR) {
  }
  _exit(127);
}

// Waits for the end of the process, at most so long. True: it has ended.
bool HasEndedWithin(pid_t pid, int pid_fd, int milliseconds) {
  if (pid_fd >= 0) {
    pollfd end = {pid_fd, POLLIN, 0};
    return poll(&end, 1, milliseconds) > 0;
  }
  // Linux before 5.3: short sleeps, by which the time is too long.
  absl::SleepFor(absl::Milliseconds(1));
  siginfo_t info = {};
  return waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid;
}

}  // namespace

absl::StatusOr<TimedRun> RealProgramTimer::Run(const Command& command) const {
  const std::vector<char*> argv = CStrings(command.argv);
  const std::vector<char*> environment =
      CStrings(command.environment.entries());
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  const absl::Cleanup close_told = [&ends] { close(ends[0]); };
  const absl::Duration start = RealClock().Monotonic();
  const pid_t pid = fork();
  const int fork_error = errno;
  if (pid == 0) BecomeProgram(argv.data(), environment.data(), ends[1]);
  close(ends[1]);
  if (pid < 0) return absl::ErrnoToStatus(fork_error, command.argv[0]);
  int error = 0;
  ssize_t got;
  do {
    got = read(ends[0], &error, sizeof(error));
  } while (got < 0 && errno == EINTR);
  if (got == sizeof(error)) {
    waitpid(pid, nullptr, 0);
    return absl::ErrnoToStatus(error, command.argv[0]);
  }

  // -1 before Linux 5.3.
  const int pid_fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  const absl::Cleanup close_pid_fd = [pid_fd] {
    if (pid_fd >= 0) close(pid_fd);
  };
  absl::Status failure;
  while (!HasEndedWithin(pid, pid_fd, 100)) {
    if (Interrupted().has_value()) {
      failure = absl::CancelledError("interrupted");
    } else if (RealClock().Monotonic() - start > command.time_limit) {
      failure = absl::DeadlineExceededError(
          absl::StrCat(command.argv[0], ": took more than ",
                       absl::FormatDuration(command.time_limit)));
    } else {
      continue;
    }
    kill(-pid, SIGKILL);
    break;
  }
  const absl::Duration end = RealClock().Monotonic();
  int status = 0;
  struct rusage usage = {};
  while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  kill(-pid, SIGKILL);  // What it left behind.
  if (!failure.ok()) return failure;
  TimedRun run;
  if (WIFEXITED(status)) run.exit_status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) run.signal = WTERMSIG(status);
  run.wall = end - start;
  run.cpu = absl::DurationFromTimeval(usage.ru_utime) +
            absl::DurationFromTimeval(usage.ru_stime);
  return run;
}

}  // namespace advisor
