#include "glibc_patches/thresholds/probe.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "advisor/cpu/cpuid_dump.h"
#include "glibc_patches/thresholds/probe/request.h"

namespace glibc_patches {
namespace {

constexpr size_t kTextSize = 64 << 10;
// A run takes a fraction of a millisecond and asks a few hundred times; Intel's
// caches are looked up a dozen times through leaf 4.
constexpr int kMostQueries = 100000;
constexpr rlim_t kCpuSeconds = 1;
// Of real time; only code that waits for something gets there.
constexpr unsigned kAlarmSeconds = 60;
constexpr int kExitHung = 3;

// What the child writes and the parent reads.
struct Page {
  size_t size;
  int queries;
  uint32_t last_leaf;
  bool finished;
  char text[kTextSize];
};

// The child's; `registers` are those of advisor::CpuidSource.
struct Context {
  const advisor::CpuidSource* cpu;
  uint64_t xcr0;
  Page* page;
};

void AnswerCpuid(void* pointer, uint32_t leaf, uint32_t subleaf,
                 uint32_t registers[4]) {
  const auto& context = *static_cast<Context*>(pointer);
  context.page->last_leaf = leaf;
  if (++context.page->queries > kMostQueries) _exit(kExitHung);
  const advisor::CpuidRegisters answer = context.cpu->Execute(leaf, subleaf);
  registers[0] = answer.eax;
  registers[1] = answer.ebx;
  registers[2] = answer.ecx;
  registers[3] = answer.edx;
}

uint64_t AnswerXgetbv(void* pointer, uint32_t index) {
  return index == 0 ? static_cast<Context*>(pointer)->xcr0 : 0;
}

void TakeAnswer(void* pointer, const char* name, uint64_t value,
                const char* text) {
  Page& page = *static_cast<Context*>(pointer)->page;
  char number[24];
  std::snprintf(number, sizeof(number), "%llu",
                static_cast<unsigned long long>(value));
  if (text == nullptr) text = number;
  const size_t name_size = std::strlen(name), text_size = std::strlen(text);
  if (page.size + name_size + text_size + 2 > sizeof(page.text)) abort();
  char* to = page.text + page.size;
  std::memcpy(to, name, name_size);
  to[name_size] = ' ';
  std::memcpy(to + name_size + 1, text, text_size);
  to[name_size + 1 + text_size] = '\n';
  page.size += name_size + text_size + 2;
}

void Limit(__rlimit_resource_t resource, rlim_t value) {
  rlimit limit;
  if (getrlimit(resource, &limit) != 0) return;
  limit.rlim_cur = std::min(limit.rlim_max, value);
  setrlimit(resource, &limit);
}

[[noreturn]] void RunChild(probe_function* function,
                           const probe_request& request, Page& page,
                           pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kExitHung);
  const int null = open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) dup2(null, fd);
  for (int number :
       {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGXCPU, SIGALRM}) {
    signal(number, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  Limit(RLIMIT_CORE, 0);
  Limit(RLIMIT_FSIZE, 0);
  Limit(RLIMIT_STACK, 8 << 20);
  Limit(RLIMIT_CPU, kCpuSeconds);
  alarm(kAlarmSeconds);
  function(&request);
  page.finished = true;
  _exit(0);
}

int WaitFor(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

ProbeRun Describe(const Page& page, int status) {
  if (page.finished && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    // The code that is judged may have written there, too.
    const size_t size = std::min<size_t>(page.size, sizeof(page.text));
    return {ProbeEnd::kAnswered, "", std::string(page.text, size)};
  }
  if (page.queries > kMostQueries) {
    return {
        ProbeEnd::kHung,
        absl::StrFormat("asks CPUID without end (leaf 0x%x)", page.last_leaf),
        ""};
  }
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGXCPU || signal == SIGALRM) {
      return {ProbeEnd::kHung, "does not end", ""};
    }
    const char* const name = sigabbrev_np(signal);
    return {ProbeEnd::kCrashed,
            absl::StrCat("SIG", name == nullptr ? "?" : name,
                         signal == SIGFPE ? " (a division by zero)" : ""),
            ""};
  }
  return {ProbeEnd::kCrashed, "ends the process", ""};
}

class SharedPage {
 public:
  SharedPage() {
    void* page = mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    page_ = page == MAP_FAILED ? nullptr : static_cast<Page*>(page);
  }
  ~SharedPage() {
    if (page_ != nullptr) munmap(page_, sizeof(Page));
  }
  SharedPage(const SharedPage&) = delete;
  SharedPage& operator=(const SharedPage&) = delete;
  Page* get() const { return page_; }

 private:
  Page* page_;
};

}  // namespace

ProbeValues ParseProbeLines(absl::string_view lines) {
  ProbeValues values;
  for (const absl::string_view line :
       absl::StrSplit(lines, '\n', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> pair =
        absl::StrSplit(line, absl::MaxSplits(' ', 1));
    values.insert(pair);
  }
  return values;
}

std::optional<uint64_t> ProbeNumber(const ProbeValues& values,
                                    absl::string_view name) {
  const auto found = values.find(name);
  uint64_t number = 0;
  if (found == values.end() || !absl::SimpleAtoi(found->second, &number)) {
    return std::nullopt;
  }
  return number;
}

absl::StatusOr<Probe> Probe::Load(const std::string& path) {
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return absl::InvalidArgumentError(dlerror());
  void* const function = dlsym(handle, PROBE_SYMBOL);
  if (function == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": expected a probe of build_probe.sh, found another file"));
  }
  return Probe(function);
}

ProbeRun Probe::Run(const advisor::CpuidSource& cpu,
                    const ProbeTunables& tunables) const {
  const SharedPage page;
  if (page.get() == nullptr) return {};
  std::vector<const char*> words;
  for (const auto& [name, value] : tunables) {
    words.push_back(name.c_str());
    words.push_back(value.c_str());
  }
  words.push_back(nullptr);
  Context context{&cpu,
                  cpu.Xcr0().value_or(advisor::Xcr0FromLeafD(cpu).value_or(0)),
                  page.get()};
  const probe_request request = {&context, AnswerCpuid, AnswerXgetbv,
                                 TakeAnswer, words.data()};
  const pid_t parent = getpid();
  // What an exit of the child must not write again.
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return {};
  if (child == 0) {
    RunChild(reinterpret_cast<probe_function*>(function_), request, *page.get(),
             parent);
  }
  return Describe(*page.get(), WaitFor(child));
}

}  // namespace glibc_patches
