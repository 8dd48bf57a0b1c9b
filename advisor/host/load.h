// What the machine gives this process, and what it takes away meanwhile.

#ifndef ADVISOR_HOST_LOAD_H_
#define ADVISOR_HOST_LOAD_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "advisor/host/file_reader.h"

namespace advisor {

// The CPUs that this thread may run on, ascending. Never empty.
std::vector<int> AllowedCpus();

// The machine's, whether this thread may run on them or not. At least 1.
int OnlineCpus();

// Of all CPUs since the start of the machine, in the kernel's ticks: the first
// line of /proc/stat (proc(5)).
struct CpuTimes {
  uint64_t busy = 0;   // all but idle and iowait, steal included
  uint64_t steal = 0;  // the hypervisor ran something else

  bool operator==(const CpuTimes& other) const {
    return busy == other.busy && steal == other.steal;
  }
};

// nullopt where /proc/stat cannot be read or understood.
std::optional<CpuTimes> ReadCpuTimes(const FileReader& files);

// The share of busy time between two readings that was stolen, 0 to 1. 0 where
// one of them is not known.
double StealShare(const std::optional<CpuTimes>& before,
                  const std::optional<CpuTimes>& after);

// Bytes that can be used without swapping: MemAvailable of /proc/meminfo, and
// no more than what the memory cgroup of this process leaves. nullopt where
// nothing tells.
std::optional<uint64_t> AvailableMemory(const FileReader& files);

}  // namespace advisor

#endif  // ADVISOR_HOST_LOAD_H_
