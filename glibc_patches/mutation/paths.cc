#include "glibc_patches/mutation/paths.h"

#include <Zydis/Zydis.h>
#include <sys/mman.h>
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
#include "glibc_patches/checks/runner.h"
#include "glibc_patches/checks/session.h"
#include "glibc_patches/checks/world.h"

namespace glibc_patches {
namespace {

constexpr unsigned char kBreakpoint = 0xcc;
constexpr greg_t kTrapFlag = 1 << 8;
constexpr uint64_t kLargest = 20 << 10;
// Block executions that are counted; each costs two traps.
constexpr int64_t kBudget = 80000;
constexpr uint64_t kSmall = 1100;

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

// Of the child.
Code* running = nullptr;
Block* stepped_over = nullptr;
int64_t executed = 0;

void Poke(uint64_t address, unsigned char byte) {
  *reinterpret_cast<volatile unsigned char*>(address) = byte;
}

// A breakpoint is taken away for one instruction and put back.
bool OnTrap(ucontext_t& context) {
  greg_t* registers = context.uc_mcontext.gregs;
  if (stepped_over != nullptr) {
    Poke(stepped_over->address, kBreakpoint);
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
  Poke(address, block->original);
  registers[REG_RIP] = static_cast<greg_t>(address);
  registers[REG_EFL] |= kTrapFlag;
  stepped_over = &*block;
  return true;
}

struct Decoded {
  uint64_t address;
  ZydisMnemonic mnemonic;
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
      all.push_back({address, instruction.mnemonic});
    }
    address += instruction.length;
  }
  return all;
}

// The base's blocks, as addresses of both: instructions correspond by their
// order, with at most one left out of the mutant.
std::vector<std::pair<uint64_t, uint64_t>> BlocksOf(
    const kernels::Variant& base, const kernels::Variant& mutant) {
  const std::vector<Decoded> before = Sweep(base);
  const std::vector<Decoded> after = Sweep(mutant);
  const auto graph = CodeGraph::Of(base);
  if (!graph.ok() || before.empty() ||
      (after.size() != before.size() && after.size() + 1 != before.size())) {
    return {};
  }
  size_t dropped = before.size();
  if (after.size() != before.size()) {
    for (dropped = 0; dropped < after.size() &&
                      before[dropped].mnemonic == after[dropped].mnemonic;) {
      ++dropped;
    }
  }
  std::vector<std::pair<uint64_t, uint64_t>> blocks;
  for (size_t i = 0; i < before.size(); ++i) {
    if (graph->blocks().count(before[i].address) == 0) continue;
    const size_t there = i > dropped ? i - 1 : i;
    if (there >= after.size()) continue;
    // Two blocks of the base may be one of the mutant.
    const uint64_t address = after[there].address;
    if (!blocks.empty() && blocks.back().second == address) continue;
    blocks.push_back({before[i].address, address});
  }
  return blocks;
}

bool Open(const kernels::Variant& variant, const std::vector<uint64_t>& blocks,
          Code& code) {
  code.variant = variant;
  for (const uint64_t address : blocks) {
    const uint64_t page = address / kPage * kPage;
    if (mprotect(reinterpret_cast<void*>(page), kPage,
                 PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
      return false;
    }
    const auto* byte = reinterpret_cast<const unsigned char*>(address);
    code.blocks.push_back({address, *byte, 0});
  }
  return !code.blocks.empty();
}

// Small ones, which show every boundary, before a random choice of others.
std::vector<PlacedCall> CallsOf(const CheckContext& context) {
  std::vector<PlacedCall> calls;
  ForEachSize(context, /*calls_per_size=*/4, [&](const PlacedCall& call) {
    if (call.size <= kLargest) calls.push_back(call);
    return true;
  });
  const auto large = std::stable_partition(
      calls.begin(), calls.end(),
      [](const PlacedCall& call) { return call.size <= kSmall; });
  std::shuffle(large, calls.end(), std::mt19937_64(context.seed));
  return calls;
}

std::vector<int64_t> Execute(Code& code, const PlacedCall& call) {
  for (Block& block : code.blocks) {
    block.count = 0;
    Poke(block.address, kBreakpoint);
  }
  running = &code;
  PlacedCall told = call;
  if (code.is_wide) told.size /= sizeof(wchar_t);
  CallVariant(code.variant, told);
  std::vector<int64_t> counts;
  for (const Block& block : code.blocks) {
    Poke(block.address, block.original);
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

void CompareEntries(const kernels::Variant& of_base,
                    const kernels::Variant& of_mutant, bool is_wide,
                    const CheckContext& context, PathComparison& result) {
  Code base, mutant;
  base.is_wide = mutant.is_wide = is_wide;
  std::vector<uint64_t> before, after;
  for (const auto& [one, other] : BlocksOf(of_base, of_mutant)) {
    before.push_back(one);
    after.push_back(other);
  }
  if (!Open(of_base, before, base) || !Open(of_mutant, after, mutant)) return;
  executed = 0;
  for (const PlacedCall& call : CallsOf(context)) {
    if (executed >= kBudget) break;
    ++result.calls;
    if (Execute(base, call) != Execute(mutant, call)) ++result.differ;
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
  session.Note(absl::StrCat(result.calls, " ", result.differ));
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
                            const kernels::Variant& mutant) {
  base_variant = &base;
  CheckContext context{mutant};
  context.effort = Effort::kQuick;
  RunLimits limits;
  limits.time = absl::Minutes(10);
  limits.shrinking = absl::ZeroDuration();
  PathComparison result;
  for (const std::string& note : RunCheck(kRow, context, limits).notes) {
    const std::vector<std::string> words = absl::StrSplit(note, ' ');
    if (words.size() != 2 || !absl::SimpleAtoi(words[0], &result.calls) ||
        !absl::SimpleAtoi(words[1], &result.differ)) {
      return {};
    }
  }
  return result;
}

}  // namespace glibc_patches
