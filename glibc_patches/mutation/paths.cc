#include "glibc_patches/mutation/paths.h"

#include <Zydis/Zydis.h>
#include <ucontext.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "glibc_patches/checks/call_variant.h"
#include "glibc_patches/checks/calls.h"
#include "glibc_patches/checks/code_graph.h"
#include "glibc_patches/checks/fault_hooks.h"
#include "glibc_patches/checks/object_symbols.h"
#include "glibc_patches/checks/remainders.h"
#include "glibc_patches/checks/runner.h"
#include "glibc_patches/checks/session.h"
#include "glibc_patches/checks/world.h"

namespace glibc_patches {
namespace {

constexpr greg_t kTrapFlag = 1 << 8;
// Calls that go another way, after which no more are made.
constexpr int64_t kEnough = 8;
constexpr int kCallsPerSize = 16;
// Instructions that a mutant lacks: a comparison and its jump.
constexpr size_t kMostLeftOut = 2;
// Of the calls of the content check.
constexpr int kOneIn = 8;

struct Block {
  uint64_t address;
  unsigned char original;
  int64_t count;
};

struct Code {
  // Its address may be that of the wmemset entry, which gets a number of wide
  // characters.
  kernels::Variant variant;
  bool is_wide;
  std::vector<Block> blocks;  // sorted by address
};

// What is counted of a call: whether it comes to a block, one trap each; or how
// often, which tells loops of other lengths apart, two traps each time.
enum class Counting { kReached, kTimes };

// Of the child.
Code* running = nullptr;
Counting counting = Counting::kReached;
Block* stepped_over = nullptr;
int64_t executed = 0;

// A breakpoint is taken away, and put back after one instruction where every
// time counts.
bool OnTrap(ucontext_t& context) {
  greg_t* registers = context.uc_mcontext.gregs;
  if (stepped_over != nullptr) {
    PutCodeByte(stepped_over->address, kBreakpoint);
    stepped_over = nullptr;
    registers[REG_EFL] &= ~kTrapFlag;
    // The next block may begin here: its breakpoint is there.
    return true;
  }
  const uint64_t address = registers[REG_RIP] - 1;
  const auto block = std::lower_bound(
      running->blocks.begin(), running->blocks.end(), address,
      [](const Block& a, uint64_t wanted) { return a.address < wanted; });
  if (block == running->blocks.end() || block->address != address) return false;
  ++block->count;
  ++executed;
  PutCodeByte(address, block->original);
  registers[REG_RIP] = static_cast<greg_t>(address);
  if (counting == Counting::kReached) return true;
  registers[REG_EFL] |= kTrapFlag;
  stepped_over = &*block;
  return true;
}

struct Decoded {
  uint64_t address;
  ZydisMnemonic mnemonic;
  // 0 without one; not of jumps.
  uint64_t immediate;

  bool IsLike(const Decoded& other) const {
    return mnemonic == other.mnemonic && immediate == other.immediate;
  }
};

// All instructions of the variant's file, in the order of their addresses, but
// nops: alignment may need other ones.
std::vector<Decoded> Sweep(const kernels::Variant& variant) {
  uint64_t begin = reinterpret_cast<uintptr_t>(variant.address);
  uint64_t end = begin + variant.code_size;
  for (const kernels::Variant& other : kernels::AllVariants()) {
    if (other.tree != variant.tree || other.source != variant.source) continue;
    const uint64_t address = reinterpret_cast<uintptr_t>(other.address);
    begin = std::min(begin, address);
    end = std::max(end, address + other.code_size);
  }
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  std::vector<Decoded> all;
  for (uint64_t address = begin; address < end;) {
    ZydisDecodedInstruction instruction;
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
            &decoder, nullptr, reinterpret_cast<const void*>(address),
            end - address, &instruction))) {
      return {};
    }
    if (instruction.mnemonic != ZYDIS_MNEMONIC_NOP) {
      const auto& immediate = instruction.raw.imm[0];
      const bool is_number = immediate.size > 0 && !immediate.is_relative;
      all.push_back(
          {address, instruction.mnemonic, is_number ? immediate.value.u : 0});
    }
    address += instruction.length;
  }
  return all;
}

// The base's blocks, as addresses of both: instructions correspond by their
// order, with a few in a row left out of the mutant.
struct SharedBlocks {
  std::vector<uint64_t> of_base;
  std::vector<uint64_t> of_mutant;
  // Of the block of the first instruction that differs.
  std::optional<size_t> changed;
};

