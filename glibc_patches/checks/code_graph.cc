#include "glibc_patches/checks/code_graph.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace glibc_patches {
namespace {

// Reach of a variant whose bounds are not known, and of a file's symbols.
constexpr uint64_t kUnknownReach = 16 << 10;
constexpr uint64_t kLargestFile = 64 << 10;
constexpr int kLongestTable = 256;

const ZydisDecoder& Decoder() {
  static const ZydisDecoder& decoder = [] {
    auto* made = new ZydisDecoder;
    ZydisDecoderInit(made, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return std::ref(*made);
  }();
  return decoder;
}

struct Decoded {
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

std::optional<Decoded> DecodeAt(uint64_t address, uint64_t room) {
  Decoded decoded;
  const ZyanStatus status = ZydisDecoderDecodeFull(
      &Decoder(), reinterpret_cast<const void*>(address),
      std::min<uint64_t>(room, ZYDIS_MAX_INSTRUCTION_LENGTH),
      &decoded.instruction, decoded.operands);
  if (!ZYAN_SUCCESS(status)) return std::nullopt;
  return decoded;
}

bool IsWritten(const ZydisDecodedOperand& operand) {
  return (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
}

bool DirtiesUpperHalves(const Decoded& decoded) {
  if (decoded.instruction.mnemonic == ZYDIS_MNEMONIC_VZEROALL ||
      decoded.instruction.mnemonic == ZYDIS_MNEMONIC_VZEROUPPER) {
    return false;
  }
  for (int i = 0; i < decoded.instruction.operand_count; ++i) {
    const ZydisDecodedOperand& operand = decoded.operands[i];
    if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER || !IsWritten(operand)) {
      continue;
    }
    const ZydisRegister reg = operand.reg.value;
    if ((reg >= ZYDIS_REGISTER_YMM0 && reg <= ZYDIS_REGISTER_YMM15) ||
        (reg >= ZYDIS_REGISTER_ZMM0 && reg <= ZYDIS_REGISTER_ZMM15)) {
      return true;
    }
  }
  return false;
}

Flow FlowOf(const Decoded& decoded) {
  const ZydisDecodedInstruction& instruction = decoded.instruction;
  const bool direct = decoded.operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
  switch (instruction.meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
      // xbegin is one too; its target is where an abort leads.
      return Flow::kConditional;
    case ZYDIS_CATEGORY_UNCOND_BR:
      return direct ? Flow::kJump : Flow::kIndirectJump;
    case ZYDIS_CATEGORY_RET:
      return Flow::kReturn;
    default:
      break;
  }
  switch (instruction.mnemonic) {
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
    case ZYDIS_MNEMONIC_INT3:
    case ZYDIS_MNEMONIC_HLT:
      return Flow::kTrap;
    default:
      return Flow::kNext;
  }
}

std::optional<uint64_t> AbsoluteOf(const Decoded& decoded, int operand,
                                   uint64_t address) {
  ZyanU64 result;
  if (!ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&decoded.instruction,
                                             &decoded.operands[operand],
                                             address, &result))) {
    return std::nullopt;
  }
  return result;
}

Instruction Summary(const Decoded& decoded, uint64_t address) {
  const ZydisDecodedInstruction& instruction = decoded.instruction;
  Instruction summary = {};
  summary.address = address;
  summary.length = instruction.length;
  summary.mnemonic = instruction.mnemonic;
  summary.isa_set = instruction.meta.isa_set;
  summary.locked = (instruction.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0;
  summary.dirties_upper_halves = DirtiesUpperHalves(decoded);
  if (instruction.cpu_flags != nullptr) {
    const ZydisAccessedFlags& flags = *instruction.cpu_flags;
    summary.writes_zero_flag =
        ((flags.modified | flags.set_0 | flags.set_1 | flags.undefined) &
         ZYDIS_CPUFLAG_ZF) != 0;
  }
  summary.flow = FlowOf(decoded);
  if (summary.flow == Flow::kJump || summary.flow == Flow::kConditional) {
    summary.target = AbsoluteOf(decoded, 0, address).value_or(0);
  }
  return summary;
}

}  // namespace

absl::StatusOr<CodeGraph> CodeGraph::Of(const kernels::Variant& variant) {
  CodeGraph graph;
  graph.entry_ = reinterpret_cast<uintptr_t>(variant.address);
  graph.begin_ = graph.entry_;
  graph.end_ = graph.entry_ + variant.code_size;
  if (variant.code_size == 0) {
    graph.begin_ -= std::min(graph.begin_, kUnknownReach);
    graph.end_ += kUnknownReach;
  }
  for (const kernels::Variant& other : kernels::AllVariants()) {
    if (variant.code_size == 0 || other.code_size == 0 ||
        other.tree != variant.tree || other.source != variant.source) {
      continue;
    }
    const uint64_t address = reinterpret_cast<uintptr_t>(other.address);
    const uint64_t begin = std::min(graph.begin_, address);
    const uint64_t end = std::max(graph.end_, address + other.code_size);
    if (end - begin > kLargestFile) continue;
    graph.begin_ = begin;
    graph.end_ = end;
  }
  graph.Decode(graph.entry_);
  graph.FindIndirectTargets();
  graph.FindComputedTargets();
  graph.MarkBlocks();
  if (graph.undecodable_.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "no instruction at ", FromEntry(variant, *graph.undecodable_)));
  }
  if (variant.code_size == 0 && (graph.has_call_ || graph.has_indirect_jump_)) {
    return absl::UnimplementedError("the bounds of its code are not known");
  }
  return graph;
}

