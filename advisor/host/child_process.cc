#include "advisor/host/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace advisor {
namespace {

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

absl::StatusOr<Pipe> MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

struct CpuSet {
  size_t bytes;
  std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set;
};

CpuSet OnlyCpu(int cpu) {
  const size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
  CpuSet result{bytes,
                {CPU_ALLOC(cpu + 1), [](cpu_set_t* set) { CPU_FREE(set); }}};
  CPU_ZERO_S(bytes, result.set.get());
  CPU_SET_S(cpu, bytes, result.set.get());
  return result;
}

// What the child tells before it becomes the program.
struct StartError {
  enum Step : int { kSetUp, kCpu, kTrace, kExec };
  Step step;
  int error;
};

// All that the child needs, made before fork: after it, in a process that may
// have had threads, only async-signal-safe calls are allowed.
struct ChildPlan {
  const char* path;
  char* const* argv;
  char* const* environment;
  const CpuSet* cpus;
  pid_t parent;
  const ChildOptions* options;
  rlim_t file_bytes;
  rlim_t cpu_seconds;
  int start_error;
};

[[noreturn]] void TellAndExit(int fd, StartError::Step step) {
  const StartError message{step, errno};
  while (write(fd, &message, sizeof(message)) < 0 && errno == EINTR) {
  }
  _exit(127);
}

void CloseAllAbove(int last_kept) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, last_kept + 1, ~0U, 0) == 0) return;
#endif
  // Linux before 5.9.
  struct rlimit limit;
  constexpr rlim_t kMaxTried = 1 << 16;
  const int end = getrlimit(RLIMIT_NOFILE, &limit) == 0
                      ? static_cast<int>(std::min(limit.rlim_cur, kMaxTried))
                      : static_cast<int>(kMaxTried);
  for (int fd = last_kept + 1; fd < end; ++fd) close(fd);
}

void ResetSignals() {
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

void Limit(__rlimit_resource resource, rlim_t most) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0) return;
  limit.rlim_max = std::min(limit.rlim_max, most);
  limit.rlim_cur = std::min(limit.rlim_cur, limit.rlim_max);
  setrlimit(resource, &limit);
}

// A copy of `fd`, out of the way of 0 to 3: this process may have been started
// without some of them. -1 on an error.
int MovedUp(int fd, int least) {
  if (fd >= 0) return fcntl(fd, F_DUPFD, least);
  const int null = open("/dev/null", O_RDWR);
  return null < 0 || null >= least ? null : fcntl(null, F_DUPFD, least);
}

[[noreturn]] void Execute(const ChildPlan& plan, int start_error) {
  execve(plan.path, plan.argv, plan.environment);
  TellAndExit(start_error, StartError::kExec);
}

[[noreturn]] void BecomeProgram(const ChildPlan& plan) {
  constexpr int kStartErrorFd = 3;
  const ChildOptions& options = *plan.options;
  if (options.in_place) Execute(plan, plan.start_error);
  const int out = MovedUp(options.standard_output, kStartErrorFd + 1);
  const int err = MovedUp(options.standard_error, kStartErrorFd + 1);
  const int tell = MovedUp(plan.start_error, kStartErrorFd + 1);
  const int in = MovedUp(options.standard_input, kStartErrorFd + 1);
  if (out < 0 || err < 0 || tell < 0 || in < 0) {
    TellAndExit(plan.start_error, StartError::kSetUp);
  }
  if (dup2(tell, kStartErrorFd) < 0 ||
      fcntl(kStartErrorFd, F_SETFD, FD_CLOEXEC) != 0 || dup2(in, 0) < 0 ||
      dup2(out, 1) < 0 || dup2(err, 2) < 0 || setpgid(0, 0) != 0 ||
      prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
    TellAndExit(tell, StartError::kSetUp);
  }
  CloseAllAbove(kStartErrorFd);
  // The parent may have died before the line above took effect.
  if (getppid() != plan.parent) _exit(127);
  Limit(RLIMIT_CORE, 0);
  Limit(RLIMIT_FSIZE, plan.file_bytes);
  Limit(RLIMIT_CPU, plan.cpu_seconds);
  ResetSignals();
  if (plan.cpus != nullptr &&
      sched_setaffinity(0, plan.cpus->bytes, plan.cpus->set.get()) != 0) {
    TellAndExit(kStartErrorFd, StartError::kCpu);
  }
  if (options.traced) {
    // A container may forbid it.
    personality(ADDR_NO_RANDOMIZE);
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) {
      TellAndExit(kStartErrorFd, StartError::kTrace);
    }
  }
  Execute(plan, kStartErrorFd);
}

rlim_t WholeSeconds(absl::Duration time) {
  if (time == absl::InfiniteDuration()) return RLIM_INFINITY;
  return static_cast<rlim_t>(absl::ToInt64Seconds(time)) + 1;
}

// OK when the child has become the program.
absl::Status ReadStart(int fd, const Command& command) {
  StartError message;
  ssize_t got;
  do {
    got = read(fd, &message, sizeof(message));
  } while (got < 0 && errno == EINTR);
  if (got == 0) return absl::OkStatus();
  if (got != sizeof(message)) return absl::ErrnoToStatus(errno, "read");
  switch (message.step) {
    case StartError::kCpu:
      return absl::ErrnoToStatus(
          message.error,
          absl::StrCat(command.argv[0], ": cannot run on CPU ", *command.cpu));
    case StartError::kTrace:
      return absl::UnavailableError(strerror(message.error));
    case StartError::kExec:
      return absl::ErrnoToStatus(message.error, command.argv[0]);
    case StartError::kSetUp:
      break;
  }
  return absl::ErrnoToStatus(
      message.error, absl::StrCat(command.argv[0], ": cannot be prepared"));
}

