#include "advisor/host/process_door.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "advisor/host/child_process.h"

namespace advisor {
namespace {

std::string Name(int pid) { return absl::StrCat("process ", pid); }

absl::Status NotMapped(int pid, uint64_t address) {
  return absl::OutOfRangeError(
      absl::StrFormat("process %d: nothing is mapped at 0x%x", pid, address));
}

}  // namespace

absl::StatusOr<std::string> RealProcessDoor::Executable(int pid) const {
  char target[PATH_MAX];
  const ssize_t length = readlink(absl::StrCat("/proc/", pid, "/exe").c_str(),
                                  target, sizeof(target));
  if (length < 0) return absl::ErrnoToStatus(errno, Name(pid));
  // Replaced by an update while it runs.
  return std::string(
      absl::StripSuffix(absl::string_view(target, length), " (deleted)"));
}

absl::StatusOr<std::string> RealProcessDoor::ReadMemory(int pid,
                                                        uint64_t address,
                                                        size_t length) const {
  std::string bytes(length, '\0');
  const iovec local = {bytes.data(), length};
  const iovec remote = {reinterpret_cast<void*>(address), length};
  const ssize_t got = process_vm_readv(pid, &local, 1, &remote, 1, 0);
  if (got < 0 && errno == EFAULT) return NotMapped(pid, address);
  if (got < 0 && errno == ESRCH) {
    return absl::NotFoundError(absl::StrCat(Name(pid), ": no such process"));
  }
  if (got < 0) return absl::ErrnoToStatus(errno, Name(pid));
  if (static_cast<size_t>(got) != length) return NotMapped(pid, address + got);
  return bytes;
}

namespace {

// In the child, after fork: async-signal-safe calls only.
[[noreturn]] void StartTraced(char* const* argv, char* const* environment) {
  const int null = open("/dev/null", O_RDWR);
  if (null >= 0) {
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
  }
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0) {
    execve(argv[0], argv, environment);
  }
  _exit(127);
}

// Killed and reaped, at the latest here.
class TracedChild {
 public:
  TracedChild(pid_t pid, absl::Time deadline)
      : pid_(pid), deadline_(deadline) {}
  TracedChild(const TracedChild&) = delete;
  ~TracedChild() {
    if (!is_gone_) {
      kill(pid_, SIGKILL);
      // A process that stops at its exit takes no signal any more.
      ptrace(PTRACE_CONT, pid_, nullptr, nullptr);
      int status;
      while (waitpid(pid_, &status, __WALL) == pid_ && WIFSTOPPED(status)) {
        ptrace(PTRACE_CONT, pid_, nullptr, nullptr);
      }
    }
  }

  // The next stop or end.
  absl::StatusOr<int> Wait() {
    while (true) {
      int status;
      const pid_t pid = waitpid(pid_, &status, WNOHANG | __WALL);
      if (pid < 0 && errno != EINTR) {
        return absl::ErrnoToStatus(errno, Name(pid_));
      }
      if (pid == pid_) {
        is_gone_ = WIFEXITED(status) || WIFSIGNALED(status);
        return status;
      }
      if (absl::Now() > deadline_) {
        return absl::DeadlineExceededError(
            absl::StrCat(Name(pid_), ": did not end in time"));
      }
      absl::SleepFor(absl::Milliseconds(1));
    }
  }

 private:
  const pid_t pid_;
  const absl::Time deadline_;
  bool is_gone_ = false;
};

bool IsExitEvent(int status) {
  return status >> 8 == (SIGTRAP | (PTRACE_EVENT_EXIT << 8));
}

}  // namespace

absl::Status RealProcessDoor::RunToExit(
    const Command& command,
    const std::function<absl::Status(int pid)>& at_exit) const {
  const std::vector<char*> argv = CStrings(command.argv);
  const std::vector<char*> environment =
      CStrings(command.environment.entries());
  const pid_t pid = fork();
  if (pid < 0) return absl::ErrnoToStatus(errno, command.argv[0]);
  if (pid == 0) StartTraced(argv.data(), environment.data());

  TracedChild child(pid, absl::Now() + command.time_limit);
  absl::StatusOr<int> status = child.Wait();
  if (!status.ok()) return status.status();
  // The stop at the start of the program.
  if (!WIFSTOPPED(*status)) {
    return absl::PermissionDeniedError(
        absl::StrCat(command.argv[0], ": cannot be traced, or not be started"));
  }
  if (ptrace(PTRACE_SETOPTIONS, pid, nullptr,
             PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL) != 0) {
    return absl::ErrnoToStatus(errno, command.argv[0]);
  }
  int signal = 0;
  while (true) {
    if (ptrace(PTRACE_CONT, pid, nullptr, signal) != 0) {
      return absl::ErrnoToStatus(errno, command.argv[0]);
    }
    status = child.Wait();
    if (!status.ok()) return status.status();
    if (!WIFSTOPPED(*status)) {
      return absl::InternalError(
          absl::StrCat(command.argv[0], ": ended before its exit"));
    }
    if (IsExitEvent(*status)) break;
    signal = WSTOPSIG(*status) == SIGTRAP ? 0 : WSTOPSIG(*status);
  }
  unsigned long exit_status = 0;  // NOLINT: ptrace's type.
  if (ptrace(PTRACE_GETEVENTMSG, pid, nullptr, &exit_status) == 0 &&
      WIFSIGNALED(static_cast<int>(exit_status))) {
    return absl::InternalError(
        absl::StrCat(command.argv[0], ": killed by signal ",
                     WTERMSIG(static_cast<int>(exit_status))));
  }
  return at_exit(pid);
}

absl::StatusOr<std::string> FakeProcessDoor::Executable(int pid) const {
  const auto executable = executables_.find(pid);
  if (executable == executables_.end()) {
    return absl::NotFoundError(Name(pid));
  }
  return executable->second;
}

absl::StatusOr<std::string> FakeProcessDoor::ReadMemory(int pid,
                                                        uint64_t address,
                                                        size_t length) const {
  if (refused_.count(pid) > 0) {
    return absl::PermissionDeniedError(Name(pid));
  }
  for (const auto& [place, bytes] : memory_) {
    if (place.first != pid || address < place.second) continue;
    const uint64_t offset = address - place.second;
    if (offset + length <= bytes.size()) return bytes.substr(offset, length);
  }
  return NotMapped(pid, address);
}

absl::Status FakeProcessDoor::RunToExit(
    const Command& command,
    const std::function<absl::Status(int pid)>& at_exit) const {
  if (run_ == nullptr) {
    return absl::PermissionDeniedError(command.argv[0]);
  }
  const absl::StatusOr<int> pid = run_(command);
  if (!pid.ok()) return pid.status();
  return at_exit(*pid);
}

}  // namespace advisor
