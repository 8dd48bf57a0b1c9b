#include "advisor/glibc/replay_tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/synchronization/notification.h"
#include "advisor/host/interrupt.h"
#include "advisor/host/subprocess.h"

namespace advisor {
namespace {

constexpr rlim_t kOutputLimit = rlim_t{16} << 20;
constexpr uint64_t kBreakpoint = 0xcc;  // int3
constexpr uint64_t kLowestByte = 0xff;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() { Close(); }
  void Close() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

// The same file at 3 or above, where the child's dup2 cannot hit it.
absl::StatusOr<Descriptor> AwayFromStandard(int fd, absl::string_view what) {
  if (fd < 0) return absl::ErrnoToStatus(errno, what);
  if (fd > STDERR_FILENO) return Descriptor(fd);
  Descriptor low(fd);
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (high < 0) return absl::ErrnoToStatus(errno, what);
  return Descriptor(high);
}

// The output goes to memory, so that nobody has to read a pipe meanwhile.
absl::StatusOr<Descriptor> MakeOutputFile() {
  return AwayFromStandard(memfd_create("replay", MFD_CLOEXEC), "memfd_create");
}

std::string ReadOutputFile(int fd) {
  std::string content;
  char buffer[1 << 16];
  while (true) {
    const ssize_t got = pread(fd, buffer, sizeof(buffer), content.size());
    if (got <= 0) return content;
    content.append(buffer, got);
  }
}

struct StartError {
  enum Step : int { kSetUp, kTrace, kExec };
  Step step;
  int error;
};

struct ChildPlan {
  char* const* argv;
  char* const* environment;
  pid_t parent;
  int standard_output;
  int standard_error;
  int start_error;
};

[[noreturn]] void TellAndExit(int fd, StartError::Step step) {
  const StartError message{step, errno};
  while (write(fd, &message, sizeof(message)) < 0 && errno == EINTR) {
  }
  _exit(127);
}

// Only async-signal-safe calls: the parent may have threads.
[[noreturn]] void BecomeTraced(const ChildPlan& plan) {
  const int input = open("/dev/null", O_RDONLY);
  if (input < 0 || dup2(input, STDIN_FILENO) < 0 ||
      dup2(plan.standard_output, STDOUT_FILENO) < 0 ||
      dup2(plan.standard_error, STDERR_FILENO) < 0 || setpgid(0, 0) != 0 ||
      prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
    TellAndExit(plan.start_error, StartError::kSetUp);
  }
  // The parent may have died before the line above took effect.
  if (getppid() != plan.parent) _exit(127);
  const struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const struct rlimit output = {kOutputLimit, kOutputLimit};
  setrlimit(RLIMIT_FSIZE, &output);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // So that two replays print the same addresses; a container may forbid it.
  personality(ADDR_NO_RANDOMIZE);
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) {
    TellAndExit(plan.start_error, StartError::kTrace);
  }
  execve(plan.argv[0], plan.argv, plan.environment);
  TellAndExit(plan.start_error, StartError::kExec);
}

std::vector<char*> CStrings(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (const std::string& string : strings) {
    result.push_back(const_cast<char*>(string.c_str()));
  }
  result.push_back(nullptr);
  return result;
}

// Kills the child when the time is over. A descriptor of the process is used
// where the kernel has them (5.3): it can never mean another process.
class Watchdog {
 public:
  Watchdog(pid_t pid, absl::Duration limit)
      : pid_(pid),
        process_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))),
        thread_([this, limit] {
          if (ended_.WaitForNotificationWithTimeout(limit)) return;
          fired_ = true;
          if (process_.get() < 0) {
            kill(pid_, SIGKILL);
          } else {
            syscall(SYS_pidfd_send_signal, process_.get(), SIGKILL, nullptr, 0);
          }
        }) {}
  ~Watchdog() {
    ended_.Notify();
    thread_.join();
  }

  bool fired() const { return fired_; }

 private:
  const pid_t pid_;
  const Descriptor process_;
  std::atomic<bool> fired_ = false;
  absl::Notification ended_;
  std::thread thread_;
};

