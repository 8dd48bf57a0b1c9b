#include "advisor/masks/coherence.h"

#include "absl/algorithm/container.h"
#include "advisor/glibc/change.h"
#include "advisor/masks/variant_traits.h"

namespace advisor {
namespace {

// What is wrong with a choice; the sum over CPUs and functions is to be small.
constexpr int kForbidden = 10000;  // It uses what is to be hidden.
constexpr int kSpecial = 100;      // A variant for another kind of CPU.
constexpr int kTooWide = 50;       // Wider vectors than by default.
constexpr int kEachLevel = 10;     // Narrower by a level.
constexpr int kAbortsTransactions = 5;
constexpr int kLosesErms = 5;

}  // namespace

std::vector<Feature> ForbiddenNeeds(absl::string_view variant, bool is_memset,
                                    absl::Span<const Feature> hidden,
                                    const GlibcBuild& build) {
  std::vector<Feature> found;
  for (const Feature need : TraitsOfVariant(variant, is_memset).needs) {
    const bool never_used =
        need == Feature::kErms && is_memset && build.Has(Change::kAvoidStosb);
    if (absl::c_linear_search(hidden, need) && !never_used) {
      found.push_back(need);
    }
  }
  return found;
}

int Incoherence(const CpuSelection& cpu, absl::string_view variant,
                absl::Span<const Feature> hidden, const GlibcBuild& build) {
  const bool is_memset = cpu.is_memset;
  const VariantTraits old_traits = TraitsOfVariant(cpu.before, is_memset);
  const VariantTraits traits = TraitsOfVariant(variant, is_memset);
  int penalty = 0;
  if (!ForbiddenNeeds(variant, is_memset, hidden, build).empty()) {
    penalty += kForbidden;
  }
  if (traits.is_special && variant != cpu.before) penalty += kSpecial;
  if (traits.level > old_traits.level) {
    penalty += kTooWide;
  } else {
    penalty += kEachLevel * (old_traits.level - traits.level);
  }
  const auto is_left = [&](Feature feature) {
    return cpu.features.Active(feature) &&
           !absl::c_linear_search(hidden, feature);
  };
  // vzeroupper ends a transaction; evex_* and sse2_* do without it.
  if (traits.level == 1 && !traits.is_rtm && is_left(Feature::kRtm) &&
      build.Has(Change::kRtmVariants)) {
    penalty += kAbortsTransactions;
  }
  if (old_traits.is_erms && !traits.is_erms && is_left(Feature::kErms)) {
    penalty += kLosesErms;
  }
  return penalty;
}

}  // namespace advisor
