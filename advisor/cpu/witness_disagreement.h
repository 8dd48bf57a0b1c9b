// Where CPUID and sysfs contradict each other. Each disagreement is evidence
// that something between the processor and this program (a hypervisor, a mask,
// a kernel's quirk) does not tell the truth; it does not say which of the two.

#ifndef ADVISOR_CPU_WITNESS_DISAGREEMENT_H_
#define ADVISOR_CPU_WITNESS_DISAGREEMENT_H_

#include <string>
#include <vector>

#include "advisor/cpu/cpu_model.h"
#include "advisor/cpu/sysfs_witness.h"

namespace advisor {

enum class DisagreementKind {
  kNoCachesInSysfs,  // CPUID claims some; lscpu shows none
  kNoCachesInCpuid,  // sysfs has some; glibc sees none
  kCacheMissing,     // one level is told by one of them only
  kCacheSize,
  // The sharers of a cache. CPUID counts APIC ids, a power of two that may be
  // larger than the number of CPUs; only what rounding cannot explain counts.
  kSharers,
  // Logical CPUs in a core or package.
  kLogicalCpus,
};

struct WitnessDisagreement {
  DisagreementKind kind;
  std::string subject;  // "L3 size", "CPUs in the package"
  std::string cpuid_value;
  std::string cpuid_place;  // "leaf 4:3", "CPUID.1:EBX[23:16]"
  std::string sysfs_value;
  std::string sysfs_place;  // a path, or "" where nothing is there

  // "L3 sharers: 8 in leaf 4:3, but 4 in /sys/.../shared_cpu_list".
  std::string Describe() const;
};

// CPUID's sources that count for the vendor are compared: leaves 2 and 4, for
// AMD and Hygon 0x80000005, 0x80000006 and 0x8000001D. AMD's 0x80000006 tells
// the L3 of a whole package, which may be several in sysfs. Of sysfs the first
// online CPU is taken: on hybrid processors `model` must have been read there.
// Where sysfs tells nothing about CPUs at all, there is nothing to compare.
std::vector<WitnessDisagreement> CompareWitnesses(const CpuModel& model,
                                                  const SysfsWitness& sysfs);

}  // namespace advisor

#endif  // ADVISOR_CPU_WITNESS_DISAGREEMENT_H_
