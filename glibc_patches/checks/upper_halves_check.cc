// upper_halves: the upper halves of ymm0-15 and zmm0-15 are clean on return,
// else every SSE instruction after it pays for them. On every path in the code,
// and on every call where this CPU can tell.

#include "absl/strings/match.h"
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

void FollowPaths(const CodeGraph& graph, CheckSession& session) {
  enum { kClean, kDirty };
  graph.Follow(kClean, [&](const Instruction& instruction, int state, bool) {
    if (instruction.dirties_upper_halves) return +kDirty;
    if (instruction.mnemonic == ZYDIS_MNEMONIC_VZEROUPPER ||
        instruction.mnemonic == ZYDIS_MNEMONIC_VZEROALL) {
      return +kClean;
    }
    if (instruction.flow == Flow::kReturn && state == kDirty) {
      session.FailCode(absl::StrCat(
          "a path on which upper halves are in use leads to ",
          graph.Describe(instruction), " without vzeroupper or vzeroall"));
    }
    return state;
  });
}

}  // namespace

std::optional<std::string> SkipUpperHalves(const CheckContext& context) {
  // By design: Knights Landing gains nothing from vzeroupper.
  if (absl::StrContains(context.variant.name, "no_vzeroupper")) {
    return "leaves upper halves in use by design";
  }
  return std::nullopt;
}

void RunUpperHalvesCheck(const CheckContext& context, CheckSession& session) {
  const auto graph = CodeGraph::Of(context.variant);
  if (graph.ok()) {
    FollowPaths(*graph, session);
  } else {
    session.Note(
        absl::StrCat("the code was not followed: ", graph.status().message()));
  }
  if (session.failed()) return;
  if (!CanTellUpperHalves()) {
    session.Note("xgetbv(1) does not tell on this CPU: only the code was read");
    return;
  }
  ForEachSize(context, context.effort == Effort::kQuick ? 2 : 8,
              [&](const PlacedCall& call) { return session.Try(call); });
}

std::optional<std::string> AttemptUpperHalves(const CheckContext& context,
                                              const PlacedCall& call) {
  const AfterCall after = CallVariant(context.variant, call);
  World::Get().Restore(call.destination, call.size);
  if (!CanTellUpperHalves()) return std::nullopt;
  if ((after.in_use & (kYmmUpper | kZmmUpper)) == 0) return std::nullopt;
  return absl::StrCat("the upper halves of ",
                      (after.in_use & kZmmUpper) != 0 ? "zmm" : "ymm",
                      "0-15 are in use on return");
}

}  // namespace glibc_patches
