// What the rules ask about an instruction.

#ifndef GLIBC_PATCHES_MUTATION_INSTRUCTION_KINDS_H_
#define GLIBC_PATCHES_MUTATION_INSTRUCTION_KINDS_H_

#include <set>
#include <string>

#include "glibc_patches/mutation/assembly.h"

namespace glibc_patches {

// Any jump, also unconditional and indirect.
bool IsJump(const AssemblyInstruction& instruction);
bool IsConditionalJump(const AssemblyInstruction& instruction);
bool IsReturn(const AssemblyInstruction& instruction);
bool IsPrefetch(const AssemblyInstruction& instruction);
// A move from memory to a register, and from a register to memory.
bool IsLoad(const AssemblyInstruction& instruction);
bool IsStore(const AssemblyInstruction& instruction);
// cmp and test: only flags are written.
bool IsComparison(const AssemblyInstruction& instruction);

// Whole registers ("%rcx", "%zmm3", "%k1") that it reads or writes by the names
// that stand in it, and "flags". What a mnemonic alone implies (rep movsb) is
// in both.
struct Uses {
  std::set<std::string> read;
  std::set<std::string> written;
};
Uses UsesOf(const AssemblyInstruction& instruction);

// One of them writes what the other reads or writes.
bool DependOnEachOther(const AssemblyInstruction& a,
                       const AssemblyInstruction& b);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_MUTATION_INSTRUCTION_KINDS_H_