SharedBlocks BlocksOf(const kernels::Variant& base,
                      const kernels::Variant& mutant) {
  const std::vector<Decoded> before = Sweep(base);
  const std::vector<Decoded> after = Sweep(mutant);
  const auto graph = CodeGraph::Of(base);
  if (!graph.ok() || before.empty() || after.size() > before.size() ||
      before.size() - after.size() > kMostLeftOut) {
    return {};
  }
  size_t changed = 0;
  while (changed < after.size() && before[changed].IsLike(after[changed])) {
    ++changed;
  }
  const size_t left_out = before.size() - after.size();
  SharedBlocks blocks;
  for (size_t i = 0; i < before.size(); ++i) {
    if (graph->blocks().count(before[i].address) == 0) continue;
    const size_t there =
        i < changed ? i : std::max(i - std::min(i, left_out), changed);
    if (there >= after.size()) continue;
    // Two blocks of the base may be one of the mutant.
    const uint64_t address = after[there].address;
    if (!blocks.of_mutant.empty() && blocks.of_mutant.back() == address) {
      continue;
    }
    if (i <= changed && changed < after.size()) {
      blocks.changed = blocks.of_base.size();
    }
    blocks.of_base.push_back(before[i].address);
    blocks.of_mutant.push_back(address);
  }
  return blocks;
}

bool Open(const kernels::Variant& variant, const std::vector<uint64_t>& blocks,
          Code& code) {
  code.variant = variant;
  for (const uint64_t address : blocks) {
    if (!MakeCodeWritable(address)) return false;
    const auto* byte = reinterpret_cast<const unsigned char*>(address);
    code.blocks.push_back({address, *byte, 0});
  }
  return !code.blocks.empty();
}

// Blocks of the base and its mutant that are counted in calls up to a size. The
// cheap way of counting comes first and sees most; the other one looks for
// what is left.
struct Tier {
  Counting counting;
  uint64_t largest;
  int64_t budget;
};
constexpr Tier kTiers[] = {{Counting::kReached, 1100, 150000},
                           {Counting::kReached, 20 << 10, 100000},
                           {Counting::kReached, 400 << 10, 50000},
                           {Counting::kTimes, 1100, 30000},
                           {Counting::kTimes, 20 << 10, 30000},
                           {Counting::kTimes, 400 << 10, 20000}};

// Of one tier, in random order.
std::vector<PlacedCall> CallsOf(const CheckContext& context, uint64_t above,
                                uint64_t largest) {
  std::vector<PlacedCall> calls;
  const auto is_wanted = [&](const PlacedCall& call) {
    return (call.size > above || above == 0) && call.size <= largest;
  };
  uint64_t size = ~uint64_t{0};
  ForEachSize(context, kCallsPerSize, [&](const PlacedCall& call) {
    if (!is_wanted(call)) return true;
    calls.push_back(call);
    // Onto itself, once for each size.
    if (call.size == size) return true;
    size = call.size;
    if (context.variant.function != kernels::Function::kMemmove) return true;
    calls.push_back(call);
    calls.back().source = call.destination;
    return true;
  });
  // Other distances.
  int64_t i = 0;
  ForEachCall(context, [&](const PlacedCall& call) {
    if (is_wanted(call) && IsChosen(i++, kOneIn)) calls.push_back(call);
    return true;
  });
  std::shuffle(calls.begin(), calls.end(), std::mt19937_64(context.seed));
  return calls;
}

std::vector<int64_t> Execute(Code& code, const PlacedCall& call) {
  for (Block& block : code.blocks) {
    block.count = 0;
    PutCodeByte(block.address, kBreakpoint);
  }
  running = &code;
  PlacedCall told = call;
  if (code.is_wide) told.size /= sizeof(wchar_t);
  CallVariant(code.variant, told);
  std::vector<int64_t> counts;
  for (const Block& block : code.blocks) {
    PutCodeByte(block.address, block.original);
    counts.push_back(block.count);
  }
  World::Get().Restore(call.destination, call.size);
  return counts;
}

const kernels::Variant* base_variant = nullptr;

// The wmemset entry beside a variant, by the names that build_tree.sh gives.
std::optional<kernels::Variant> WideEntry(const kernels::Variant& variant) {
  const auto& symbols = SymbolsAround(variant.address);
  const auto found = symbols.find(absl::StrCat(
      "tree_",
      absl::StrReplaceAll(variant.name, {{"__memset_", "__wmemset_"}})));
  if (variant.function != kernels::Function::kMemset ||
      found == symbols.end()) {
    return std::nullopt;
  }
  kernels::Variant wide = variant;
  wide.address = reinterpret_cast<void*>(found->second);
  return wide;
}