void CodeGraph::Decode(uint64_t from) {
  std::vector<uint64_t> open = {from};
  while (!open.empty()) {
    const uint64_t address = open.back();
    open.pop_back();
    if (!Contains(address) || instructions_.count(address) > 0) continue;
    const std::optional<Decoded> decoded = DecodeAt(address, end_ - address);
    if (!decoded.has_value()) {
      undecodable_ = address;
      continue;
    }
    Instruction instruction = Summary(*decoded, address);
    if (instruction.flow == Flow::kIndirectJump) has_indirect_jump_ = true;
    if (instruction.mnemonic == ZYDIS_MNEMONIC_CALL) has_call_ = true;
    if (instruction.mnemonic == ZYDIS_MNEMONIC_LEA) {
      const auto data = AbsoluteOf(*decoded, 1, address);
      if (data.has_value()) {
        (Contains(*data) ? code_bases_ : tables_).insert(*data);
      }
    }
    if (!Contains(instruction.target)) instruction.target = 0;
    instructions_.emplace(address, instruction);
    for (uint64_t next : Successors(instruction)) open.push_back(next);
  }
}

void CodeGraph::FindIndirectTargets() {
  // Code behind a table may use the next one.
  for (size_t known = 0; has_indirect_jump_ && known < tables_.size();) {
    known = tables_.size();
    for (uint64_t table : std::set<uint64_t>(tables_)) {
      const auto next_table = tables_.upper_bound(table);
      for (int i = 0; i < kLongestTable; ++i) {
        if (next_table != tables_.end() && table + 4 * i >= *next_table) break;
        int32_t distance;
        std::memcpy(&distance, reinterpret_cast<const char*>(table) + 4 * i, 4);
        const uint64_t target = table + distance;
        if (!Contains(target)) break;
        indirect_targets_.insert(target);
        Decode(target);
      }
    }
  }
}

