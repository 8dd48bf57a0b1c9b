// CPUID leaves that follow from what Linux tells of a CPU (/proc/cpuinfo, and
// lscpu, which reads it).

#ifndef ADVISOR_INPUT_LINUX_CPU_H_
#define ADVISOR_INPUT_LINUX_CPU_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/input/machine_input.h"

namespace advisor {

struct LinuxCpu {
  // As printed; Linux cuts the blanks off ("Shanghai").
  std::string vendor;
  std::string model_name;
  // As Linux counts: the extended model counts from family 6 on, the extended
  // family in 15 and later (arch/x86/lib/cpu.c).
  std::optional<uint32_t> family;
  std::optional<uint32_t> model;
  std::optional<uint32_t> stepping;
  // "cpuid level" of /proc/cpuinfo: CPUID.0:EAX.
  std::optional<uint32_t> cpuid_level;
  // "fpu vme de ...". nullopt: not told, or cut.
  std::optional<std::string> flags;
};

// nullopt when the vendor is not told, for then nothing of CPUID is known.
//
// Leaf 0: the vendor; EAX is the level or, where that is not told, the highest
// leaf that is filled in here. Leaf 1: EAX from family, model and stepping; EBX
// is 0 for lack of anything that tells it; ECX and EDX, leaf 7, 0xD:1 and
// 0x80000001: the features of feature_table.h (other bits stay clear) as the
// flags tell them. OSXSAVE and XCR0 follow from flags: Linux shows xsave, avx,
// avx512f only when it has enabled their states (arch/x86/kernel/fpu/xstate.c).
// Leaf 0xD:0 has the same states and the least size they can have. 0x80000002
// to 4: the model's name. All other leaves are absent.
//
// A flag that is not shown counts as a clear bit, although a kernel can hide
// one that CPUID shows (clearcpuid=, older than the feature).
std::optional<CpuidTable> CpuidOfLinuxCpu(const LinuxCpu& cpu);

// Vendor, family, model and flags are told.
bool TellsFeatures(const LinuxCpu& cpu);

// What CpuidOfLinuxCpu leaves open.
std::vector<UnknownFact> UnknownOfLinuxCpu(const LinuxCpu& cpu);

// Every Linux that is in use shows the flag; of others, a missing flag may mean
// an old kernel (FSRM: 5.6, AVX_VNNI: 5.11, IBT and SHSTK: 5.18 and 6.6 if they
// are configured, APX_F: 6.16).
bool IsShownByEveryLinux(absl::string_view feature);

// Linux's word for a feature of feature_table.h: "pni" for "SSE3". Empty for
// one that it does not show.
std::string LinuxFlagName(absl::string_view feature);

}  // namespace advisor

#endif  // ADVISOR_INPUT_LINUX_CPU_H_
