// A variant's machine code as instructions and basic blocks: what its entry can
// lead to.

#ifndef GLIBC_PATCHES_CHECKS_CODE_GRAPH_H_
#define GLIBC_PATCHES_CHECKS_CODE_GRAPH_H_

#include <Zydis/Zydis.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "kernels/variant.h"

namespace glibc_patches {

enum class Flow {
  kNext,
  kJump,
  kConditional,
  // To the graph's indirect_targets().
  kIndirectJump,
  kReturn,
  // ud2, int3, hlt: nothing comes after it.
  kTrap,
};

struct Instruction {
  uint64_t address;
  int length;
  ZydisMnemonic mnemonic;
  ZydisISASet isa_set;
  bool locked;
  // Of ymm0-15 or zmm0-15, by an instruction that leaves their upper halves
  // other than zero.
  bool dirties_upper_halves;
  bool writes_zero_flag;
  Flow flow;
  // Of kJump and kConditional; 0 when it leads out of the variant's file.
  uint64_t target;
};

class CodeGraph {
 public:
  // An error says what cannot be followed. Code of one source file is one
  // range: from its lowest symbol to the end of its highest (assembly between
  // symbols included). A variant with code_size 0 is followed wherever its
  // jumps lead, within 16 KiB of its entry.
  static absl::StatusOr<CodeGraph> Of(const kernels::Variant& variant);

  const std::map<uint64_t, Instruction>& instructions() const {
    return instructions_;
  }
  // First addresses of the basic blocks.
  const std::set<uint64_t>& blocks() const { return blocks_; }
  uint64_t entry() const { return entry_; }
  // Targets of indirect jumps: read from the tables of 32-bit distances that
  // the code takes the address of, and the blocks in a row behind code whose
  // address it takes.
  const std::set<uint64_t>& indirect_targets() const {
    return indirect_targets_;
  }

  // Follows every path from the entry with a small state, once for each state
  // that an instruction can be reached in. `step` gives the state after an
  // instruction; of a conditional jump, for both ways.
  using Step = absl::FunctionRef<int(const Instruction& instruction, int state,
                                     bool jumps)>;
  void Follow(int state, Step step) const;

  // "vmovdqu %ymm0, (%rdi) at +0x12 from the entry"
  std::string Describe(const Instruction& instruction) const;

 private:
  CodeGraph() = default;
  void Decode(uint64_t from);
  void FindIndirectTargets();
  void FindComputedTargets();
  void MarkBlocks();
  std::vector<uint64_t> Successors(const Instruction& instruction) const;
  bool Contains(uint64_t address) const {
    return address >= begin_ && address < end_;
  }

  uint64_t entry_ = 0;
  uint64_t begin_ = 0;
  uint64_t end_ = 0;
  std::map<uint64_t, Instruction> instructions_;
  std::set<uint64_t> blocks_;
  std::set<uint64_t> indirect_targets_;
  // Addresses of data that the code computes.
  std::set<uint64_t> tables_;
  // Addresses of code that the code computes.
  std::set<uint64_t> code_bases_;
  bool has_indirect_jump_ = false;
  std::optional<uint64_t> undecodable_;
  bool has_call_ = false;
};

// "+0x12 from the entry", "-0x40 from the entry"
std::string FromEntry(const kernels::Variant& variant, uint64_t address);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_CHECKS_CODE_GRAPH_H_
