#include "advisor/input/cpu_template.h"

#include <map>
#include <optional>
#include <set>

#include "absl/strings/str_format.h"
#include "advisor/cpu/cpuid_dump.h"

namespace advisor {
namespace {

constexpr uint32_t kOsxsaveLeaf = 1;
constexpr uint32_t kXsaveLeaf = 0xd;

uint32_t* RegisterOf(Register reg, CpuidRegisters* registers) {
  switch (reg) {
    case Register::kEax:
      return &registers->eax;
    case Register::kEbx:
      return &registers->ebx;
    case Register::kEcx:
      return &registers->ecx;
    case Register::kEdx:
      return &registers->edx;
  }
  return &registers->eax;
}

// A guest cannot enable a state that it is not shown.
void RestrictXcr0(CpuidTable* cpu) {
  const std::optional<uint64_t> allowed = Xcr0FromLeafD(*cpu);
  if (!allowed.has_value() || !cpu->Xcr0().has_value()) {
    cpu->SetXcr0(allowed);
  } else {
    cpu->SetXcr0(*cpu->Xcr0() & *allowed);
  }
}

}  // namespace

std::vector<std::string> ApplyModifiers(const CpuTemplate& cpu_template,
                                        CpuidTable* cpu) {
  std::vector<std::string> misfits;
  std::set<CpuidInput> missing;
  bool touches_xcr0 = false;
  for (const RegisterModifier& modifier : cpu_template.modifiers) {
    const CpuidInput input = {modifier.leaf, modifier.subleaf};
    const auto entry = cpu->entries().find(input);
    if (entry == cpu->entries().end()) {
      if (missing.insert(input).second) {
        misfits.push_back(
            absl::StrFormat("0x%x:%x", input.leaf, input.subleaf));
      }
      continue;
    }
    CpuidRegisters registers = entry->second;
    uint32_t* const target = RegisterOf(modifier.reg, &registers);
    *target = (*target & ~modifier.mask) | modifier.value;
    cpu->Set(input.leaf, input.subleaf, registers);
    touches_xcr0 =
        touches_xcr0 || input.leaf == kOsxsaveLeaf || input.leaf == kXsaveLeaf;
  }
  if (touches_xcr0) RestrictXcr0(cpu);
  return misfits;
}

CpuidTable WholeLeaves(const CpuTemplate& cpu_template) {
  struct Answer {
    CpuidRegisters registers;
    CpuidRegisters known;
  };
  std::map<CpuidInput, Answer> answers;
  for (const RegisterModifier& modifier : cpu_template.modifiers) {
    Answer& answer = answers[{modifier.leaf, modifier.subleaf}];
    uint32_t* const target = RegisterOf(modifier.reg, &answer.registers);
    *target = (*target & ~modifier.mask) | modifier.value;
    *RegisterOf(modifier.reg, &answer.known) |= modifier.mask;
  }
  CpuidTable table;
  const uint32_t all = ~uint32_t{0};
  for (const auto& [input, answer] : answers) {
    if (answer.known == CpuidRegisters{all, all, all, all}) {
      table.Set(input.leaf, input.subleaf, answer.registers);
    }
  }
  table.SetXcr0(Xcr0FromLeafD(table));
  return table;
}

}  // namespace advisor
