// Caches and topology as Linux tells them in /sys/devices/system/cpu: a second
// witness beside CPUID. What is missing or unreadable there is a fact of the
// witness, never a failure: containers and some guests have no such files.

#ifndef ADVISOR_CPU_SYSFS_WITNESS_H_
#define ADVISOR_CPU_SYSFS_WITNESS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advisor/cpu/cache_descriptor_table.h"
#include "advisor/host/file_reader.h"

namespace advisor {

// cpuN/cache/indexM. A field is nullopt when its file is missing, unreadable or
// makes no sense.
struct SysfsCache {
  std::string path;  // of the folder
  std::optional<int> level;
  std::optional<CacheType> type;
  std::optional<uint64_t> size;  // bytes
  std::optional<uint32_t> ways;
  std::optional<uint32_t> line;                 // bytes
  std::optional<std::vector<int>> shared_cpus;  // shared_cpu_list
};

// cpuN.
struct SysfsCpu {
  int cpu = 0;
  std::string path;            // of the folder
  std::optional<int> package;  // topology/physical_package_id
  std::optional<int> core;     // topology/core_id, unique in a package only
  // topology/thread_siblings_list and core_siblings_list.
  std::optional<std::vector<int>> thread_siblings;
  std::optional<std::vector<int>> package_siblings;
  std::vector<SysfsCache> caches;  // by index

  // nullptr when there is none. kData finds a unified cache too.
  const SysfsCache* Find(int level, CacheType type = CacheType::kData) const;
};

struct SysfsWitness {
  // Empty when sysfs tells nothing at all.
  std::vector<SysfsCpu> cpus;  // the online ones, by number
  // What could not be read or made no sense: "PATH: why". Files that are merely
  // missing are not listed.
  std::vector<std::string> problems;

  bool has_caches() const;
  // nullopt when a CPU does not tell.
  std::optional<int> packages() const;
  std::optional<int> cores() const;
  std::optional<int> threads_per_core() const;  // of the first CPU
  // The bytes of all different caches of a level in the package of the first
  // CPU; nullopt when one of its CPUs does not tell.
  std::optional<uint64_t> SizeInPackage(int level) const;
};

// `root` is "/sys/devices/system/cpu".
SysfsWitness ReadSysfsWitness(
    const FileReader& files,
    absl::string_view root = "/sys/devices/system/cpu");

// "0-3,8,10-11" in the kernel's format; sorted, no number twice. An empty text
// is an empty list.
absl::StatusOr<std::vector<int>> ParseCpuList(absl::string_view text);

// "2 CPUs, 1 package, 2 cores; L1d 48 KiB (1 CPU), ..., L3 260 MiB (2 CPUs)".
std::string DescribeSysfsWitness(const SysfsWitness& witness);

}  // namespace advisor

#endif  // ADVISOR_CPU_SYSFS_WITNESS_H_