// A child that traces itself. Killed and reaped at the latest here.
class TracedChild {
 public:
  explicit TracedChild(pid_t pid) : pid_(pid) {}
  TracedChild(const TracedChild&) = delete;
  TracedChild& operator=(const TracedChild&) = delete;
  ~TracedChild() {
    if (ended_) return;
    kill(pid_, SIGKILL);
    while (!ended_ && Wait().ok()) {
    }
  }

  pid_t pid() const { return pid_; }

  // The wait status of the next stop, or of the end.
  absl::StatusOr<int> Wait() {
    int status;
    while (waitpid(pid_, &status, __WALL) < 0) {
      if (errno == EINTR) continue;
      ended_ = true;
      return absl::ErrnoToStatus(errno, "waitpid");
    }
    ended_ = WIFEXITED(status) || WIFSIGNALED(status);
    return status;
  }

  bool ended() const { return ended_; }

 private:
  const pid_t pid_;
  bool ended_ = false;
};

class Tracer {
 public:
  // `output`: the file that is the child's standard output.
  Tracer(const TracedCommand& command, int output, TracedChild* child)
      : command_(command), output_(output), child_(*child) {}

  // Follows the child to its end and gives the wait status; 0 as well where
  // the output has all that is wanted.
  absl::StatusOr<int> Follow() {
    while (true) {
      const absl::StatusOr<int> status = child_.Wait();
      if (!status.ok() || child_.ended()) return status;
      const absl::StatusOr<int> signal = HandleStop(WSTOPSIG(*status));
      if (!signal.ok()) return signal.status();
      if (has_enough_) return 0;
      const bool steps = command_.mode == ReplayMode::kSingleStep;
      const absl::Status resumed =
          Call(steps ? PTRACE_SINGLESTEP : PTRACE_CONT, 0, *signal);
      if (!resumed.ok()) return resumed;
    }
  }

  std::map<uint64_t, int> TakeHits() { return std::move(hits_); }

 private:
  // Not there any more (the watchdog's work) is no error: Wait tells the rest.
  absl::Status Call(__ptrace_request request, uint64_t address, uint64_t data) {
    if (ptrace(request, child_.pid(), address, data) == 0 || errno == ESRCH) {
      return absl::OkStatus();
    }
    return absl::ErrnoToStatus(errno, "ptrace");
  }

  absl::StatusOr<uint64_t> Peek(uint64_t address) {
    errno = 0;
    const long word = ptrace(PTRACE_PEEKTEXT, child_.pid(), address, nullptr);
    if (errno != 0 && errno != ESRCH) {
      return absl::ErrnoToStatus(errno, "ptrace");
    }
    return static_cast<uint64_t>(word);
  }

  // The signal to resume with, or 0.
  absl::StatusOr<int> HandleStop(int signal) {
    if (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN ||
        signal == SIGTTOU) {
      return 0;
    }
    if (signal != SIGTRAP) return signal;
    user_regs_struct registers = {};
    if (ptrace(PTRACE_GETREGS, child_.pid(), nullptr, &registers) != 0) {
      if (errno == ESRCH) return 0;
      return absl::ErrnoToStatus(errno, "ptrace");
    }
    if (!started_) {
      started_ = true;
      if (const absl::Status status = Start(registers.rip); !status.ok()) {
        return status;
      }
      // Where it steps, the first instruction was not looked at yet.
      if (command_.mode == ReplayMode::kBreakpoints) return 0;
    }
    if (command_.mode == ReplayMode::kSingleStep) return HandleStep(registers);
    return HandleBreakpoint(registers);
  }