// Makes the call of both; `changed` is the index of the changed block.
void CompareCall(Code& base, Code& mutant, std::optional<size_t> changed,
                 const CheckContext& context, const PlacedCall& call,
                 PathComparison& result) {
  ++result.calls;
  const std::vector<int64_t> counts = Execute(base, call);
  if (counts != Execute(mutant, call)) {
    ++result.differ;
    if (!base.is_wide && FindCheck("content")->attempt(context, call)) {
      ++result.wrong;
    }
  }
  if (changed.has_value() && counts[*changed] > 0) ++result.reached;
}

// Where the change is, and what follows it.
void KeepAround(size_t changed, Code& code) {
  const size_t end = std::min(changed + 2, code.blocks.size());
  code.blocks.erase(code.blocks.begin() + end, code.blocks.end());
  code.blocks.erase(code.blocks.begin(), code.blocks.begin() + changed);
}

constexpr int64_t kRemainderBudget = 400000;

// A comparison at the end of a loop for large sizes is equal for few of them.
void CompareRemainders(Code& base, Code& mutant, size_t changed,
                       const CheckContext& context, PathComparison& result) {
  KeepAround(changed, base);
  KeepAround(changed, mutant);
  counting = Counting::kTimes;
  executed = 0;
  ForEachRemainder(context, [&](const PlacedCall& call) {
    if (executed >= kRemainderBudget / context.one_in) return false;
    CompareCall(base, mutant, 0, context, call, result);
    return result.differ < kEnough;
  });
}

void CompareEntries(const kernels::Variant& of_base,
                    const kernels::Variant& of_mutant, bool is_wide,
                    const CheckContext& context, PathComparison& result) {
  Code base, mutant;
  base.is_wide = mutant.is_wide = is_wide;
  const SharedBlocks blocks = BlocksOf(of_base, of_mutant);
  if (!Open(of_base, blocks.of_base, base) ||
      !Open(of_mutant, blocks.of_mutant, mutant)) {
    return;
  }
  uint64_t above = 0;
  for (const Tier& tier : kTiers) {
    if (counting != tier.counting) above = 0;
    counting = tier.counting;
    executed = 0;
    for (const PlacedCall& call : CallsOf(context, above, tier.largest)) {
      if (executed >= tier.budget / context.one_in ||
          result.differ >= kEnough) {
        break;
      }
      CompareCall(base, mutant, blocks.changed, context, call, result);
    }
    above = tier.largest;
  }
  if (result.differ == 0 && blocks.changed.has_value()) {
    CompareRemainders(base, mutant, *blocks.changed, context, result);
  }
}

void Compare(const CheckContext& context, CheckSession& session) {
  SetTrapHandler(OnTrap);
  PathComparison result;
  CompareEntries(*base_variant, context.variant, /*is_wide=*/false, context,
                 result);
  const auto wide_base = WideEntry(*base_variant);
  const auto wide_mutant = WideEntry(context.variant);
  if (wide_base.has_value() && wide_mutant.has_value()) {
    CompareEntries(*wide_base, *wide_mutant, /*is_wide=*/true, context, result);
  }
  session.Note(absl::StrCat(result.calls, " ", result.differ, " ",
                            result.reached, " ", result.wrong));
}

std::optional<std::string> Never(const CheckContext&) { return std::nullopt; }

std::optional<std::string> NoAttempt(const CheckContext&, const PlacedCall&) {
  return std::nullopt;
}

constexpr CheckRow kRow = {"paths",   "the ways of a mutant and its base",
                           Never,     Compare,
                           NoAttempt, 10};

}  // namespace

PathComparison ComparePaths(const kernels::Variant& base,
                            const kernels::Variant& mutant, int one_in) {
  base_variant = &base;
  CheckContext context{mutant};
  context.effort = Effort::kQuick;
  context.one_in = one_in;
  RunLimits limits;
  limits.time = absl::Minutes(10);
  limits.shrinking = absl::ZeroDuration();
  PathComparison result;
  for (const std::string& note : RunCheck(kRow, context, limits).notes) {
    const std::vector<std::string> words = absl::StrSplit(note, ' ');
    if (words.size() != 4 || !absl::SimpleAtoi(words[0], &result.calls) ||
        !absl::SimpleAtoi(words[1], &result.differ) ||
        !absl::SimpleAtoi(words[2], &result.reached) ||
        !absl::SimpleAtoi(words[3], &result.wrong)) {
      return {};
    }
  }
  return result;
}

}  // namespace glibc_patches
