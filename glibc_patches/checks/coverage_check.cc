// coverage: which basic blocks calls like those of the content check reach.
// Says nothing wrong by itself: what was never executed was never checked.
//
// A breakpoint stands at the start of each block and is removed at its first
// hit, so that the code soon runs at full speed.

#include <ucontext.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "glibc_patches/checks/call_variant.h"
#include "glibc_patches/checks/calls.h"
#include "glibc_patches/checks/checks.h"
#include "glibc_patches/checks/code_graph.h"
#include "glibc_patches/checks/fault_hooks.h"
#include "glibc_patches/checks/session.h"
#include "glibc_patches/checks/world.h"

namespace glibc_patches {
namespace {

struct Block {
  uint64_t address;
  unsigned char original;
  bool executed;
};

// Sorted by address; of the child.
std::vector<Block>& Blocks() {
  static auto& blocks = *new std::vector<Block>;
  return blocks;
}
int executed_blocks = 0;

bool OnBreakpoint(ucontext_t& context) {
  greg_t* registers = context.uc_mcontext.gregs;
  const uint64_t address = registers[REG_RIP] - 1;
  std::vector<Block>& blocks = Blocks();
  const auto block = std::lower_bound(
      blocks.begin(), blocks.end(), address,
      [](const Block& a, uint64_t wanted) { return a.address < wanted; });
  if (block == blocks.end() || block->address != address || block->executed) {
    return false;
  }
  block->executed = true;
  ++executed_blocks;
  PutCodeByte(address, block->original);
  registers[REG_RIP] = address;
  return true;
}

// False when the kernel refuses writable code.
bool PlantBreakpoints(const CodeGraph& graph) {
  for (uint64_t address : graph.blocks()) {
    if (graph.instructions().count(address) == 0) continue;
    if (!MakeCodeWritable(address)) return false;
    const auto* code = reinterpret_cast<const unsigned char*>(address);
    Blocks().push_back({address, *code, false});
  }
  SetTrapHandler(OnBreakpoint);
  for (const Block& block : Blocks()) PutCodeByte(block.address, kBreakpoint);
  return true;
}

}  // namespace

void RunCoverageCheck(const CheckContext& context, CheckSession& session) {
  const auto graph = CodeGraph::Of(context.variant);
  if (!graph.ok()) {
    return session.Note(absl::StrCat("no figure: ", graph.status().message()));
  }
  if (!PlantBreakpoints(*graph)) {
    return session.Note("no figure: the kernel refuses to make code writable");
  }
  const int total = static_cast<int>(Blocks().size());
  const auto visit = [&](const PlacedCall& call) {
    return session.Try(call) && executed_blocks < total;
  };
  // Few calls reach all that can be reached. One in eight of the content
  // check's quick ones is enough for what is left.
  int64_t i = 0;
  const CheckContext quick = {context.variant, Effort::kQuick, context.seed};
  if (ForEachSize(context, /*calls_per_size=*/8, visit)) {
    ForEachCall(quick, [&](const PlacedCall& call) {
      return ++i % 8 != 0 || visit(call);
    });
  }

  BlockCoverage coverage;
  coverage.total = total;
  coverage.executed = executed_blocks;
  for (const Block& block : Blocks()) {
    if (!block.executed) {
      coverage.never_executed.push_back(block.address - graph->entry());
    }
  }
  session.SetCoverage(coverage);
  std::string note =
      absl::StrCat(executed_blocks, " of ", total, " basic blocks executed");
  for (const Block& block : Blocks()) {
    if (block.executed) continue;
    absl::StrAppend(
        &note, note.find("never") == std::string::npos ? "; never: " : ", ",
        FromEntry(context.variant, block.address));
  }
  session.Note(note);
}

std::optional<std::string> AttemptCoverage(const CheckContext& context,
                                           const PlacedCall& call) {
  CallVariant(context.variant, call);
  World::Get().Restore(call.destination, call.size);
  return std::nullopt;
}

}  // namespace glibc_patches
