// transaction: small calls of an _rtm variant can be committed in a transaction
// (where this CPU has working ones), and in its code it executes vzeroupper
// only where xtest has said that no transaction runs, since vzeroupper aborts
// one ("x86: Add variants with RTM", glibc bug 27457).

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "glibc_patches/checks/call_variant.h"
#include "glibc_patches/checks/calls.h"
#include "glibc_patches/checks/checks.h"
#include "glibc_patches/checks/code_graph.h"
#include "glibc_patches/checks/no_graph.h"
#include "glibc_patches/checks/session.h"
#include "glibc_patches/checks/world.h"

namespace glibc_patches {
namespace {

// An interrupt or a page's first write may abort one; not all of so many.
constexpr int kAttempts = 300;
// What a transaction holds for sure in an L1d.
constexpr uint64_t kLargest = 2048;

bool IsForTransactions(const kernels::Variant& variant) {
  return std::count(variant.required_features.begin(),
                    variant.required_features.end(), "RTM") > 0;
}

void FollowPaths(const CheckContext& context, CheckSession& session) {
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

}  // namespace

std::optional<std::string> SkipTransaction(const CheckContext& context) {
  if (IsForTransactions(context.variant)) return std::nullopt;
  return "not a variant for transactions";
}

void RunTransactionCheck(const CheckContext& context, CheckSession& session) {
  FollowPaths(context, session);
  if (session.failed()) return;
  if (!CanTransact()) {
    session.Note("this CPU commits no transactions: only the code was read");
    return;
  }
  ForEachSize(context, context.effort == Effort::kQuick ? 2 : 8,
              [&](const PlacedCall& call) {
                return call.size > kLargest || session.Try(call);
              });
}

std::optional<std::string> AttemptTransaction(const CheckContext& context,
                                              const PlacedCall& call) {
  if (!CanTransact()) return std::nullopt;
  World& world = World::Get();
  // A transaction can neither bring a page nor mark it as used, of code
  // neither.
  CallVariant(context.variant, call);
  world.Restore(call.destination, call.size);
  const bool sets = context.variant.function == kernels::Function::kMemset;
  for (uint64_t i = 0; i < call.size && !sets; ++i) {
    (void)*const_cast<const volatile char*>(world.At(call.source + i));
  }
  if (!CallInTransaction(context.variant, call, kAttempts)) {
    const bool undisturbed = CanTransactOn(call, kAttempts / 10);
    world.Restore(call.destination, call.size);
    if (!undisturbed) return std::nullopt;
    return "aborts every transaction";
  }
  std::string expected(call.size, static_cast<char>(call.value));
  if (!sets) {
    expected.assign(world.Original(call.source), call.size);
  }
  const bool right =
      std::memcmp(world.At(call.destination), expected.data(), call.size) == 0;
  world.Restore(call.destination, call.size);
  if (right) return std::nullopt;
  return "the destination is wrong after a transaction";
}

}  // namespace glibc_patches
