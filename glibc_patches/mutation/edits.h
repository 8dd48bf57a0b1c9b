// How the rules write their edits.

#ifndef GLIBC_PATCHES_MUTATION_EDITS_H_
#define GLIBC_PATCHES_MUTATION_EDITS_H_

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "glibc_patches/mutation/assembly.h"
#include "glibc_patches/mutation/mutant.h"

namespace glibc_patches {

inline TextEdit Replace(const Operand& operand, std::string with) {
  return {operand.begin, operand.size, std::move(with)};
}

inline TextEdit Replace(const AssemblyInstruction& instruction,
                        std::string with) {
  return {instruction.begin, instruction.size, std::move(with)};
}

// Of an instruction without prefix.
inline TextEdit ReplaceMnemonic(const AssemblyInstruction& instruction,
                                std::string with) {
  return {instruction.begin, instruction.mnemonic.size(), std::move(with)};
}

inline TextEdit Remove(const AssemblyInstruction& instruction) {
  return {instruction.begin, instruction.size, ""};
}

inline TextEdit InsertBefore(const AssemblyInstruction& instruction,
                             std::string what) {
  return {instruction.begin, 0, std::move(what)};
}

// "$(32 * 2)" with `change` "+1" is "$(32 * 2)+1".
inline std::string Changed(const Operand& immediate, const char* change) {
  return absl::StrCat(immediate.text, change);
}

// A memory operand with another displacement.
inline std::string WithDisplacement(const MemoryParts& parts,
                                    const std::string& displacement) {
  return absl::StrCat(displacement, "(", parts.registers, ")", parts.mask);
}

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_MUTATION_EDITS_H_
