#include "glibc_patches/mutation/equivalence.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "absl/strings/match.h"
#include "absl/types/span.h"
#include "glibc_patches/mutation/instruction_kinds.h"

namespace glibc_patches {
namespace {

// Indices of the instructions that are changed.
std::vector<size_t> Changed(const RuleContext& context, const Mutant& mutant) {
  std::vector<size_t> changed;
  const auto& all = context.listing.instructions;
  for (size_t i = 0; i < all.size(); ++i) {
    if (std::any_of(mutant.edits.begin(), mutant.edits.end(),
                    [&](const TextEdit& edit) {
                      return edit.begin >= all[i].begin &&
                             edit.begin < all[i].begin + all[i].size;
                    })) {
      changed.push_back(i);
    }
  }
  return changed;
}

std::optional<int64_t> ImmediateOf(const AssemblyInstruction& instruction) {
  if (instruction.operands.size() != 2 ||
      instruction.operands[0].kind != OperandKind::kImmediate) {
    return std::nullopt;
  }
  return Evaluate(instruction.operands[0].text);
}

// A multiple of an alignment is added before instead of after aligning.
bool Commute(const RuleContext& context, const Mutant& mutant) {
  const std::vector<size_t> changed = Changed(context, mutant);
  if (mutant.rule != "swapped_instructions" || changed.size() != 2)
    return false;
  const auto& all = context.listing.instructions;
  const AssemblyInstruction* mask = &all[changed[0]];
  const AssemblyInstruction* sum = &all[changed[1]];
  if (!absl::StartsWith(mask->mnemonic, "and")) std::swap(mask, sum);
  const auto by = ImmediateOf(*mask), added = ImmediateOf(*sum);
  return absl::StartsWith(mask->mnemonic, "and") &&
         (absl::StartsWith(sum->mnemonic, "add") ||
          absl::StartsWith(sum->mnemonic, "sub")) &&
         by.has_value() && added.has_value() && *by < 0 &&
         (*by & -*by) == -*by && *added % *by == 0 &&
         mask->operands[1].text == sum->operands[1].text;
}

// The start of memset's loop is aligned more coarsely, by no more than the
// vectors that were stored before it: the loop sets some of them again.
bool AlignsWithinWhatIsSet(const RuleContext& context, const Mutant& mutant) {
  const std::vector<size_t> changed = Changed(context, mutant);
  if (mutant.rule != "wrong_alignment" || changed.size() != 1 ||
      !absl::StartsWith(mutant.source, "memset")) {
    return false;
  }
  const auto mask = ImmediateOf(context.listing.instructions[changed[0]]);
  const auto now = Evaluate(mutant.edits[0].replacement);
  return mask.has_value() && now.has_value() && *mask < 0 && *now < *mask &&
         -*now <= 4 * std::max(context.vector_bytes, 16);
}

// Aligned more finely, but as the vectors need it.
bool AlignsAsVectorsNeed(const RuleContext& context, const Mutant& mutant) {
  const std::vector<size_t> changed = Changed(context, mutant);
  if (mutant.rule != "wrong_alignment" || changed.size() != 1) return false;
  const auto mask = ImmediateOf(context.listing.instructions[changed[0]]);
  const auto now = Evaluate(mutant.edits[0].replacement);
  return mask.has_value() && now.has_value() && *mask < 0 && *now > *mask &&
         -*now >= std::max(context.vector_bytes, 16);
}

// Falls into code that sets the same bytes once more.
bool SetsAgain(const RuleContext&, const Mutant& mutant) {
  return mutant.rule == "dropped_return" &&
         absl::StartsWith(mutant.source, "memset");
}

// By how much an addition of a constant moves its register; nullopt: it is
// none.
std::optional<int64_t> StepOf(const AssemblyInstruction& instruction,
                              absl::string_view immediate) {
  const auto value = Evaluate(immediate);
  if (!value.has_value() || instruction.operands.size() != 2) {
    return std::nullopt;
  }
  if (absl::StartsWith(instruction.mnemonic, "add")) return *value;
  if (absl::StartsWith(instruction.mnemonic, "sub")) return -*value;
  return std::nullopt;
}

// How far a pointer to where a loop begins is moved on from the destination, by
// `number` in the place of the instruction's own; nullopt: it is not.
std::optional<int64_t> Advance(const AssemblyInstruction& instruction,
                               absl::string_view number) {
  if (!absl::StartsWith(instruction.mnemonic, "lea")) {
    return StepOf(instruction, number);
  }
  if (instruction.operands.size() != 2 ||
      instruction.operands[0].kind != OperandKind::kMemory ||
      RegistersIn(instruction.operands[0].text).size() != 1) {
    return std::nullopt;
  }
  Operand memory = instruction.operands[0];
  memory.text = std::string(number);
  return Evaluate(PartsOf(memory).displacement);
}

bool IsInLoop(const RuleContext& context, size_t instruction) {
  const auto& all = context.listing.instructions;
  for (size_t i = instruction; i < all.size(); ++i) {
    if (!IsJump(all[i]) || all[i].operands.empty()) continue;
    const auto target = context.targets.find(all[i].operands[0].text);
    if (target != context.targets.end() && target->second <= instruction) {
      return true;
    }
  }
  return false;
}

// The loop begins one vector lower, but above the destination's beginning.
bool BeginsWithinWhatIsSet(const RuleContext& context, const Mutant& mutant) {
  const std::vector<size_t> changed = Changed(context, mutant);
  if (mutant.rule != "wrong_vector_step" || changed.size() != 1 ||
      !absl::StartsWith(mutant.source, "memset") ||
      IsInLoop(context, changed[0])) {
    return false;
  }
  const AssemblyInstruction& begin = context.listing.instructions[changed[0]];
  if (begin.operands.empty()) return false;
  const auto was = Advance(begin, begin.operands[0].text);
  const auto is = Advance(begin, mutant.edits[0].replacement);
  return was.has_value() && is.has_value() && *is < *was &&
         *is >= std::max(context.vector_bytes, 16);
}

// Bytes in a row that the stores of [begin, end) set, beginning with the lowest
// one; 0 where one of them has another base than `pointer`, or an index.
int64_t BytesInARow(const RuleContext& context, size_t begin, size_t end,
                    absl::string_view pointer) {
  std::map<int64_t, int64_t> ends;  // by beginning
  for (size_t i = begin; i < end; ++i) {
    const AssemblyInstruction& store = context.listing.instructions[i];
    if (!IsStore(store)) continue;
    const MemoryParts parts = PartsOf(store.operands[1]);
    const auto displacement = Evaluate(parts.displacement);
    if (parts.registers != pointer || !parts.mask.empty() ||
        !displacement.has_value()) {
      return 0;
    }
    ends[*displacement] = *displacement + RegisterBytes(store.operands[0].text);
  }
  if (ends.empty()) return 0;
  int64_t reached = ends.begin()->first;
  for (const auto& [from, to] : ends) {
    if (from > reached) break;
    reached = std::max(reached, to);
  }
  return reached - ends.begin()->first;
}

// memset's loop moves on by less than it sets each time, and by whole vectors.
// It ends by the same comparison of the same register, so that it stays where
// the base may set.
bool StepsWithinWhatIsSet(const RuleContext& context, const Mutant& mutant) {
  const std::vector<size_t> changed = Changed(context, mutant);
  if (mutant.rule != "wrong_vector_step" || changed.size() != 1 ||
      !absl::StartsWith(mutant.source, "memset")) {
    return false;
  }
  const auto& all = context.listing.instructions;
  const AssemblyInstruction& step = all[changed[0]];
  const auto was = StepOf(step, step.operands[0].text);
  const auto is = StepOf(step, mutant.edits[0].replacement);
  const int vector = std::max(context.vector_bytes, 16);
  if (!was.has_value() || !is.has_value() || *is <= 0 || *is >= *was ||
      *is % vector != 0) {
    return false;
  }
  // The jump back, and where it leads.
  size_t jump = changed[0] + 1;
  while (jump < all.size() && !IsJump(all[jump])) ++jump;
  if (jump == all.size() || !IsConditionalJump(all[jump])) return false;
  const auto target = context.targets.find(all[jump].operands[0].text);
  return target != context.targets.end() && target->second <= changed[0] &&
         BytesInARow(context, target->second, jump, step.operands[1].text) >=
             *is;
}

// Bytes at the beginning of an operand that are stored apart, behind the rep
// movsb that comes next in the block of instruction `from`; 0 without one.
int64_t BytesStoredBehindCopy(const RuleContext& context, size_t from) {
  const auto& all = context.listing.instructions;
  const auto ends_block = [&](size_t i) {
    return i >= all.size() || !all[i].labels.empty() || IsJump(all[i]) ||
           IsReturn(all[i]);
  };
  size_t copy = from + 1;
  while (!ends_block(copy) && all[copy].mnemonic != "rep movsb") ++copy;
  if (ends_block(copy)) return 0;
  size_t store = copy + 1;
  while (!ends_block(store) && !IsStore(all[store])) ++store;
  if (ends_block(store)) return 0;
  size_t end = store;
  while (!ends_block(end)) ++end;
  const MemoryParts first = PartsOf(all[store].operands[1]);
  if (Evaluate(first.displacement) != 0) return 0;
  return BytesInARow(context, store, end, first.registers);
}

// A pointer that is aligned already moves on by the alignment instead of by
// nothing, and as many bytes at its beginning are stored apart, behind the
// copy.
bool AlignsPastWhatIsStoredApart(const RuleContext& context,
                                 const Mutant& mutant) {
  const std::vector<size_t> changed = Changed(context, mutant);
  if (mutant.rule != "immediate_off_by_one" || changed.size() != 1) {
    return false;
  }
  const auto& all = context.listing.instructions;
  const AssemblyInstruction& sum = all[changed[0]];
  const auto was = ImmediateOf(sum);
  const auto is = Evaluate(mutant.edits[0].replacement);
  if (!absl::StartsWith(sum.mnemonic, "add") || !was.has_value() ||
      is != *was + 1 || BytesStoredBehindCopy(context, changed[0]) < *is) {
    return false;
  }
  for (size_t i = changed[0] + 1; all[i].mnemonic != "rep movsb"; ++i) {
    if (absl::StartsWith(all[i].mnemonic, "and") &&
        ImmediateOf(all[i]) == -*is &&
        all[i].operands[1].text == sum.operands[1].text) {
      return true;
    }
  }
  return false;
}

// Aligned more finely for rep movsb, which needs no alignment; what is skipped
// is less than what is stored apart.
bool AlignsStringCopyFiner(const RuleContext& context, const Mutant& mutant) {
  const std::vector<size_t> changed = Changed(context, mutant);
  if (mutant.rule != "wrong_alignment" || changed.size() != 1) return false;
  const AssemblyInstruction& aligns = context.listing.instructions[changed[0]];
  const auto mask = ImmediateOf(aligns);
  const auto now = Evaluate(mutant.edits[0].replacement);
  if (!mask.has_value() || !now.has_value()) return false;
  const int64_t apart = BytesStoredBehindCopy(context, changed[0]);
  // "or 63" gives the last byte before an aligned one.
  if (absl::StartsWith(aligns.mnemonic, "or")) {
    return *now >= 0 && *now < *mask && apart > *mask;
  }
  return *mask < 0 && *now > *mask && apart >= -*mask;
}

// 32 bits of a register are moved that is masked to fewer at once.
bool MasksMoreThanIsLost(const RuleContext& context, const Mutant& mutant) {
  const std::vector<size_t> changed = Changed(context, mutant);
  const auto& all = context.listing.instructions;
  if (mutant.rule != "truncated_register" || changed.size() != 1 ||
      changed[0] + 1 == all.size()) {
    return false;
  }
  const AssemblyInstruction& move = all[changed[0]];
  const AssemblyInstruction& mask = all[changed[0] + 1];
  const auto bits = ImmediateOf(mask);
  return absl::StartsWith(move.mnemonic, "mov") && move.operands.size() == 2 &&
         mask.labels.empty() && absl::StartsWith(mask.mnemonic, "and") &&
         bits.has_value() && *bits >= 0 && *bits < int64_t{1} << 31 &&
         WholeRegister(mask.operands[1].text) ==
             WholeRegister(move.operands[1].text);
}

struct EquivalenceRow {
  bool (*holds)(const RuleContext& context, const Mutant& mutant);
  const char* reason;
};
constexpr EquivalenceRow kRows[] = {
    {AlignsAsVectorsNeed,
     "aligned to less, but to no less than the vectors need: the loop begins "
     "within what is stored apart from it"},
    {AlignsPastWhatIsStoredApart,
     "an aligned pointer moves on by the alignment, over bytes that are stored "
     "apart: they are not copied twice"},
    {AlignsStringCopyFiner,
     "aligned to less, which rep movsb bears: it begins within what is stored "
     "apart from it"},
    {AlignsWithinWhatIsSet,
     "the loop begins at most four vectors lower, in bytes that are set "
     "already: they are set to the same again"},
    {BeginsWithinWhatIsSet,
     "the loop begins one vector lower, in bytes that are set already: they "
     "are set to the same again"},
    {Commute,
     "a multiple of the alignment is added before instead of after aligning: "
     "the same number"},
    {MasksMoreThanIsLost, "the lost bits are masked away at once"},
    {StepsWithinWhatIsSet,
     "the loop moves on by less than it sets each time, and ends where it did: "
     "bytes are set to the same again"},
    {SetsAgain,
     "goes on in code of larger sizes, which sets bytes of the destination to "
     "the same again"},
};

bool IsOfOtherSign(const RuleContext&, const Mutant& mutant) {
  return mutant.rule == "wrong_sign";
}

// The sign of a sum or difference of addresses and sizes, or of an exclusive or
// of such, is wanted, and more of its upper bits are taken: these are copies of
// the sign, since addresses have 47 bits (57 with five levels of page tables).
bool TakesMoreOfTheSign(const RuleContext& context, const Mutant& mutant) {
  constexpr int64_t kAddressBits = 57;
  const std::vector<size_t> changed = Changed(context, mutant);
  if (mutant.rule != "shift_count" || changed.size() != 1) return false;
  const AssemblyInstruction& shift = context.listing.instructions[changed[0]];
  const auto was = ImmediateOf(shift);
  const auto is = Evaluate(mutant.edits[0].replacement);
  return absl::StartsWith(shift.mnemonic, "shr") &&
         RegisterBytes(shift.operands[1].text) == 8 && was == 63 &&
         is.has_value() && *is < 63 && *is > kAddressBits;
}

constexpr EquivalenceRow kNoneDiffers[] = {
    {IsOfOtherSign,
     "signed and unsigned differ only for numbers that no size and no address "
     "has"},
    {TakesMoreOfTheSign,
     "the bits below the sign are copies of it in all that addresses and sizes "
     "can make"},
};

std::optional<std::string> FirstThatHolds(absl::Span<const EquivalenceRow> rows,
                                          const RuleContext& context,
                                          const Mutant& mutant) {
  for (const EquivalenceRow& row : rows) {
    if (row.holds(context, mutant)) return row.reason;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> WhyEquivalent(const RuleContext& context,
                                         const Mutant& mutant) {
  return FirstThatHolds(kRows, context, mutant);
}

std::optional<std::string> WhyNoneDiffers(const RuleContext& context,
                                          const Mutant& mutant) {
  return FirstThatHolds(kNoneDiffers, context, mutant);
}

}  // namespace glibc_patches
