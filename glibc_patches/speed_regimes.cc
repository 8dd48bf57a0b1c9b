#include "glibc_patches/speed_regimes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace glibc_patches {
namespace {

using ::kernels::Regime;

// A set of rotating buffers leaves L2 at any size (kernels/measure/buffers.cc).
constexpr uint64_t kRotatingBytes = uint64_t{4} << 20;
constexpr uint64_t kRotatingCalls = 4;  // two pairs of buffers

bool IsInMemory(const CandidateCell& candidate, const SpeedMachine& machine) {
  return machine.last_cache.has_value() &&
         SetBytes(candidate.cell.cell) >= 2 * *machine.last_cache;
}

bool IsOneCopier(const CandidateCell& candidate, Regime regime) {
  const kernels::Cell& cell = candidate.cell.cell;
  return cell.copiers == 1 && cell.regime == regime;
}

struct RegimeRow {
  absl::string_view name;
  bool (*has)(const CandidateCell&, const SpeedMachine&);
};

constexpr absl::string_view kMemory = "memory";

// A cell can be in several.
constexpr RegimeRow kRegimes[] = {
    {"buffers in use",
     [](const CandidateCell& candidate, const SpeedMachine&) {
       return IsOneCopier(candidate, Regime::kHot);
     }},
    {"caches beyond L2",
     [](const CandidateCell& candidate, const SpeedMachine& machine) {
       return IsOneCopier(candidate, Regime::kRotating) &&
              !IsInMemory(candidate, machine);
     }},
    {kMemory,
     [](const CandidateCell& candidate, const SpeedMachine& machine) {
       return IsOneCopier(candidate, Regime::kRotating) &&
              IsInMemory(candidate, machine);
     }},
    {"non-temporal stores at this machine's threshold",
     [](const CandidateCell& candidate, const SpeedMachine&) {
       return candidate.cell.thresholds == kMachineThresholds &&
              candidate.cell.cell.copiers == 1 &&
              candidate.non_temporal.has_value() &&
              candidate.cell.cell.size >= *candidate.non_temporal;
     }},
    {"destination read back",
     [](const CandidateCell& candidate, const SpeedMachine&) {
       return IsOneCopier(candidate, Regime::kReadBack);
     }},
    {"all CPUs copying",
     [](const CandidateCell& candidate, const SpeedMachine&) {
       return candidate.cell.cell.copiers > 1;
     }},
};

// Beside the regimes that lack for the same reason.
void AddGap(absl::string_view regime, std::vector<std::string> variants,
            const std::string& reason, std::vector<RegimeGap>& gaps) {
  for (RegimeGap& gap : gaps) {
    if (gap.reason != reason || gap.variants != variants) continue;
    gap.regimes.emplace_back(regime);
    return;
  }
  gaps.push_back({{std::string(regime)}, std::move(variants), reason});
}

}  // namespace

uint64_t SetBytes(const kernels::Cell& cell) {
  if (cell.regime == Regime::kHot) return 2 * cell.size;
  return std::max(kRotatingBytes, kRotatingCalls * cell.size);
}

void AddRegimes(absl::Span<const CandidateCell> candidates,
                const SpeedMachine& machine, SpeedPlan& plan) {
  std::set<std::string> variants;
  for (const CandidateCell& candidate : candidates) {
    variants.insert(candidate.cell.variant);
  }
  for (const RegimeRow& row : kRegimes) {
    std::set<std::string> measured;
    std::map<std::string, std::string> missing;  // reason by variant
    for (const CandidateCell& candidate : candidates) {
      if (!row.has(candidate, machine)) continue;
      if (candidate.why_not.empty()) {
        measured.insert(candidate.cell.variant);
      } else {
        missing.emplace(candidate.cell.variant, candidate.why_not);
      }
    }
    if (!measured.empty()) plan.regimes.emplace_back(row.name);
    std::map<std::string, std::vector<std::string>> by_reason;
    for (const auto& [variant, reason] : missing) {
      if (measured.count(variant) == 0) by_reason[reason].push_back(variant);
    }
    for (auto& [reason, names] : by_reason) {
      if (names.size() == variants.size()) names.clear();
      AddGap(row.name, std::move(names), reason, plan.gaps);
    }
  }
  if (!machine.last_cache.has_value()) {
    AddGap(kMemory, {}, "nothing tells the size of the last cache", plan.gaps);
  }
}

}  // namespace glibc_patches
