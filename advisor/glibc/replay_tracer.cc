#include "advisor/glibc/replay_tracer.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "advisor/host/child_process.h"
#include "advisor/host/environment.h"
#include "advisor/host/interrupt.h"
#include "advisor/host/subprocess.h"

namespace advisor {
namespace {

constexpr uint64_t kOutputLimit = uint64_t{16} << 20;
constexpr uint64_t kBreakpoint = 0xcc;  // int3
constexpr uint64_t kLowestByte = 0xff;

// The output goes to memory, so that nobody has to read a pipe meanwhile.
absl::StatusOr<Descriptor> MakeOutputFile() {
  const int fd = memfd_create("replay", MFD_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, "memfd_create");
  return Descriptor(fd);
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

class Tracer {
 public:
  // `output`: the file that is the child's standard output.
  Tracer(const TracedCommand& command, int output, ChildProcess* child)
      : command_(command), output_(output), child_(*child) {}

  // Follows the child to its end and gives the wait status; 0 as well where
  // the output has all that is wanted.
  absl::StatusOr<int> Follow() {
    while (true) {
      const absl::StatusOr<int> status = WaitForStop();
      if (!status.ok() || !WIFSTOPPED(*status)) return status;
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
  absl::StatusOr<int> WaitForStop() {
    while (true) {
      const absl::StatusOr<int> status = child_.WaitForChange();
      if (!absl::IsUnavailable(status.status())) return status;
      if (const std::optional<int> signal = Interrupted()) {
        return absl::CancelledError(
            absl::StrCat("interrupted by signal ", *signal));
      }
    }
  }

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
  ChildProcess& child_;
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

absl::Status EndError(const TracedCommand& command, int status,
                      absl::string_view standard_error) {
  const std::string what = absl::StrJoin(command.argv, " ");
  CommandResult result;
  if (WIFSIGNALED(status)) {
    result.signal = WTERMSIG(status);
  } else {
    result.exit_status = WEXITSTATUS(status);
  }
  result.standard_error = std::string(standard_error);
  const absl::string_view first_line = result.FirstErrorLine();
  const std::string message =
      absl::StrCat(what, ", replayed: ", result.Describe(),
                   first_line.empty() ? "" : ": ", first_line);
  // SIGXFSZ is our limit for what it writes.
  return result.signal.has_value() && result.signal != SIGXFSZ
             ? absl::AbortedError(message)
             : absl::FailedPreconditionError(message);
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
  Command child_command;
  child_command.argv = command.argv;
  child_command.environment = Environment(command.environment);
  child_command.file_limit = kOutputLimit;
  ChildOptions options;
  options.standard_output = out->get();
  options.standard_error = err->get();
  options.cpu_time = command.time_limit;
  options.traced = true;
  absl::StatusOr<ChildProcess> child = StartProcess(child_command, options);
  if (absl::IsUnavailable(child.status())) {
    return NotPermitted(path, child.status().message());
  }
  if (!child.ok()) return child.status();
  const Watchdog watchdog(child->pid(), command.time_limit);
  Tracer tracer(command, out->get(), &*child);
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
    return absl::FailedPreconditionError(
        absl::StrCat(absl::StrJoin(command.argv, " "),
                     ", replayed: it ended without a CPUID instruction"));
  }
  return output;
}

}  // namespace advisor