// Code whose address is taken. Where there are no tables it is the first of
// blocks of one size in a row, of which the code computes the one to jump to:
// one begins at the base and behind each jump or return that nothing falls
// through, up to the next base.
void CodeGraph::FindComputedTargets() {
  for (size_t known = 0; has_indirect_jump_ && known < code_bases_.size();) {
    known = code_bases_.size();
    for (const uint64_t base : std::set<uint64_t>(code_bases_)) {
      const auto next = code_bases_.upper_bound(base);
      const uint64_t end = next == code_bases_.end() ? end_ : *next;
      bool begins = true;
      if (!tables_.empty()) {
        indirect_targets_.insert(base);
        Decode(base);
        continue;
      }
      for (uint64_t address = base; address < end;) {
        const std::optional<Decoded> decoded =
            DecodeAt(address, end_ - address);
        if (!decoded.has_value()) break;
        if (decoded->instruction.mnemonic != ZYDIS_MNEMONIC_NOP) {
          if (begins) {
            indirect_targets_.insert(address);
            Decode(address);
          }
          const Flow flow = FlowOf(*decoded);
          begins = flow == Flow::kJump || flow == Flow::kReturn;
        }
        address += decoded->instruction.length;
      }
    }
  }
}

void CodeGraph::MarkBlocks() {
  blocks_.insert(entry_);
  blocks_.insert(indirect_targets_.begin(), indirect_targets_.end());
  for (const auto& [address, instruction] : instructions_) {
    if (instruction.flow == Flow::kNext) continue;
    for (uint64_t next : Successors(instruction)) blocks_.insert(next);
  }
}

std::vector<uint64_t> CodeGraph::Successors(
    const Instruction& instruction) const {
  const uint64_t next = instruction.address + instruction.length;
  switch (instruction.flow) {
    case Flow::kNext:
      return {next};
    case Flow::kJump:
      if (instruction.target == 0) return {};
      return {instruction.target};
    case Flow::kConditional:
      if (instruction.target == 0) return {next};
      return {next, instruction.target};
    case Flow::kIndirectJump:
      return {indirect_targets_.begin(), indirect_targets_.end()};
    case Flow::kReturn:
    case Flow::kTrap:
      return {};
  }
  return {};
}

void CodeGraph::Follow(int state, Step step) const {
  std::set<std::pair<uint64_t, int>> seen;
  std::vector<std::pair<uint64_t, int>> open = {{entry_, state}};
  const auto add = [&](uint64_t address, int next_state) {
    open.push_back({address, next_state});
  };
  while (!open.empty()) {
    const auto [address, before] = open.back();
    open.pop_back();
    const auto found = instructions_.find(address);
    if (found == instructions_.end()) continue;
    if (!seen.insert({address, before}).second) continue;
    const Instruction& instruction = found->second;
    if (instruction.flow != Flow::kConditional) {
      const int after = step(instruction, before, false);
      for (uint64_t next : Successors(instruction)) add(next, after);
      continue;
    }
    add(address + instruction.length, step(instruction, before, false));
    const int after_jump = step(instruction, before, true);
    if (instruction.target != 0) add(instruction.target, after_jump);
  }
}

std::string CodeGraph::Describe(const Instruction& instruction) const {
  char text[128] = "?";
  const std::optional<Decoded> decoded =
      DecodeAt(instruction.address, instruction.length);
  ZydisFormatter formatter;
  ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT);
  if (decoded.has_value()) {
    ZydisFormatterFormatInstruction(
        &formatter, &decoded->instruction, decoded->operands,
        decoded->instruction.operand_count_visible, text, sizeof(text),
        instruction.address, nullptr);
  }
  const int64_t offset = instruction.address - entry_;
  return absl::StrFormat("%s at %s0x%x from the entry", text,
                         offset < 0 ? "-" : "+",
                         static_cast<uint64_t>(std::abs(offset)));
}

std::string FromEntry(const kernels::Variant& variant, uint64_t address) {
  const int64_t offset = address - reinterpret_cast<uintptr_t>(variant.address);
  return absl::StrFormat("%s0x%x from the entry", offset < 0 ? "-" : "+",
                         static_cast<uint64_t>(std::abs(offset)));
}

}  // namespace glibc_patches
