#include "glibc_patches/mutation/instruction_kinds.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace glibc_patches {
namespace {

bool StartsWithAny(absl::string_view text,
                   std::initializer_list<absl::string_view> prefixes) {
  return std::any_of(
      prefixes.begin(), prefixes.end(),
      [&](absl::string_view prefix) { return absl::StartsWith(text, prefix); });
}

bool IsMove(const AssemblyInstruction& instruction) {
  return StartsWithAny(instruction.mnemonic, {"mov", "vmov", "lddqu"}) &&
         instruction.operands.size() == 2;
}

// Writes flags: integer arithmetic, but lea, mov and the vector instructions.
bool WritesFlags(const AssemblyInstruction& instruction) {
  return StartsWithAny(instruction.mnemonic,
                       {"add", "and",   "bzhi", "cmp", "dec", "inc", "neg",
                        "or",  "sal",   "sar",  "shl", "shr", "sub", "test",
                        "xor", "xtest", "rol",  "ror", "bsr", "bsf", "lzcnt"});
}

bool ReadsDestination(const AssemblyInstruction& instruction) {
  return StartsWithAny(
      instruction.mnemonic,
      {"add", "and",     "cmp",    "dec",    "inc",  "neg", "not",
       "or",  "palignr", "pshufb", "punpck", "sal",  "sar", "shl",
       "shr", "sub",     "test",   "xor",    "pxor", "rol", "ror"});
}

}  // namespace

bool IsJump(const AssemblyInstruction& instruction) {
  return absl::StartsWith(instruction.mnemonic, "j");
}

bool IsConditionalJump(const AssemblyInstruction& instruction) {
  return IsJump(instruction) && !absl::StartsWith(instruction.mnemonic, "jmp");
}

bool IsReturn(const AssemblyInstruction& instruction) {
  return instruction.mnemonic == "ret" || instruction.mnemonic == "retq" ||
         instruction.mnemonic == "repz ret" ||
         instruction.mnemonic == "rep ret";
}

bool IsPrefetch(const AssemblyInstruction& instruction) {
  return absl::StartsWith(instruction.mnemonic, "prefetch");
}

bool IsLoad(const AssemblyInstruction& instruction) {
  return IsMove(instruction) &&
         instruction.operands[0].kind == OperandKind::kMemory &&
         instruction.operands[1].kind == OperandKind::kRegister;
}

bool IsStore(const AssemblyInstruction& instruction) {
  return IsMove(instruction) &&
         instruction.operands[0].kind == OperandKind::kRegister &&
         instruction.operands[1].kind == OperandKind::kMemory;
}

bool IsComparison(const AssemblyInstruction& instruction) {
  return StartsWithAny(instruction.mnemonic, {"cmp", "test"});
}

Uses UsesOf(const AssemblyInstruction& instruction) {
  Uses uses;
  if (absl::StartsWith(instruction.mnemonic, "rep")) {
    for (const char* name : {"%rcx", "%rsi", "%rdi"}) {
      uses.read.insert(name);
      uses.written.insert(name);
    }
    if (absl::StrContains(instruction.mnemonic, "stos")) {
      uses.read.insert("%rax");
    }
  }
  const bool compares = IsComparison(instruction);
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    const bool destination = i + 1 == instruction.operands.size() && !compares;
    for (const RegisterUse& use : RegistersIn(operand.text)) {
      const std::string whole = WholeRegister(use.name);
      const bool is_operand =
          operand.kind == OperandKind::kRegister && use.begin == 0;
      if (destination && is_operand) {
        uses.written.insert(whole);
        // A part of a register leaves the rest.
        const int bytes = RegisterBytes(use.name);
        if (ReadsDestination(instruction) || bytes == 1 || bytes == 2) {
          uses.read.insert(whole);
        }
      } else {
        uses.read.insert(whole);
      }
    }
  }
  if (WritesFlags(instruction)) uses.written.insert("flags");
  if (IsConditionalJump(instruction) ||
      StartsWithAny(instruction.mnemonic, {"cmov", "set", "adc", "sbb"})) {
    uses.read.insert("flags");
  }
  return uses;
}

bool DependOnEachOther(const AssemblyInstruction& a,
                       const AssemblyInstruction& b) {
  const Uses of_a = UsesOf(a), of_b = UsesOf(b);
  const auto meet = [](const std::set<std::string>& one,
                       const std::set<std::string>& other) {
    return std::any_of(one.begin(), one.end(), [&](const std::string& name) {
      return other.count(name) > 0;
    });
  };
  return meet(of_a.written, of_b.read) || meet(of_a.read, of_b.written) ||
         meet(of_a.written, of_b.written);
}

}  // namespace glibc_patches
