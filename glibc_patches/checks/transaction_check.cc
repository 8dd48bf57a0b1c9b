// transaction: an _rtm variant executes vzeroupper only where xtest has said
// that no transaction runs, since vzeroupper aborts one ("x86: Add variants
// with RTM", glibc bug 27457).

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "glibc_patches/checks/checks.h"
#include "glibc_patches/checks/code_graph.h"
#include "glibc_patches/checks/no_graph.h"
#include "glibc_patches/checks/session.h"

namespace glibc_patches {
namespace {

bool IsForTransactions(const kernels::Variant& variant) {
  return std::count(variant.required_features.begin(),
                    variant.required_features.end(), "RTM") > 0;
}

}  // namespace

std::optional<std::string> SkipTransaction(const CheckContext& context) {
  if (IsForTransactions(context.variant)) return std::nullopt;
  return "not a variant for transactions";
}

void RunTransactionCheck(const CheckContext& context, CheckSession& session) {
  const auto graph = CodeGraph::Of(context.variant);
  if (!graph.ok()) return TellNoGraph(graph.status(), session);
  // Bit 0: no transaction runs. Bit 1: ZF is xtest's answer, set for "none".
  constexpr int kOutside = 1;
  constexpr int kAsked = 2;
  graph->Follow(0, [&](const Instruction& instruction, int state, bool jumps) {
    if (instruction.mnemonic == ZYDIS_MNEMONIC_XTEST) {
      return (state & kOutside) | kAsked;
    }
    if (instruction.mnemonic == ZYDIS_MNEMONIC_VZEROUPPER &&
        (state & kOutside) == 0) {
      session.FailCode(
          absl::StrCat("a path without xtest, or past its answer "
                       "that a transaction runs, leads to ",
                       graph->Describe(instruction)));
    }
    const bool zero_jumps = instruction.mnemonic == ZYDIS_MNEMONIC_JZ;
    if ((state & kAsked) != 0 &&
        (zero_jumps || instruction.mnemonic == ZYDIS_MNEMONIC_JNZ) &&
        zero_jumps == jumps) {
      return state | kOutside;
    }
    return instruction.writes_zero_flag ? state & kOutside : state;
  });
}

}  // namespace glibc_patches
