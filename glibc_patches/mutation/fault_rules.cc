#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "glibc_patches/mutation/edits.h"
#include "glibc_patches/mutation/instruction_kinds.h"
#include "glibc_patches/mutation/rules.h"

namespace glibc_patches {
namespace {

using Emit = Rule::Emit;

const AssemblyInstruction& At(const RuleContext& context, size_t i) {
  return context.listing.instructions[i];
}

// The next instruction, when nothing can jump between the two.
const AssemblyInstruction* Successor(const RuleContext& context, size_t i) {
  if (i + 1 >= context.listing.instructions.size()) return nullptr;
  const AssemblyInstruction& next = At(context, i + 1);
  return next.labels.empty() && !IsReturn(At(context, i)) ? &next : nullptr;
}

bool HasMnemonic(const AssemblyInstruction& instruction,
                 std::initializer_list<absl::string_view> stems) {
  // "and", "andl", "andq": a stem with or without a suffix of a width.
  return std::any_of(stems.begin(), stems.end(), [&](absl::string_view stem) {
    absl::string_view rest = instruction.mnemonic;
    return absl::ConsumePrefix(&rest, stem) &&
           (rest.empty() || rest == "b" || rest == "w" || rest == "l" ||
            rest == "q");
  });
}

const Operand* Immediate(const AssemblyInstruction& instruction) {
  if (instruction.operands.empty()) return nullptr;
  const Operand& first = instruction.operands[0];
  return first.kind == OperandKind::kImmediate ? &first : nullptr;
}

bool IsShift(const AssemblyInstruction& instruction) {
  return HasMnemonic(instruction, {"shl", "shr", "sal", "sar"}) ||
         absl::EndsWith(instruction.mnemonic, "palignr");
}

// Memory operands that a call can see: not of prefetches, not thresholds.
template <typename Use>
void ForEachMemory(const AssemblyInstruction& instruction, Use use) {
  if (IsPrefetch(instruction)) return;
  for (const Operand& operand : instruction.operands) {
    if (operand.kind != OperandKind::kMemory) continue;
    const MemoryParts parts = PartsOf(operand);
    if (absl::StrContains(parts.registers, "%rip")) continue;
    if (!Evaluate(parts.displacement).has_value()) continue;
    use(operand, parts);
  }
}

std::string Sum(const std::string& displacement, int64_t by) {
  const std::string change = absl::StrCat(by < 0 ? "" : "+", by);
  return displacement.empty() ? std::to_string(by)
                              : absl::StrCat(displacement, change);
}

void Displacement(const RuleContext& context, size_t i, Emit emit) {
  const AssemblyInstruction& instruction = At(context, i);
  ForEachMemory(
      instruction, [&](const Operand& operand, const MemoryParts& parts) {
        for (int by : {1, -1}) {
          emit({Replace(operand,
                        WithDisplacement(parts, Sum(parts.displacement, by)))});
        }
      });
}

void VectorOffset(const RuleContext& context, size_t i, Emit emit) {
  const AssemblyInstruction& instruction = At(context, i);
  const int by = std::max(context.vector_bytes, 16);
  ForEachMemory(
      instruction, [&](const Operand& operand, const MemoryParts& parts) {
        if (RegisterBytes(instruction.operands[0].text) < 16 &&
            RegisterBytes(instruction.operands.back().text) < 16) {
          return;
        }
        emit({Replace(operand,
                      WithDisplacement(parts, Sum(parts.displacement, by)))});
      });
}

void VectorStep(const RuleContext& context, size_t i, Emit emit) {
  const AssemblyInstruction& instruction = At(context, i);
  const int by = std::max(context.vector_bytes, 16);
  if (HasMnemonic(instruction, {"add", "sub"})) {
    const Operand* immediate = Immediate(instruction);
    if (immediate == nullptr) return;
    const auto value = Evaluate(immediate->text);
    if (!value.has_value() || *value == 0 || *value % 16 != 0) return;
    for (int step : {by, -by}) {
      emit({Replace(*immediate, Sum(absl::StrCat(immediate->text), step))});
    }
  } else if (HasMnemonic(instruction, {"lea"})) {
    ForEachMemory(
        instruction, [&](const Operand& operand, const MemoryParts& parts) {
          if (std::abs(*Evaluate(parts.displacement)) < 16) return;
          for (int step : {by, -by}) {
            emit({Replace(operand, WithDisplacement(
                                       parts, Sum(parts.displacement, step)))});
          }
        });
  }
}

void ImmediateOffByOne(const RuleContext& context, size_t i, Emit emit) {
  const AssemblyInstruction& instruction = At(context, i);
  const Operand* immediate = Immediate(instruction);
  if (immediate == nullptr || IsShift(instruction)) return;
  emit({Replace(*immediate, Changed(*immediate, "+1"))});
  emit({Replace(*immediate, Changed(*immediate, "-1"))});
}

void ShiftCount(const RuleContext& context, size_t i, Emit emit) {
  const AssemblyInstruction& instruction = At(context, i);
  const Operand* immediate = Immediate(instruction);
  if (immediate == nullptr || !IsShift(instruction)) return;
  emit({Replace(*immediate, Changed(*immediate, "+1"))});
  emit({Replace(*immediate, Changed(*immediate, "-1"))});
}

// The general registers that the memory functions work with, in a ring.
constexpr absl::string_view kRing[] = {"%rdi", "%rsi", "%rdx",
                                       "%rcx", "%r8",  "%r9"};

std::optional<std::string> OtherRegister(absl::string_view name) {
  const std::string whole = WholeRegister(name);
  for (size_t i = 0; i < std::size(kRing); ++i) {
    if (kRing[i] == whole) {
      return RegisterAsWideAs(kRing[(i + 1) % std::size(kRing)], name);
    }
  }
  if (whole == "%rax" || whole == "%r10" || whole == "%r11") {
    return RegisterAsWideAs("%rcx", name);
  }
  const int bytes = RegisterBytes(name);
  int number = 0;
  if (bytes >= 16 && absl::SimpleAtoi(name.substr(4), &number)) {
    return absl::StrCat(name.substr(0, 4), number ^ 1);
  }
  return std::nullopt;
}

void WrongRegister(const RuleContext& context, size_t i, Emit emit) {
  const AssemblyInstruction& instruction = At(context, i);
  if (IsPrefetch(instruction) || IsJump(instruction)) return;
  for (const Operand& operand : instruction.operands) {
    for (const RegisterUse& use : RegistersIn(operand.text)) {
      const auto other = OtherRegister(use.name);
      if (!other.has_value()) continue;
      emit({{operand.begin + use.begin, use.name.size(), *other}});
    }
  }
}

void DroppedInstruction(const RuleContext& context, size_t i, Emit emit) {
  const AssemblyInstruction& instruction = At(context, i);
  if (IsJump(instruction) || IsReturn(instruction) || IsPrefetch(instruction)) {
    return;
  }
  for (absl::string_view other :
       {"sfence", "vzeroupper", "vzeroall", "nop", "endbr64"}) {
    if (instruction.mnemonic == other) return;
  }
  emit({Remove(instruction)});
}

void DroppedReturn(const RuleContext& context, size_t i, Emit emit) {
  if (IsReturn(At(context, i))) emit({Remove(At(context, i))});
}

void SwappedInstructions(const RuleContext& context, size_t i, Emit emit) {
  const AssemblyInstruction& first = At(context, i);
  const AssemblyInstruction* second = Successor(context, i);
  if (second == nullptr) return;
  for (const AssemblyInstruction* each : {&first, second}) {
    if (IsJump(*each) || IsReturn(*each) || IsPrefetch(*each)) return;
  }
  // Two writers of flags: the later one counts only where a jump follows.
  Uses a = UsesOf(first), b = UsesOf(*second);
  a.written.erase("flags");
  const auto meet = [](const std::set<std::string>& one,
                       const std::set<std::string>& other) {
    return std::any_of(one.begin(), one.end(), [&](const std::string& name) {
      return other.count(name) > 0;
    });
  };
  const bool registers = meet(a.written, b.read) || meet(a.read, b.written) ||
                         meet(a.written, b.written);
  // Operands of memmove may overlap.
  const bool memory = (IsLoad(first) && IsStore(*second)) ||
                      (IsStore(first) && IsLoad(*second));
  if (!registers && !memory) return;
  emit({Replace(first, std::string(context.listing.TextOf(*second))),
        Replace(*second, std::string(context.listing.TextOf(first)))});
}

struct JumpRow {
  absl::string_view jump;
  absl::string_view inverted;
  // Differs where the compared are equal; empty where nothing does.
  absl::string_view weakened;
  // For signed numbers instead of unsigned ones or the other way round.
  absl::string_view other_sign;
};
constexpr JumpRow kJumps[] = {
    {"ja", "jbe", "jae", "jg"}, {"jae", "jb", "ja", "jge"},
    {"jb", "jae", "jbe", "jl"}, {"jbe", "ja", "jb", "jle"},
    {"jc", "jnc", "", ""},      {"je", "jne", "", ""},
    {"jg", "jle", "jge", "ja"}, {"jge", "jl", "jg", "jae"},
    {"jl", "jge", "jle", "jb"}, {"jle", "jg", "jl", "jbe"},
    {"jnc", "jc", "", ""},      {"jne", "je", "", ""},
    {"jns", "js", "", ""},      {"jnz", "jz", "", ""},
    {"js", "jns", "", ""},      {"jz", "jnz", "", ""},
};

void Jump(const RuleContext& context, size_t i,
          absl::string_view JumpRow::*column, Emit emit) {
  const AssemblyInstruction& instruction = At(context, i);
  for (const JumpRow& row : kJumps) {
    if (row.jump != instruction.mnemonic || (row.*column).empty()) continue;
    emit({ReplaceMnemonic(instruction, std::string(row.*column))});
  }
}

void InvertedBranch(const RuleContext& context, size_t i, Emit emit) {
  Jump(context, i, &JumpRow::inverted, emit);
}
void WeakenedBranch(const RuleContext& context, size_t i, Emit emit) {
  Jump(context, i, &JumpRow::weakened, emit);
}
void WrongSign(const RuleContext& context, size_t i, Emit emit) {
  Jump(context, i, &JumpRow::other_sign, emit);
}

void DroppedBranch(const RuleContext& context, size_t i, Emit emit) {
  if (IsConditionalJump(At(context, i))) emit({Remove(At(context, i))});
}

void ForcedBranch(const RuleContext& context, size_t i, Emit emit) {
  if (!IsConditionalJump(At(context, i))) return;
  emit({ReplaceMnemonic(At(context, i), "jmp")});
}

void WrongTarget(const RuleContext& context, size_t i, Emit emit) {
  const AssemblyInstruction& instruction = At(context, i);
  if (!IsJump(instruction) || instruction.operands.size() != 1) return;
  const auto target = context.targets.find(instruction.operands[0].text);
  if (target == context.targets.end()) return;
  // The label that comes next in the text.
  const std::string* next = nullptr;
  size_t nearest = context.listing.instructions.size();
  for (const auto& [label, index] : context.targets) {
    if (!absl::StartsWith(label, ".L") || index <= target->second) continue;
    if (index >= nearest) continue;
    next = &label;
    nearest = index;
  }
  if (next != nullptr) emit({Replace(instruction.operands[0], *next)});
}

// A comparison of two addresses or distances, and the jump out of the way that
// it decides.
void DroppedOverlapCheck(const RuleContext& context, size_t i, Emit emit) {
  const AssemblyInstruction& compare = At(context, i);
  const AssemblyInstruction* jump = Successor(context, i);
  if (jump == nullptr || !HasMnemonic(compare, {"cmp", "test"}) ||
      !IsConditionalJump(*jump) || compare.operands.size() != 2 ||
      jump->operands.size() != 1) {
    return;
  }
  for (const Operand& operand : compare.operands) {
    if (RegisterBytes(operand.text) != 8) return;
  }
  // Not whether one is zero.
  if (compare.operands[0].text == compare.operands[1].text) return;
  // Loops jump back.
  const auto target = context.targets.find(jump->operands[0].text);
  if (target != context.targets.end() && target->second <= i) return;
  emit({Remove(compare), Remove(*jump)});
}

void SwappedComparison(const RuleContext& context, size_t i, Emit emit) {
  const AssemblyInstruction& compare = At(context, i);
  if (!HasMnemonic(compare, {"cmp"}) || compare.operands.size() != 2) return;
  const Operand& one = compare.operands[0];
  const Operand& other = compare.operands[1];
  if (one.kind != OperandKind::kRegister ||
      other.kind != OperandKind::kRegister) {
    return;
  }
  emit({Replace(one, other.text), Replace(other, one.text)});
}

void LostFence(const RuleContext& context, size_t i, Emit emit) {
  if (At(context, i).mnemonic == "sfence") emit({Remove(At(context, i))});
}

void LostVzeroupper(const RuleContext& context, size_t i, Emit emit) {
  const std::string& mnemonic = At(context, i).mnemonic;
  if (mnemonic == "vzeroupper" || mnemonic == "vzeroall") {
    emit({Remove(At(context, i))});
  }
}

void ClobberedRegister(const RuleContext& context, size_t i, Emit emit) {
  constexpr std::array<absl::string_view, 7> kClobbers = {
      "mov %rdx, %rbx", "xor %ebp, %ebp", "inc %r12", "mov %rdi, %r13",
      "dec %r14",       "not %r15",       "std"};
  if (!IsReturn(At(context, i))) return;
  emit({InsertBefore(At(context, i),
                     absl::StrCat(kClobbers[i % kClobbers.size()], "; "))});
}

void WrongReturnValue(const RuleContext& context, size_t i, Emit emit) {
  constexpr std::array<absl::string_view, 3> kChanges = {"inc %rax", "dec %rax",
                                                         "xor %eax, %eax"};
  const AssemblyInstruction& instruction = At(context, i);
  if (!IsReturn(instruction)) return;
  emit({InsertBefore(instruction,
                     absl::StrCat(kChanges[i % kChanges.size()], "; "))});
}

void WrongMask(const RuleContext& context, size_t i, Emit emit) {
  const AssemblyInstruction& instruction = At(context, i);
  for (const Operand& operand : instruction.operands) {
    const size_t mask = operand.text.find("{%k");
    if (mask == std::string::npos) continue;
    emit({Replace(operand, operand.text.substr(0, mask))});
  }
  if (absl::StartsWith(instruction.mnemonic, "bzhi") &&
      instruction.operands.size() == 3) {
    emit({Replace(instruction.operands[0], instruction.operands[1].text),
          Replace(instruction.operands[1], instruction.operands[0].text)});
  }
  const Operand* immediate = Immediate(instruction);
  if (immediate == nullptr || !HasMnemonic(instruction, {"and"})) return;
  const auto value = Evaluate(immediate->text);
  if (!value.has_value() || *value <= 0) return;
  emit({Replace(*immediate, absl::StrCat("$", *value >> 1))});
  emit({Replace(*immediate, absl::StrCat("$", *value << 1 | 1))});
}

// Coarser and finer by one power of two.
void WrongAlignment(const RuleContext& context, size_t i, Emit emit) {
  const AssemblyInstruction& instruction = At(context, i);
  const Operand* immediate = Immediate(instruction);
  if (immediate == nullptr) return;
  const auto value = Evaluate(immediate->text);
  if (!value.has_value()) return;
  const auto is_power = [](int64_t n) { return n > 1 && (n & (n - 1)) == 0; };
  if (HasMnemonic(instruction, {"and"}) && is_power(-*value)) {
    emit({Replace(*immediate, absl::StrCat("$", *value * 2))});
    emit({Replace(*immediate, absl::StrCat("$", *value / 2))});
  } else if (HasMnemonic(instruction, {"or", "add"}) && is_power(*value + 1)) {
    emit({Replace(*immediate, absl::StrCat("$", *value * 2 + 1))});
    emit({Replace(*immediate, absl::StrCat("$", *value / 2))});
  }
}

void WrongThreshold(const RuleContext& context, size_t i, Emit emit) {
  const AssemblyInstruction& instruction = At(context, i);
  constexpr absl::string_view kFlags = "__x86_string_control";
  for (const Operand& operand : instruction.operands) {
    for (const std::string& variable : context.variables) {
      if (operand.text.find(absl::StrCat(variable, "(%rip)")) != 0 ||
          variable == kFlags) {
        continue;
      }
      for (const std::string& other : context.variables) {
        if (other == variable || other == kFlags) continue;
        emit({Replace(operand, absl::StrCat(other, "(%rip)"))});
      }
    }
  }
}

absl::string_view HalfAsWide(absl::string_view name) {
  if (absl::StartsWith(name, "%zmm")) return "%ymm";
  return absl::StartsWith(name, "%ymm") ? "%xmm" : "";
}

// Half of a load's or store's bytes.
void NarrowedAccess(const RuleContext& context, size_t i, Emit emit) {
  const AssemblyInstruction& instruction = At(context, i);
  if (!IsLoad(instruction) && !IsStore(instruction)) return;
  const Operand& operand = instruction.operands[IsLoad(instruction) ? 1 : 0];
  const Operand& memory = instruction.operands[IsLoad(instruction) ? 0 : 1];
  if (absl::StrContains(memory.text, "%rip")) return;
  const int bytes = RegisterBytes(operand.text);
  if (bytes >= 32) {
    emit({Replace(operand, absl::StrCat(HalfAsWide(operand.text),
                                        operand.text.substr(4)))});
  } else if (bytes == 16) {
    const bool legacy = !absl::StartsWith(instruction.mnemonic, "v");
    if (absl::StrContains(instruction.mnemonic, "nt") ||
        absl::EndsWith(instruction.mnemonic, "d") ||
        absl::EndsWith(instruction.mnemonic, "q")) {
      return;
    }
    emit({ReplaceMnemonic(instruction, legacy ? "movlps" : "vmovq")});
  } else if (HasMnemonic(instruction, {"mov"}) && (bytes == 8 || bytes == 4)) {
    const std::string half = RegisterAsWideAs(WholeRegister(operand.text),
                                              bytes == 8 ? "%eax" : "%ax");
    const TextEdit mnemonic =
        ReplaceMnemonic(instruction, bytes == 8 ? "movl" : "movw");
    emit({mnemonic, Replace(operand, half)});
  } else if (instruction.mnemonic == "movzwl") {
    emit({ReplaceMnemonic(instruction, "movzbl")});
  }
}

void AlignedAccess(const RuleContext& context, size_t i, Emit emit) {
  constexpr std::pair<absl::string_view, absl::string_view> kAligned[] = {
      {"movdqu", "movdqa"},   {"movups", "movaps"},
      {"vmovdqu", "vmovdqa"}, {"vmovdqu64", "vmovdqa64"},
      {"vmovups", "vmovaps"},
  };
  const AssemblyInstruction& instruction = At(context, i);
  for (const auto& [unaligned, aligned] : kAligned) {
    if (instruction.mnemonic != unaligned) continue;
    emit({ReplaceMnemonic(instruction, std::string(aligned))});
  }
}

void DroppedRepeat(const RuleContext& context, size_t i, Emit emit) {
  const AssemblyInstruction& instruction = At(context, i);
  absl::string_view string = instruction.mnemonic;
  if (!absl::ConsumePrefix(&string, "rep ")) return;
  if (!absl::StartsWith(string, "movs") && !absl::StartsWith(string, "stos")) {
    return;
  }
  emit({Replace(instruction, std::string(string))});
}

// The upper half of a size or an address is lost.
void TruncatedRegister(const RuleContext& context, size_t i, Emit emit) {
  const AssemblyInstruction& instruction = At(context, i);
  if (!HasMnemonic(instruction,
                   {"add", "and", "cmp", "dec", "inc", "lea", "mov", "neg",
                    "sal", "shl", "shr", "sub", "test"})) {
    return;
  }
  std::vector<TextEdit> edits;
  if (absl::EndsWith(instruction.mnemonic, "q")) {
    std::string narrow = instruction.mnemonic;
    narrow.back() = 'l';
    edits.push_back(ReplaceMnemonic(instruction, std::move(narrow)));
  }
  const bool computes = HasMnemonic(instruction, {"lea"});
  bool any = false;
  for (const Operand& operand : instruction.operands) {
    if (operand.kind == OperandKind::kMemory && !computes &&
        !absl::StrContains(operand.text, "%rip")) {
      return;
    }
    if (operand.kind != OperandKind::kRegister) continue;
    if (RegisterBytes(operand.text) != 8) return;
    any = true;
    edits.push_back(Replace(operand, RegisterAsWideAs(operand.text, "%eax")));
  }
  if (any) emit(std::move(edits));
}

// Sorted.
constexpr Rule kRules[] = {
    {"aligned_access", "an access that needs no alignment needs one",
     AlignedAccess},
    {"clobbered_register",
     "a callee-saved register or the direction flag is "
     "changed before a return",
     ClobberedRegister},
    {"displacement_off_by_one", "an address one byte off", Displacement},
    {"dropped_branch", "a conditional jump never taken", DroppedBranch},
    {"dropped_instruction", "an instruction left out", DroppedInstruction},
    {"dropped_overlap_check", "a comparison of addresses and its jump left out",
     DroppedOverlapCheck},
    {"dropped_repeat", "a string instruction without its rep", DroppedRepeat},
    {"dropped_return", "a return left out", DroppedReturn},
    {"forced_branch", "a conditional jump always taken", ForcedBranch},
    {"immediate_off_by_one", "a constant one off", ImmediateOffByOne},
    {"inverted_branch", "a conditional jump the other way", InvertedBranch},
    {"lost_fence", "an sfence left out", LostFence},
    {"lost_vzeroupper", "a vzeroupper or vzeroall left out", LostVzeroupper},
    {"narrowed_access", "half of the bytes of a load or store", NarrowedAccess},
    {"shift_count", "a shift by one more or less", ShiftCount},
    {"swapped_comparison", "operands of a comparison exchanged",
     SwappedComparison},
    {"swapped_instructions",
     "two instructions that depend on each other, or a "
     "load and a store, exchanged",
     SwappedInstructions},
    {"truncated_register", "32 bits of a size or an address",
     TruncatedRegister},
    {"weakened_branch", "a conditional jump wrong where both sides are equal",
     WeakenedBranch},
    {"wrong_alignment", "aligned to twice or half as much", WrongAlignment},
    {"wrong_mask", "a tail mask dropped, exchanged, doubled or halved",
     WrongMask},
    {"wrong_register", "another register", WrongRegister},
    {"wrong_return_value", "the result changed before a return",
     WrongReturnValue},
    {"wrong_sign", "signed instead of unsigned, or the reverse", WrongSign},
    {"wrong_target", "a jump to the label after the right one", WrongTarget},
    {"wrong_threshold", "another threshold variable", WrongThreshold},
    {"wrong_vector_offset", "an access one vector off", VectorOffset},
    {"wrong_vector_step", "a step or an end one vector off", VectorStep},
};

}  // namespace

absl::Span<const Rule> FaultRules() { return kRules; }

}  // namespace glibc_patches
