// What a kernel, or what stands in for its files in a container, tells in /sys
// and /proc: the first byte of each file chooses its path, the rest up to an FS
// character (0x1c) is its content.

#include <algorithm>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "advisor/cpu/sysfs_witness.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/load.h"
#include "tools/fuzzing/fuzzing.h"

namespace advisor {
namespace {

constexpr const char* kPaths[] = {
    "/s/online",
    "/s/cpu0/topology/physical_package_id",
    "/s/cpu0/topology/core_id",
    "/s/cpu0/topology/thread_siblings_list",
    "/s/cpu0/topology/core_siblings_list",
    "/s/cpu0/cache/index0/level",
    "/s/cpu0/cache/index0/type",
    "/s/cpu0/cache/index0/size",
    "/s/cpu0/cache/index0/ways_of_associativity",
    "/s/cpu0/cache/index0/coherency_line_size",
    "/s/cpu0/cache/index0/shared_cpu_list",
    "/s/cpu1/cache/index3/level",
    "/s/cpu1/cache/index3/type",
    "/s/cpu1/cache/index3/size",
    "/s/cpu1/cache/index3/shared_cpu_list",
    "/proc/stat",
    "/proc/meminfo",
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory.current",
};
constexpr size_t kCount = sizeof(kPaths) / sizeof(kPaths[0]);

void RequireAscending(const std::vector<int>& cpus) {
  fuzzing::Require(std::adjacent_find(cpus.begin(), cpus.end(),
                                      std::greater_equal<int>()) == cpus.end(),
                   "ascending CPUs, each once");
  fuzzing::Require(cpus.empty() || cpus.front() >= 0, "no negative CPU");
}

void TestSysfs(const FileReader& files) {
  const SysfsWitness witness = ReadSysfsWitness(files, "/s");
  int before = -1;
  for (const SysfsCpu& cpu : witness.cpus) {
    fuzzing::Require(cpu.cpu > before, "CPUs by number");
    before = cpu.cpu;
    for (const SysfsCache& cache : cpu.caches) {
      fuzzing::Require(cache.size.value_or(1) > 0, "no cache of no size");
      if (cache.shared_cpus.has_value()) RequireAscending(*cache.shared_cpus);
    }
  }
  fuzzing::Require(!absl::StrContains(DescribeSysfsWitness(witness), "\n"),
                   "one line that describes it");
  for (const std::string& problem : witness.problems) {
    fuzzing::Require(!absl::StrContains(problem, "\n"), "one line for a fact");
  }
}

void TestLoad(const FileReader& files) {
  if (const std::optional<CpuTimes> times = ReadCpuTimes(files)) {
    fuzzing::Require(times->steal <= times->busy, "steal is part of busy");
    const double share = StealShare(CpuTimes(), times);
    fuzzing::Require(share >= 0 && share <= 1, "a share from 0 to 1");
  }
  AvailableMemory(files);
}

void TestOne(fuzzing::Choices choices) {
  FakeFileReader files;
  bool any_of_load = false, any_of_sysfs = false;
  while (!choices.empty()) {
    const absl::string_view path = kPaths[choices.Below(kCount)];
    std::string content(choices.Until('\x1c'));
    const absl::StatusOr<std::vector<int>> list = ParseCpuList(content);
    if (list.ok()) RequireAscending(*list);
    // Each CPU costs a look for ten files.
    constexpr size_t kMostCpus = 4;
    if (list.ok() && path == kPaths[0] && list->size() > kMostCpus) continue;
    const bool is_sysfs = absl::StartsWith(path, "/s/");
    any_of_sysfs |= is_sysfs;
    any_of_load |= !is_sysfs;
    files.Add(std::string(path), std::move(content));
  }
  if (any_of_sysfs) TestSysfs(files);
  if (any_of_load) TestLoad(files);
}

}  // namespace
}  // namespace advisor

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  advisor::TestOne(fuzzing::Choices(fuzzing::Text(data, size)));
  return 0;
}
