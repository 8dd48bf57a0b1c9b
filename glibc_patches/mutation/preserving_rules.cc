#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "glibc_patches/mutation/edits.h"
#include "glibc_patches/mutation/instruction_kinds.h"
#include "glibc_patches/mutation/rules.h"

namespace glibc_patches {
namespace {

using Emit = Rule::Emit;

const AssemblyInstruction& At(const RuleContext& context, size_t i) {
  return context.listing.instructions[i];
}

// Computed jumps rest on the size of the code that they jump over.
bool SizesMatter(const RuleContext& context) {
  const std::vector<AssemblyInstruction>& all = context.listing.instructions;
  return std::any_of(
      all.begin(), all.end(), [](const AssemblyInstruction& instruction) {
        return IsJump(instruction) && !instruction.operands.empty() &&
               absl::StartsWith(instruction.operands[0].text, "*");
      });
}

void Comment(const RuleContext& context, size_t i, Emit emit) {
  emit({InsertBefore(At(context, i), "/* a comment */ ")});
}

void LabelRename(const RuleContext& context, size_t i, Emit emit) {
  const absl::string_view text = context.listing.text;
  for (const std::string& label : At(context, i).labels) {
    if (!absl::StartsWith(label, ".L")) continue;
    std::vector<TextEdit> edits;
    for (size_t at = text.find(label); at != absl::string_view::npos;
         at = text.find(label, at + 1)) {
      const size_t end = at + label.size();
      const auto is_name = [](char c) {
        return absl::ascii_isalnum(c) || c == '_' || c == '.';
      };
      if ((at > 0 && is_name(text[at - 1])) ||
          (end < text.size() && is_name(text[end]))) {
        continue;
      }
      edits.push_back({end, 0, "_renamed"});
    }
    emit(std::move(edits));
  }
}

void IndependentLoads(const RuleContext& context, size_t i, Emit emit) {
  if (i + 1 >= context.listing.instructions.size()) return;
  const AssemblyInstruction& first = At(context, i);
  const AssemblyInstruction& second = At(context, i + 1);
  if (!IsLoad(first) || !IsLoad(second) || !second.labels.empty() ||
      DependOnEachOther(first, second)) {
    return;
  }
  emit({Replace(first, std::string(context.listing.TextOf(second))),
        Replace(second, std::string(context.listing.TextOf(first)))});
}

// As GNU as spells them.
void EqualEncoding(const RuleContext& context, size_t i, Emit emit) {
  const AssemblyInstruction& instruction = At(context, i);
  if (instruction.operands.size() == 2 &&
      absl::StartsWith(instruction.mnemonic, "mov") &&
      RegisterBytes(instruction.operands[0].text) == 8 &&
      RegisterBytes(instruction.operands[1].text) == 8) {
    emit({InsertBefore(instruction, "{load} ")});
  }
  if (SizesMatter(context)) return;
  if (IsLoad(instruction) || IsStore(instruction)) {
    emit({InsertBefore(instruction, "{disp32} ")});
  }
}

void ExtraNop(const RuleContext& context, size_t i, Emit emit) {
  if (SizesMatter(context) || i % 5 != 0) return;
  emit({InsertBefore(At(context, i), "nop; ")});
}

void PrefetchHint(const RuleContext& context, size_t i, Emit emit) {
  const AssemblyInstruction& instruction = At(context, i);
  if (!IsPrefetch(instruction)) return;
  emit({ReplaceMnemonic(instruction, "prefetcht2")});
}

// Sorted.
constexpr Rule kRules[] = {
    {"comment", "a comment", Comment},
    {"equal_encoding", "the other encoding of the same instruction",
     EqualEncoding},
    {"extra_nop", "a nop, and so another alignment of what follows", ExtraNop},
    {"independent_loads", "two loads in the other order", IndependentLoads},
    {"label_rename", "another name for a local label", LabelRename},
    {"prefetch_hint", "another hint of a prefetch", PrefetchHint},
};

}  // namespace

absl::Span<const Rule> PreservingRules() { return kRules; }

}  // namespace glibc_patches
