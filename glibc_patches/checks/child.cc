#include "glibc_patches/checks/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "glibc_patches/checks/fault_hooks.h"
#include "glibc_patches/checks/world.h"
#include "kernels/xtest.h"

namespace glibc_patches {
namespace {

constexpr int kExitFinished = 0;
constexpr int kExitFault = 3;
// The watch's period, in CPU time.
constexpr int kTicksPerSecond = 10;
constexpr size_t kSignalStack = 256 << 10;

// Of the child; set before any tested code runs.
SharedReport* current_report = nullptr;
int allowed_ticks = 0;

void HandleFault(int signal, siginfo_t* info, void* context_pointer) {
  auto& context = *static_cast<ucontext_t*>(context_pointer);
  // A second fault in here ends the child by the signal itself.
  SharedReport* report = current_report;
  const TrapHandler on_trap = CurrentTrapHandler();
  if (signal == SIGTRAP && on_trap != nullptr && on_trap(context)) return;
  const greg_t rip = context.uc_mcontext.gregs[REG_RIP];
  const bool jumped_away =
      signal == SIGSEGV && reinterpret_cast<greg_t>(info->si_addr) == rip;
  if (signal == SIGILL && !jumped_away && kernels::AnswerXtest(context)) return;
  LeaveExpectedFault(signal, *info, context);
  report->signal = signal;
  report->instruction = rip;
  report->address = reinterpret_cast<uintptr_t>(info->si_addr);
  _exit(kExitFault);
}

void HandleTick(int, siginfo_t*, void* context_pointer) {
  static int64_t seen = -1;
  static int ticks = 0;
  SharedReport* report = current_report;
  if (!report->in_call || report->calls != seen) {
    seen = report->calls;
    ticks = 0;
    return;
  }
  if (++ticks < allowed_ticks) return;
  report->hung = true;
  report->instruction =
      static_cast<ucontext_t*>(context_pointer)->uc_mcontext.gregs[REG_RIP];
  _exit(kExitFault);
}

void InstallHandlers(absl::Duration hang) {
  // Not on the stack that tested code may have lost or filled.
  stack_t stack = {};
  stack.ss_size = kSignalStack;
  stack.ss_sp = mmap(nullptr, kSignalStack, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  action.sa_sigaction = HandleFault;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGSYS, SIGILL, SIGTRAP}) {
    sigaction(signal, &action, nullptr);
  }
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  action.sa_sigaction = HandleTick;
  sigaction(SIGPROF, &action, nullptr);
  allowed_ticks = std::max(
      2, static_cast<int>(absl::ToDoubleSeconds(hang) * kTicksPerSecond));
  itimerval timer = {};
  timer.it_interval.tv_usec = 1000000 / kTicksPerSecond;
  timer.it_value = timer.it_interval;
  setitimer(ITIMER_PROF, &timer, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Pages that the process has mapped now, in bytes.
uint64_t AddressSpaceInUse() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  unsigned long long pages = 0;
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%llu", &pages) != 1) pages = 0;
  std::fclose(file);
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

void Limit(int resource, uint64_t value) {
  rlimit limit;
  if (getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0) {
    return;
  }
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, value);
  limit.rlim_max = limit.rlim_cur;
  setrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
}

void EnterChild(pid_t parent, const RunLimits& limits, absl::Duration time,
                absl::Duration hang) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kExitFault);
  setpgid(0, 0);
  const int null = open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) dup2(null, fd);
  syscall(SYS_close_range, 3u, ~0u, 0u);
  // A file that may not grow is an error to its writer.
  signal(SIGXFSZ, SIG_IGN);
  Limit(RLIMIT_CORE, 0);
  Limit(RLIMIT_FSIZE, uint64_t{64} << 20);
  Limit(RLIMIT_CPU, static_cast<uint64_t>(absl::ToInt64Seconds(time)) + 2);
  const uint64_t used = AddressSpaceInUse();
  if (used != 0) Limit(RLIMIT_AS, used + limits.memory);
  InstallHandlers(hang);
}

