// Preprocessed assembler text (AT&T syntax) as a list of instructions that can
// be edited in place.

#ifndef GLIBC_PATCHES_MUTATION_ASSEMBLY_H_
#define GLIBC_PATCHES_MUTATION_ASSEMBLY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace glibc_patches {

enum class OperandKind { kImmediate, kRegister, kMemory, kOther };

struct Operand {
  OperandKind kind;
  // Bytes from the start of the listing's text.
  size_t begin;
  size_t size;
  // As it stands: "$(32 * 2)", "%rdx", "-32(%rsi, %rdx)", ".Lmore".
  std::string text;
};

struct AssemblyInstruction {
  size_t begin;  // in the listing's text, labels and blanks left out
  size_t size;
  // In lower case, with prefixes: "rep movsb".
  std::string mnemonic;
  // In the order of the text: the destination is the last.
  std::vector<Operand> operands;
  // The place in the source, as the preprocessor's line markers tell it. The
  // path as they have it.
  std::string file;
  int line;
  // Labels that stand between the instruction before and this one.
  std::vector<std::string> labels;
  // The last label that is no local one (".L", digits).
  std::string function;
};

struct Listing {
  std::string text;
  std::vector<AssemblyInstruction> instructions;

  absl::string_view TextOf(const AssemblyInstruction& instruction) const {
    return absl::string_view(text).substr(instruction.begin, instruction.size);
  }
};

// Statements are separated by newlines and ";". Directives are passed over:
// only what stands in sections that hold code is listed by glibc's files, so
// that no section is looked at.
Listing ParseListing(std::string text);

// "-32" and "%rsi, %rdx" of "-32(%rsi, %rdx){%k1}"; of "sym(%rip)" too.
struct MemoryParts {
  std::string displacement;
  std::string registers;  // between the parentheses
  std::string mask;       // "{%k1}", or empty
};
MemoryParts PartsOf(const Operand& memory);

// The value of "$(32 * 2)", "(32 * -4 + -1)", "0x1C0", "" (0); nullopt where a
// symbol stands in it.
std::optional<int64_t> Evaluate(absl::string_view expression);

// The names of registers in `text`, with where they begin: "%rsi", "%ymm16".
struct RegisterUse {
  size_t begin;  // in `text`
  std::string name;
};
std::vector<RegisterUse> RegistersIn(absl::string_view text);

// The 64-bit register that a general register is a part of: "%cl" -> "%rcx";
// of a vector register the widest, "%xmm3" -> "%zmm3". Others as they are.
std::string WholeRegister(absl::string_view name);

// A part of a general register, as wide as `like`: ("%rcx", "%esi") -> "%ecx".
std::string RegisterAsWideAs(absl::string_view whole, absl::string_view like);

// Bytes of a register: 1, 2, 4, 8, 16, 32, 64; 0 for a mask or others.
int RegisterBytes(absl::string_view name);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_MUTATION_ASSEMBLY_H_
