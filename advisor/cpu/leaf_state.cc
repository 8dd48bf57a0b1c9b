#include "advisor/cpu/leaf_state.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace advisor {
namespace {

constexpr uint32_t kRangeBits = 0xffff0000;

}  // namespace

absl::string_view LeafStateName(LeafState state) {
  switch (state) {
    case LeafState::kAbsent:
      return "absent";
    case LeafState::kZero:
      return "zero";
    case LeafState::kMalformed:
      return "malformed";
    case LeafState::kGood:
      return "good";
  }
  return "?";
}

std::string DescribeLeafFact(const LeafFact& fact) {
  std::string text =
      absl::StrFormat("leaf 0x%08x: %s", fact.leaf, LeafStateName(fact.state));
  if (!fact.reason.empty()) absl::StrAppend(&text, " (", fact.reason, ")");
  return text;
}

std::optional<uint32_t> HighestLeaf(const CpuidSource& cpu, uint32_t leaf) {
  const uint32_t base = leaf & kRangeBits;
  const std::optional<CpuidRegisters> first = cpu.Query(base);
  if (!first.has_value() || (first->eax & kRangeBits) != base) {
    return std::nullopt;
  }
  return first->eax;
}

std::optional<CpuidRegisters> QueryAnnounced(const CpuidSource& cpu,
                                             uint32_t leaf, uint32_t subleaf) {
  const std::optional<uint32_t> highest = HighestLeaf(cpu, leaf);
  if (!highest.has_value() || leaf > *highest) return std::nullopt;
  return cpu.Query(leaf, subleaf);
}

LeafFact BasicLeafFact(const CpuidSource& cpu, uint32_t leaf) {
  LeafFact fact;
  fact.leaf = leaf;
  const std::optional<uint32_t> highest = HighestLeaf(cpu, leaf);
  if (!highest.has_value()) {
    fact.reason = "its range does not exist";
  } else if (leaf > *highest) {
    fact.reason = absl::StrFormat("the highest leaf is 0x%08x", *highest);
  } else if (const auto answer = cpu.Query(leaf); !answer.has_value()) {
    fact.reason = "the source does not tell it";
  } else {
    fact.state =
        *answer == CpuidRegisters{} ? LeafState::kZero : LeafState::kGood;
  }
  return fact;
}

}  // namespace advisor