// Reaps `child`, at `deadline` at the latest. Sets `timed_out`.
int WaitUntil(pid_t child, absl::Time deadline, bool& timed_out) {
  int status = 0;
  absl::Duration pause = absl::Microseconds(50);
  while (true) {
    const pid_t done = waitpid(child, &status, WNOHANG);
    if (done == child) return status;
    if (done < 0 && errno != EINTR) return 0;
    if (absl::Now() >= deadline) break;
    absl::SleepFor(pause);
    pause = std::min(pause * 2, absl::Milliseconds(10));
  }
  timed_out = true;
  kill(child, SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string OffsetInCode(const kernels::Variant& variant, uint64_t address) {
  const int64_t offset = address - reinterpret_cast<uintptr_t>(variant.address);
  constexpr int64_t kNearby = 64 << 10;
  if (offset < -kNearby || offset > kNearby) return "outside the variant";
  return absl::StrFormat("at %s0x%x from the entry", offset < 0 ? "-" : "+",
                         offset < 0 ? -offset : offset);
}

std::string PlaceOf(absl::string_view operand, uint64_t address, uint64_t begin,
                    uint64_t size) {
  if (address < begin) {
    return absl::StrCat(begin - address, " bytes before the ", operand);
  }
  if (address >= begin + size) {
    return absl::StrCat(address - (begin + size) + 1,
                        " bytes past the end of the ", operand);
  }
  return absl::StrCat("byte ", address - begin, " of the ", operand);
}

std::string DescribeAddress(const kernels::Variant& variant,
                            const PlacedCall& call, uint64_t address) {
  const uint64_t to = reinterpret_cast<uintptr_t>(DestinationOf(call));
  const uint64_t from = reinterpret_cast<uintptr_t>(SourceOf(call));
  const auto distance = [&](uint64_t begin) {
    if (address < begin) return begin - address;
    return address >= begin + call.size ? address - (begin + call.size) : 0;
  };
  const bool has_source = variant.function != kernels::Function::kMemset;
  constexpr uint64_t kNearby = 1 << 20;
  if (has_source && distance(from) <= distance(to) &&
      distance(from) < kNearby) {
    return PlaceOf("source", address, from, call.size);
  }
  if (distance(to) < kNearby) {
    return PlaceOf("destination", address, to, call.size);
  }
  return absl::StrFormat("0x%x, far from both operands", address);
}

}  // namespace

ChildOutcome RunInChild(SharedReport* report, const RunLimits& limits,
                        absl::Duration time, absl::Duration hang,
                        absl::FunctionRef<void()> body) {
  if (report == nullptr) return {ChildEnd::kNotStarted};
  const pid_t parent = getpid();
  // An exit() of the child must not write the parent's text again.
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return {ChildEnd::kNotStarted};
  if (child == 0) {
    current_report = report;
    EnterChild(parent, limits, time, hang);
    body();
    report->finished = true;
    _exit(kExitFinished);
  }
  bool timed_out = false;
  const int status = WaitUntil(child, absl::Now() + time, timed_out);
  // Whatever it may have started.
  kill(-child, SIGKILL);
  if (timed_out) return {ChildEnd::kTimeLimit, status};
  const bool finished = report->finished && WIFEXITED(status) &&
                        WEXITSTATUS(status) == kExitFinished;
  return {finished ? ChildEnd::kFinished : ChildEnd::kDied, status};
}

std::string DescribeDeath(const kernels::Variant& variant,
                          const SharedReport& report,
                          const ChildOutcome& outcome) {
  if (report.hung) {
    return absl::StrCat("does not return: an instruction ",
                        OffsetInCode(variant, report.instruction),
                        " still ran when the CPU time of a call was used up");
  }
  if (outcome.end == ChildEnd::kTimeLimit) {
    return "the check's time limit passed";
  }
  if (report.signal != 0) {
    const char* name = sigabbrev_np(report.signal);
    std::string text = absl::StrCat("SIG", name == nullptr ? "?" : name);
    if (report.signal == SIGSEGV || report.signal == SIGBUS) {
      absl::StrAppend(
          &text, " at ",
          report.address == 0
              ? "an address that is not canonical, or 0"
              : DescribeAddress(variant, report.call, report.address));
    }
    return absl::StrCat(text, ", instruction ",
                        OffsetInCode(variant, report.instruction));
  }
  if (WIFSIGNALED(outcome.wait_status)) {
    const char* name = sigabbrev_np(WTERMSIG(outcome.wait_status));
    return absl::StrCat("killed the process by SIG",
                        name == nullptr ? "?" : name);
  }
  return absl::StrCat("ended the process with exit status ",
                      WEXITSTATUS(outcome.wait_status));
}

ReportPage::ReportPage() {
  void* page = mmap(nullptr, sizeof(SharedReport), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  report_ = page == MAP_FAILED ? nullptr : static_cast<SharedReport*>(page);
  Clear();
}

ReportPage::~ReportPage() {
  if (report_ != nullptr) munmap(report_, sizeof(SharedReport));
}

void ReportPage::Clear() {
  if (report_ == nullptr) return;
  std::memset(static_cast<void*>(report_), 0, sizeof(SharedReport));
  report_->executed = -1;
}

}  // namespace glibc_patches
