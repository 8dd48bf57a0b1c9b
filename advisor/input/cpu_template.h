// Modifications of CPUID that a hypervisor's user asks for, as Firecracker's
// custom CPU templates write them (docs/cpu_templates in its repository): per
// leaf, subleaf and register a bitmap of 0, 1 and x, where x leaves the bit as
// it is.

#ifndef ADVISOR_INPUT_CPU_TEMPLATE_H_
#define ADVISOR_INPUT_CPU_TEMPLATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "advisor/cpu/cpuid_source.h"
#include "advisor/cpu/feature_table.h"

namespace advisor {

struct RegisterModifier {
  uint32_t leaf = 0;
  uint32_t subleaf = 0;
  Register reg = Register::kEax;
  // The bits that are given, and what they become (no bit outside of `mask`).
  uint32_t mask = 0;
  uint32_t value = 0;
};

struct CpuTemplate {
  // In the order of the file; a later one wins.
  std::vector<RegisterModifier> modifiers;
};

// Modifies `cpu`. Leaves that it does not have stay absent (Firecracker refuses
// such a template) and are returned, each once: "0x7:0".
std::vector<std::string> ApplyModifiers(const CpuTemplate& cpu_template,
                                        CpuidTable* cpu);

// The leaves of which the template gives all four registers whole. A template
// that was dumped from a guest has nothing but such leaves.
CpuidTable WholeLeaves(const CpuTemplate& cpu_template);

}  // namespace advisor

#endif  // ADVISOR_INPUT_CPU_TEMPLATE_H_
