#include "advisor/host/process_door.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "advisor/host/child_process.h"
#include "advisor/host/interrupt.h"

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

bool IsExitEvent(int status) {
  return status >> 8 == (SIGTRAP | (PTRACE_EVENT_EXIT << 8));
}

// The next stop or end.
absl::StatusOr<int> NextChange(ChildProcess& child, const Command& command,
                               const Watchdog& watchdog) {
  while (true) {
    const absl::StatusOr<int> status = child.WaitForChange();
    if (watchdog.fired()) {
      return absl::DeadlineExceededError(
          absl::StrCat(command.argv[0], ": did not end within ",
                       absl::FormatDuration(command.time_limit)));
    }
    if (const std::optional<int> signal = Interrupted()) {
      return absl::CancelledError(
          absl::StrCat(command.argv[0], ": interrupted by signal ", *signal));
    }
    if (!absl::IsUnavailable(status.status())) return status;
  }
}

// From the stop at the start of the program to that at its exit.
absl::Status FollowToExit(ChildProcess& child, const Command& command) {
  const Watchdog watchdog(child.pid(), command.time_limit);
  absl::StatusOr<int> status = NextChange(child, command, watchdog);
  if (!status.ok()) return status.status();
  const pid_t pid = child.pid();
  if (ptrace(PTRACE_SETOPTIONS, pid, nullptr,
             PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL) != 0) {
    return absl::ErrnoToStatus(errno, command.argv[0]);
  }
  int signal = 0;
  while (true) {
    if (ptrace(PTRACE_CONT, pid, nullptr, signal) != 0) {
      return absl::ErrnoToStatus(errno, command.argv[0]);
    }
    status = NextChange(child, command, watchdog);
    if (!status.ok()) return status.status();
    if (!WIFSTOPPED(*status)) {
      return absl::FailedPreconditionError(
          absl::StrCat(command.argv[0], ": ended before its exit"));
    }
    if (IsExitEvent(*status)) break;
    signal = WSTOPSIG(*status) == SIGTRAP ? 0 : WSTOPSIG(*status);
  }
  unsigned long exit_status = 0;  // NOLINT: ptrace's type.
  if (ptrace(PTRACE_GETEVENTMSG, pid, nullptr, &exit_status) == 0 &&
      WIFSIGNALED(static_cast<int>(exit_status))) {
    return absl::FailedPreconditionError(
        absl::StrCat(command.argv[0], ": killed by signal ",
                     WTERMSIG(static_cast<int>(exit_status))));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RealProcessDoor::RunToExit(
    const Command& command,
    const std::function<absl::Status(int pid)>& at_exit) const {
  ChildOptions options;
  options.cpu_time = CpuTimeWithin(command.time_limit);
  options.traced = true;
  absl::StatusOr<ChildProcess> child = StartProcess(command, options);
  if (absl::IsUnavailable(child.status())) {
    return absl::PermissionDeniedError(absl::StrCat(
        command.argv[0], ": cannot be traced: ", child.status().message()));
  }
  if (!child.ok()) return child.status();
  if (absl::Status status = FollowToExit(*child, command); !status.ok()) {
    return status;
  }
  return at_exit(child->pid());
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
