// The CPUs of a dump, grouped into kinds of core.

#ifndef ADVISOR_INPUT_CORE_KINDS_H_
#define ADVISOR_INPUT_CORE_KINDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/input/machine_input.h"

namespace advisor {

struct NumberedCpu {
  uint32_t number = 0;
  CpuidTable cpuid;
};

// Two CPUs are of one kind when the leaves that glibc reads (0, 1, 2, 4, 7,
// 0xB, 0xD, 0x80000000, 1, 5 to 8 and 0x8000001D of every release from 2.26 on)
// and XCR0 are equal, but for APIC ids: CPUID.1:EBX[31:24], CPUID.0xB:EDX.
// Kinds come in the order of their first CPU. They are named by leaf 0x1A
// ("core" 0x40, "atom" 0x20; Intel SDM volume 2A) where it differs.
std::vector<CoreKind> GroupIntoKinds(std::vector<NumberedCpu> cpus);

// Sets `cores` of `input`, and adds a warning for each kind that differs from
// the first one, with the leaves.
void AddCores(std::vector<NumberedCpu> cpus, MachineInput* input);

// "0-7,16".
std::string FormatCpuList(absl::Span<const uint32_t> cpus);

}  // namespace advisor

#endif  // ADVISOR_INPUT_CORE_KINDS_H_