  // At the loader's first instruction.
  absl::Status Start(uint64_t address) {
    base_ = address - command_.entry;
    if (const absl::Status status =
            Call(PTRACE_SETOPTIONS, 0, PTRACE_O_EXITKILL);
        !status.ok()) {
      return status;
    }
    for (const ReplaySite& site : command_.sites->sites) {
      const absl::StatusOr<uint64_t> word = Peek(base_ + site.address);
      if (!word.ok()) return word.status();
      if (!IsAt(*word, site.instruction)) {
        return absl::InternalError(
            absl::StrCat("no instruction to replay at 0x",
                         absl::Hex(site.address), ": the file changed"));
      }
      sites_.emplace(site.address, site.instruction);
      if (command_.mode == ReplayMode::kSingleStep) continue;
      const absl::Status status = Call(PTRACE_POKETEXT, base_ + site.address,
                                       (*word & ~kLowestByte) | kBreakpoint);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // Whether the bytes of `word`, in memory order, begin with it.
  static bool IsAt(uint64_t word, ReplayedInstruction instruction) {
    const absl::string_view bytes = BytesOf(instruction);
    return memcmp(&word, bytes.data(), bytes.size()) == 0;
  }

  absl::StatusOr<int> HandleBreakpoint(user_regs_struct& registers) {
    const uint64_t address = registers.rip - 1 - base_;
    const auto site = sites_.find(address);
    // A breakpoint of the program's own.
    if (site == sites_.end()) return SIGTRAP;
    return Answer(address, site->second, registers);
  }

  absl::StatusOr<int> HandleStep(user_regs_struct& registers) {
    // An answered instruction may be followed by another.
    const absl::StatusOr<uint64_t> word = Peek(registers.rip);
    if (!word.ok()) return word.status();
    for (const ReplayedInstruction instruction :
         {ReplayedInstruction::kCpuid, ReplayedInstruction::kXgetbv}) {
      if (!IsAt(*word, instruction)) continue;
      const absl::StatusOr<int> signal =
          Answer(registers.rip - base_, instruction, registers);
      if (!signal.ok() || has_enough_) return signal;
      return HandleStep(registers);
    }
    return 0;
  }

  // Does what the instruction at `address` (before relocation) would do.
  absl::StatusOr<int> Answer(uint64_t address, ReplayedInstruction instruction,
                             user_regs_struct& registers) {
    has_enough_ = HasEnough();
    if (has_enough_) return 0;
    if (instruction == ReplayedInstruction::kCpuid) {
      const CpuidRegisters answer =
          command_.cpu->Execute(static_cast<uint32_t>(registers.rax),
                                static_cast<uint32_t>(registers.rcx));
      registers.rax = answer.eax;
      registers.rbx = answer.ebx;
      registers.rcx = answer.ecx;
      registers.rdx = answer.edx;
    } else {
      const uint64_t xcr0 = command_.cpu->Xcr0().value_or(0);
      registers.rax = static_cast<uint32_t>(xcr0);
      registers.rdx = xcr0 >> 32;
    }
    registers.rip = base_ + address + BytesOf(instruction).size();
    ++hits_[address];
    if (ptrace(PTRACE_SETREGS, child_.pid(), nullptr, &registers) != 0 &&
        errno != ESRCH) {
      return absl::ErrnoToStatus(errno, "ptrace");
    }
    return 0;
  }

  // Looks into the output only once, at the first question after the first
  // line: what decides the thresholds is asked before.
  bool HasEnough() {
    struct stat status;
    if (command_.last_wanted.empty() || has_looked_ ||
        fstat(output_, &status) != 0 || status.st_size == 0) {
      return false;
    }
    has_looked_ = true;
    return absl::StrContains(ReadOutputFile(output_), command_.last_wanted);
  }

  const TracedCommand& command_;
  const int output_;
  TracedChild& child_;
  bool has_looked_ = false;
  bool has_enough_ = false;
  bool started_ = false;
  uint64_t base_ = 0;
  std::map<uint64_t, ReplayedInstruction> sites_;
  std::map<uint64_t, int> hits_;
};

absl::Status NotPermitted(absl::string_view path, absl::string_view why) {
  return absl::PermissionDeniedError(absl::StrCat(
      path,
      ": cannot be replayed: tracing a child process is not permitted "
      "here (",
      why,
      "); a container's seccomp profile, "
      "kernel.yama.ptrace_scope or a debugger forbids it"));
}

// What became of the child before it was the program; OK if it is.
absl::Status ReadStart(int fd, absl::string_view path) {
  StartError message;
  ssize_t got;
  do {
    got = read(fd, &message, sizeof(message));
  } while (got < 0 && errno == EINTR);
  if (got == 0) return absl::OkStatus();
  if (got != sizeof(message)) return absl::ErrnoToStatus(errno, "read");
  switch (message.step) {
    case StartError::kTrace:
      return NotPermitted(path, strerror(message.error));
    case StartError::kExec:
      return absl::ErrnoToStatus(message.error, path);
    case StartError::kSetUp:
      break;
  }
  return absl::ErrnoToStatus(message.error,
                             absl::StrCat(path, ": cannot be prepared"));
}

absl::Status EndError(const TracedCommand& command, int status,
                      absl::string_view standard_error) {
  const std::string what = absl::StrJoin(command.argv, " ");
  CommandResult result;
  if (WIFSIGNALED(status)) {
    result.signal = WTERMSIG(status);
  } else {
    result.exit_status = WEXITSTATUS(status);
  }
  const absl::string_view first_line =
      standard_error.substr(0, standard_error.find('\n'));
  return absl::InternalError(
      absl::StrCat(what, ", replayed: ", result.Describe(),
                   first_line.empty() ? "" : ": ", first_line));
}

}  // namespace

absl::StatusOr<TracedOutput> RunTraced(const TracedCommand& command) {
  const std::string& path = command.argv[0];
  if (Interrupted().has_value()) {
    return absl::CancelledError(absl::StrCat(path, ": interrupted"));
  }
  absl::StatusOr<Descriptor> out = MakeOutputFile();
  if (!out.ok()) return out.status();
  absl::StatusOr<Descriptor> err = MakeOutputFile();
  if (!err.ok()) return err.status();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  const Descriptor read_end(ends[0]);
  absl::StatusOr<Descriptor> write_end = AwayFromStandard(ends[1], "pipe");
  if (!write_end.ok()) return write_end.status();
  const std::vector<char*> argv = CStrings(command.argv);
  const std::vector<char*> environment = CStrings(command.environment);
  const ChildPlan plan{argv.data(), environment.data(), getpid(),
                       out->get(),  err->get(),         write_end->get()};

  const pid_t pid = fork();
  if (pid < 0) return absl::ErrnoToStatus(errno, path);
  if (pid == 0) BecomeTraced(plan);
  TracedChild child(pid);
  const Watchdog watchdog(pid, command.time_limit);
  write_end->Close();
  if (absl::Status status = ReadStart(read_end.get(), path); !status.ok()) {
    return status;
  }
  Tracer tracer(command, out->get(), &child);
  const absl::StatusOr<int> status = tracer.Follow();
  if (watchdog.fired() && !(status.ok() && WIFEXITED(*status))) {
    return absl::DeadlineExceededError(absl::StrCat(
        absl::StrJoin(command.argv, " "), ", replayed: no answer within ",
        absl::FormatDuration(command.time_limit)));
  }
  if (!status.ok()) {
    if (absl::IsPermissionDenied(status.status()) ||
        absl::IsUnimplemented(status.status())) {
      return NotPermitted(path, status.status().message());
    }
    return absl::Status(status.status().code(),
                        absl::StrCat(path, ": cannot be replayed: ",
                                     status.status().message()));
  }
  if (WIFSIGNALED(*status) && WTERMSIG(*status) == SIGSYS) {
    return NotPermitted(path, "killed by SIGSYS");
  }
  TracedOutput output;
  output.standard_output = ReadOutputFile(out->get());
  output.standard_error = ReadOutputFile(err->get());
  output.hits = tracer.TakeHits();
  if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0) {
    return EndError(command, *status, output.standard_error);
  }
  if (output.hits.empty()) {
    return absl::InternalError(
        absl::StrCat(absl::StrJoin(command.argv, " "),
                     ", replayed: it ended without a CPUID instruction"));
  }
  return output;
}

}  // namespace advisor
