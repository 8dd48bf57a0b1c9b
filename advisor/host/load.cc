#include "advisor/host/load.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace advisor {
namespace {

// Fields of the line "cpu ...", proc(5).
constexpr size_t kIdleField = 3;
constexpr size_t kIowaitField = 4;
constexpr size_t kStealField = 7;
// Beyond what any machine counts (a thousand CPUs for a million years), or has:
// such a number is no answer.
constexpr uint64_t kMostTicks = uint64_t{1} << 58;
constexpr uint64_t kMostKibibytes = uint64_t{1} << 50;

// A file with one number in it ("max" is none).
std::optional<uint64_t> ReadNumber(const FileReader& files,
                                   absl::string_view path) {
  const absl::StatusOr<std::string> text = files.Read(path);
  uint64_t number;
  if (!text.ok() ||
      !absl::SimpleAtoi(absl::StripAsciiWhitespace(*text), &number)) {
    return std::nullopt;
  }
  return number;
}

std::optional<uint64_t> MemAvailable(const FileReader& files) {
  const absl::StatusOr<std::string> text = files.Read("/proc/meminfo");
  if (!text.ok()) return std::nullopt;
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    uint64_t kibibytes;
    if (absl::ConsumePrefix(&line, "MemAvailable:") &&
        absl::ConsumeSuffix(&line, "kB") &&
        absl::SimpleAtoi(absl::StripAsciiWhitespace(line), &kibibytes) &&
        kibibytes <= kMostKibibytes) {
      return kibibytes * 1024;
    }
  }
  return std::nullopt;
}

// What a control group leaves; the process's own group is the root of what it
// sees in a container.
std::optional<uint64_t> CgroupLeaves(const FileReader& files) {
  struct Files {
    const char* limit;
    const char* usage;
  };
  for (const auto& [limit_path, usage_path] :
       {Files{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
        Files{"/sys/fs/cgroup/memory/memory.limit_in_bytes",
              "/sys/fs/cgroup/memory/memory.usage_in_bytes"}}) {
    const std::optional<uint64_t> limit = ReadNumber(files, limit_path);
    const std::optional<uint64_t> usage = ReadNumber(files, usage_path);
    if (limit.has_value() && usage.has_value()) {
      return *limit - std::min(*limit, *usage);
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<int> AllowedCpus() {
  std::vector<int> cpus;
  // Machines have grown beyond the 1024 CPUs of cpu_set_t.
  constexpr int kMostCpus = 1 << 16;
  cpu_set_t* const set = CPU_ALLOC(kMostCpus);
  const size_t bytes = CPU_ALLOC_SIZE(kMostCpus);
  if (sched_getaffinity(0, bytes, set) == 0) {
    for (int cpu = 0; cpu < kMostCpus; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, set)) cpus.push_back(cpu);
    }
  }
  CPU_FREE(set);
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

int OnlineCpus() {
  return static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

std::optional<CpuTimes> ReadCpuTimes(const FileReader& files) {
  const absl::StatusOr<std::string> text = files.Read("/proc/stat");
  if (!text.ok()) return std::nullopt;
  absl::string_view line = absl::string_view(*text).substr(0, text->find('\n'));
  if (!absl::ConsumePrefix(&line, "cpu ")) return std::nullopt;
  CpuTimes times;
  size_t field = 0;
  for (const absl::string_view word :
       absl::StrSplit(line, ' ', absl::SkipEmpty())) {
    uint64_t ticks;
    if (!absl::SimpleAtoi(word, &ticks) || ticks > kMostTicks) {
      return std::nullopt;
    }
    // Guest time, after steal, is part of user time.
    if (field > kStealField) break;
    if (field != kIdleField && field != kIowaitField) times.busy += ticks;
    if (field == kStealField) times.steal = ticks;
    ++field;
  }
  if (field <= kIowaitField) return std::nullopt;
  return times;
}

double StealShare(const std::optional<CpuTimes>& before,
                  const std::optional<CpuTimes>& after) {
  if (!before.has_value() || !after.has_value()) return 0;
  if (after->busy <= before->busy || after->steal < before->steal) return 0;
  return static_cast<double>(after->steal - before->steal) /
         static_cast<double>(after->busy - before->busy);
}

std::optional<uint64_t> AvailableMemory(const FileReader& files) {
  const std::optional<uint64_t> machine = MemAvailable(files);
  const std::optional<uint64_t> cgroup = CgroupLeaves(files);
  if (!cgroup.has_value()) return machine;
  return std::min(*cgroup, machine.value_or(*cgroup));
}

}  // namespace advisor
