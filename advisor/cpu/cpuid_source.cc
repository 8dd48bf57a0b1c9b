#include "advisor/cpu/cpuid_source.h"

#include <algorithm>
#include <iterator>

namespace advisor {
namespace {

// Sorted.
constexpr uint32_t kLeavesWithSubleaves[] = {
    0x04, 0x07, 0x0b, 0x0d,       0x0f,       0x10,      0x12, 0x14,
    0x17, 0x18, 0x1a, 0x1b,       0x1d,       0x1e,      0x1f, 0x20,
    0x23, 0x24, 0x29, 0x8000001d, 0x80000020, 0x80000026};

}  // namespace

bool LeafHasSubleaves(uint32_t leaf) {
  return std::binary_search(std::begin(kLeavesWithSubleaves),
                            std::end(kLeavesWithSubleaves), leaf);
}

std::optional<CpuidRegisters> CpuidTable::Query(uint32_t leaf,
                                                uint32_t subleaf) const {
  const auto entry =
      entries_.find({leaf, LeafHasSubleaves(leaf) ? subleaf : 0});
  if (entry == entries_.end()) return std::nullopt;
  return entry->second;
}

void CpuidTable::Remove(uint32_t leaf) {
  entries_.erase(entries_.lower_bound({leaf, 0}),
                 entries_.upper_bound({leaf, ~uint32_t{0}}));
}

}  // namespace advisor