// -1 before Linux 5.3.
int PidDescriptor(pid_t pid) {
  return static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
}

}  // namespace

absl::Duration CpuTimeWithin(absl::Duration time) {
  return time * sysconf(_SC_NPROCESSORS_ONLN);
}

std::vector<char*> CStrings(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (const std::string& string : strings) {
    result.push_back(const_cast<char*>(string.c_str()));
  }
  result.push_back(nullptr);
  return result;
}

void Descriptor::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

bool ChildProcess::HasEnded() const {
  if (pid_ < 0) return true;
  siginfo_t info = {};
  return waitid(P_PID, pid_, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid_;
}

bool ChildProcess::EndsWithin(absl::Duration time) const {
  if (pid_ < 0) return true;
  const Descriptor process(PidDescriptor(pid_));
  if (process.is_open()) {
    pollfd end = {process.get(), POLLIN, 0};
    const struct timespec timeout = absl::ToTimespec(time);
    ppoll(&end, 1, &timeout, nullptr);
  } else {
    // Short sleeps, by which a measured time is too long.
    absl::SleepFor(std::min(time, absl::Milliseconds(1)));
  }
  return HasEnded();
}

absl::StatusOr<int> ChildProcess::WaitForChange() {
  if (pid_ < 0) return status_;
  if (wait4(pid_, &status_, __WALL, &usage_) < 0) {
    return absl::ErrnoToStatus(errno, "wait4");
  }
  if (WIFEXITED(status_) || WIFSIGNALED(status_)) pid_ = -1;
  return status_;
}

int ChildProcess::KillAndReap() {
  if (pid_ < 0) return status_;
  kill(-pid_, SIGKILL);
  // Before setpgid, or where the program left its group.
  kill(pid_, SIGKILL);
  // A traced one may have a stop to tell of first, and stands still at its exit
  // for all signals, where that is traced.
  while (pid_ >= 0) {
    ptrace(PTRACE_CONT, pid_, nullptr, nullptr);
    const absl::Status status = WaitForChange().status();
    if (!status.ok() && !absl::IsUnavailable(status)) break;
  }
  pid_ = -1;
  return status_;
}

Watchdog::Watchdog(pid_t pid, absl::Duration limit)
    : pid_(pid), process_(PidDescriptor(pid)), thread_([this, limit] {
        if (ended_.WaitForNotificationWithTimeout(limit)) return;
        fired_ = true;
        if (process_.is_open()) {
          syscall(SYS_pidfd_send_signal, process_.get(), SIGKILL, nullptr, 0);
        } else {
          kill(pid_, SIGKILL);
        }
      }) {}

Watchdog::~Watchdog() {
  ended_.Notify();
  thread_.join();
}

absl::StatusOr<ChildProcess> StartProcess(const Command& command,
                                          const ChildOptions& options) {
  if (command.argv.empty()) {
    return absl::InvalidArgumentError("a command without a program");
  }
  std::optional<CpuSet> cpus;
  if (command.cpu.has_value()) {
    if (*command.cpu < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(command.argv[0], ": no CPU ", *command.cpu));
    }
    cpus.emplace(OnlyCpu(*command.cpu));
  }
  absl::StatusOr<Pipe> start = MakePipe();
  if (!start.ok()) return start.status();
  const std::vector<char*> argv = CStrings(command.argv);
  const std::vector<char*> environment =
      CStrings(command.environment.entries());
  const ChildPlan plan{options.path != nullptr ? options.path : argv[0],
                       argv.data(),
                       environment.data(),
                       cpus.has_value() ? &*cpus : nullptr,
                       getpid(),
                       &options,
                       command.file_limit,
                       WholeSeconds(options.cpu_time),
                       start->write_end.get()};

  const pid_t pid = fork();
  if (pid < 0) return absl::ErrnoToStatus(errno, command.argv[0]);
  if (pid == 0) BecomeProgram(plan);
  ChildProcess process(pid);
  start->write_end.Close();
  if (absl::Status status = ReadStart(start->read_end.get(), command);
      !status.ok()) {
    return status;
  }
  return process;
}

absl::StatusOr<StartedChild> StartChild(const Command& command,
                                        ChildInput input,
                                        absl::Duration cpu_time) {
  Pipe in;
  if (input == ChildInput::kPipe) {
    absl::StatusOr<Pipe> made = MakePipe();
    if (!made.ok()) return made.status();
    in = *std::move(made);
  }
  absl::StatusOr<Pipe> out = MakePipe();
  if (!out.ok()) return out.status();
  absl::StatusOr<Pipe> err = MakePipe();
  if (!err.ok()) return err.status();
  ChildOptions options;
  options.standard_input = in.read_end.get();
  options.standard_output = out->write_end.get();
  options.standard_error = err->write_end.get();
  options.cpu_time = cpu_time;
  absl::StatusOr<ChildProcess> process = StartProcess(command, options);
  if (!process.ok()) return process.status();
  return StartedChild{*std::move(process), std::move(in.write_end),
                      std::move(out->read_end), std::move(err->read_end)};
}

}  // namespace advisor
