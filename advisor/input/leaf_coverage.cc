#include "advisor/input/leaf_coverage.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "advisor/cpu/microarchitecture_table.h"

namespace advisor {
namespace {

constexpr uint32_t kExtendedBase = 0x80000000;
constexpr uint32_t kFeatureLeaves[] = {1, 7, 0xd, 0x80000001};
constexpr uint32_t kIntelCacheLeaves[] = {2, 4, 0xb};
constexpr uint32_t kAmdCacheLeaves[] = {0x80000005, 0x80000006, 0x80000008,
                                        0x8000001d};

VendorKind VendorOf(const CpuidTable& cpu) {
  const CpuidRegisters leaf = cpu.Execute(0);
  const uint32_t words[] = {leaf.ebx, leaf.edx, leaf.ecx};
  std::string vendor(sizeof(words), '\0');
  std::memcpy(vendor.data(), words, sizeof(words));
  return VendorKindOf(vendor);
}

// "leaf 0x7, leaf 0xd": those of `leaves` that the CPU should have.
std::string Missing(const CpuidTable& cpu, absl::Span<const uint32_t> leaves) {
  std::vector<std::string> missing;
  for (const uint32_t leaf : leaves) {
    const auto range = cpu.Query(leaf & kExtendedBase);
    // Without the range's first leaf nobody knows what it has.
    const bool is_above = range.has_value() && range->eax < leaf;
    if (!is_above && !cpu.Query(leaf).has_value()) {
      missing.push_back(absl::StrFormat("leaf 0x%x", leaf));
    }
  }
  return absl::StrJoin(missing, ", ");
}

absl::Span<const uint32_t> CacheLeaves(VendorKind vendor) {
  switch (vendor) {
    case VendorKind::kIntel:
    case VendorKind::kZhaoxin:
      return kIntelCacheLeaves;
    case VendorKind::kAmd:
    case VendorKind::kHygon:
      return kAmdCacheLeaves;
    case VendorKind::kOther:
      return {};
  }
  return {};
}

}  // namespace

void SetCoverage(const CpuidTable& cpu, MachineInput* input) {
  if (!cpu.Query(0).has_value()) {
    input->unknown.push_back({"vendor (leaf 0x0)", "cpuid -r"});
    return;
  }
  const std::string features = Missing(cpu, kFeatureLeaves);
  input->has_features = features.empty();
  if (!features.empty()) {
    input->unknown.push_back(
        {absl::StrCat("features (", features, ")"), "cpuid -r"});
  }
  const std::string caches = Missing(cpu, CacheLeaves(VendorOf(cpu)));
  input->has_cache_leaves = features.empty() && caches.empty();
  if (!caches.empty()) {
    input->unknown.push_back(
        {absl::StrCat("caches and who shares them (", caches, ")"),
         "cpuid -r"});
  }
}

}  // namespace advisor
