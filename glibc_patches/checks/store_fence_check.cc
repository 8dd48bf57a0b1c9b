// store_fence: on every path from a non-temporal store to the return there is
// an sfence, since other threads may see the copy's stores after later ones
// otherwise (Intel SDM volume 1, section 10.4.6.2).

#include "absl/strings/str_cat.h"
#include "glibc_patches/checks/checks.h"
#include "glibc_patches/checks/code_graph.h"
#include "glibc_patches/checks/no_graph.h"
#include "glibc_patches/checks/session.h"

namespace glibc_patches {
namespace {

bool IsNonTemporalStore(const Instruction& instruction) {
  switch (instruction.mnemonic) {
    case ZYDIS_MNEMONIC_MASKMOVDQU:
    case ZYDIS_MNEMONIC_MASKMOVQ:
    case ZYDIS_MNEMONIC_MOVNTDQ:
    case ZYDIS_MNEMONIC_MOVNTI:
    case ZYDIS_MNEMONIC_MOVNTPD:
    case ZYDIS_MNEMONIC_MOVNTPS:
    case ZYDIS_MNEMONIC_MOVNTQ:
    case ZYDIS_MNEMONIC_MOVNTSD:
    case ZYDIS_MNEMONIC_MOVNTSS:
    case ZYDIS_MNEMONIC_VMASKMOVDQU:
    case ZYDIS_MNEMONIC_VMOVNTDQ:
    case ZYDIS_MNEMONIC_VMOVNTPD:
    case ZYDIS_MNEMONIC_VMOVNTPS:
      return true;
    default:
      return false;
  }
}

bool IsFence(const Instruction& instruction) {
  return instruction.mnemonic == ZYDIS_MNEMONIC_SFENCE ||
         instruction.mnemonic == ZYDIS_MNEMONIC_MFENCE || instruction.locked;
}

}  // namespace

void RunStoreFenceCheck(const CheckContext& context, CheckSession& session) {
  const auto graph = CodeGraph::Of(context.variant);
  if (!graph.ok()) return TellNoGraph(graph.status(), session);
  int stores = 0;
  for (const auto& [address, instruction] : graph->instructions()) {
    stores += IsNonTemporalStore(instruction) ? 1 : 0;
  }
  session.Note(absl::StrCat(stores, " non-temporal stores"));
  enum { kFenced, kPending };
  graph->Follow(kFenced, [&](const Instruction& instruction, int state, bool) {
    if (IsNonTemporalStore(instruction)) return +kPending;
    if (IsFence(instruction)) return +kFenced;
    if (instruction.flow == Flow::kReturn && state == kPending) {
      session.FailCode(
          absl::StrCat("a path from a non-temporal store leads to ",
                       graph->Describe(instruction), " without sfence"));
    }
    return state;
  });
}

}  // namespace glibc_patches
