#include "glibc_patches/mutation/decisions.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "glibc_patches/mutation/instruction_kinds.h"

namespace glibc_patches {
namespace {

using Names = std::set<std::string>;

// The instruction that a jump leads to; numbered labels ("1f", "2b") too.
std::optional<size_t> TargetOf(const RuleContext& context, size_t i) {
  const auto& all = context.listing.instructions;
  if (all[i].operands.size() != 1) return std::nullopt;
  const std::string& name = all[i].operands[0].text;
  if (!absl::ascii_isdigit(name[0])) {
    const auto target = context.targets.find(name);
    if (target == context.targets.end()) return std::nullopt;
    return target->second;
  }
  const std::string label = name.substr(0, name.size() - 1);
  const int step = name.back() == 'f' ? 1 : -1;
  // Labels stand before their instruction: "b" may be this one's own.
  for (size_t at = step > 0 ? i + 1 : i; at < all.size(); at += step) {
    if (std::count(all[at].labels.begin(), all[at].labels.end(), label) > 0) {
      return at;
    }
  }
  return std::nullopt;
}

// Where control goes from an instruction; nullopt: not known. Out of the file
// (a _chk entry's failure) is nowhere.
std::optional<std::vector<size_t>> After(const RuleContext& context, size_t i) {
  const auto& all = context.listing.instructions;
  std::vector<size_t> next;
  if (IsReturn(all[i])) return next;
  if (IsJump(all[i])) {
    const auto target = TargetOf(context, i);
    if (target.has_value()) {
      next.push_back(*target);
    } else if (!absl::StrContains(all[i].operands[0].text, "__chk_fail")) {
      return std::nullopt;
    }
    if (!IsConditionalJump(all[i])) return next;
  }
  if (i + 1 < all.size()) next.push_back(i + 1);
  return next;
}

bool Meet(const Names& a, const Names& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& name) {
    return b.count(name) > 0;
  });
}

// A tainted operand is an address or goes to memory.
bool CanBeSeen(const AssemblyInstruction& instruction, const Names& tainted) {
  if (absl::StartsWith(instruction.mnemonic, "rep")) {
    return Meet(UsesOf(instruction).read, tainted);
  }
  if (IsReturn(instruction)) {
    return Meet(tainted, {"%rax", "%rbx", "%rbp", "%rsp", "%r12", "%r13",
                          "%r14", "%r15"});
  }
  // Of a store all that stands in it, else the address only.
  Names used;
  for (const Operand& operand : instruction.operands) {
    const bool memory = operand.kind == OperandKind::kMemory;
    if (!memory && !IsStore(instruction)) continue;
    for (const RegisterUse& use : RegistersIn(operand.text)) {
      used.insert(WholeRegister(use.name));
    }
  }
  // lea computes only.
  if (absl::StartsWith(instruction.mnemonic, "lea")) return false;
  return Meet(used, tainted);
}

// It may leave the flags as they were.
bool MayKeepFlags(const AssemblyInstruction& instruction) {
  // A shift by 0.
  return absl::StartsWith(instruction.mnemonic, "s") &&
         !absl::StartsWith(instruction.mnemonic, "sub");
}

// What an instruction leaves tainted.
Names Through(const AssemblyInstruction& instruction, Names tainted) {
  const Uses uses = UsesOf(instruction);
  const bool passes_on = Meet(uses.read, tainted);
  for (const std::string& name : uses.written) {
    if (passes_on) {
      tainted.insert(name);
    } else if (name != "flags" || !MayKeepFlags(instruction)) {
      tainted.erase(name);
    }
  }
  return tainted;
}

}  // namespace

bool OnlyDecides(const RuleContext& context, const Mutant& mutant) {
  const auto& all = context.listing.instructions;
  // Of all that the mutant's text writes or the base's did.
  std::vector<std::pair<size_t, Names>> open;
  for (size_t i = 0; i < all.size(); ++i) {
    const bool changed = std::any_of(
        mutant.edits.begin(), mutant.edits.end(), [&](const TextEdit& edit) {
          return edit.begin >= all[i].begin &&
                 edit.begin < all[i].begin + all[i].size;
        });
    if (!changed) continue;
    if (IsConditionalJump(all[i])) {
      // Another target is another matter.
      if (mutant.rule == "wrong_target") return false;
      continue;
    }
    if (IsJump(all[i]) || IsReturn(all[i]) || IsStore(all[i])) return false;
    Names tainted = UsesOf(all[i]).written;
    const Listing after =
        ParseListing(Apply(context.listing.text, mutant.edits));
    // The same place in the changed text; dropped ones have none.
    if (after.instructions.size() == all.size()) {
      const AssemblyInstruction& now = after.instructions[i];
      if (IsStore(now) || IsJump(now)) return false;
      const Names written = UsesOf(now).written;
      tainted.insert(written.begin(), written.end());
    }
    const auto next = After(context, i);
    if (!next.has_value()) return false;
    for (const size_t at : *next) open.push_back({at, tainted});
  }
  std::vector<Names> seen(all.size());
  while (!open.empty()) {
    auto [i, tainted] = std::move(open.back());
    open.pop_back();
    const size_t before = seen[i].size();
    seen[i].insert(tainted.begin(), tainted.end());
    if (seen[i].size() == before) continue;
    tainted = seen[i];
    if (CanBeSeen(all[i], tainted)) return false;
    const auto next = After(context, i);
    if (!next.has_value()) return false;
    const Names left = Through(all[i], tainted);
    for (const size_t at : *next) {
      if (!left.empty()) open.push_back({at, left});
    }
  }
  return true;
}

}  // namespace glibc_patches
