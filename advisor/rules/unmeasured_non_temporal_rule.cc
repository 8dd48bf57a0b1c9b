#include "advisor/rules/unmeasured_non_temporal_rule.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "advisor/evidence/healthy_threshold.h"
#include "advisor/glibc/copy_path.h"
#include "advisor/glibc/thresholds.h"
#include "advisor/glibc/tunables.h"

namespace advisor {
namespace {

// Smaller copies are in L2, whatever the last level does.
constexpr uint64_t kLeastFromMeasured = uint64_t{1} << 20;

std::string WhyWrong(const GlibcBuild& build, uint64_t threshold) {
  if (threshold == 0) {
    return "x86_non_temporal_threshold is 0: every larger copy bypasses the "
           "caches";
  }
  if (threshold < kMinimumNonTemporalThreshold) {
    return absl::StrCat("x86_non_temporal_threshold is ", threshold,
                        build.Has(Change::kPagedLargeCopy)
                            ? ", less than the paged copy of this release needs"
                            : ", less than any cache holds");
  }
  if (threshold < kTinyNonTemporalThreshold) {
    return absl::StrCat(
        "x86_non_temporal_threshold is ", threshold,
        threshold == kMinimumNonTemporalThreshold ? ", the lowest bound" : "",
        ": copies of more than that bypass the caches, though "
        "they would fit L2");
  }
  return "";
}

struct Replacement {
  uint64_t bytes;
  std::string source;
};

Replacement ReplacementFor(const CpuidSource& cpu,
                           std::optional<uint64_t> measured_last_level) {
  if (measured_last_level.has_value()) {
    return {std::max(*measured_last_level / 4 * 3, kLeastFromMeasured),
            absl::StrCat("three quarters of the ", *measured_last_level,
                         " bytes of last-level cache that were measured")};
  }
  const HealthyThreshold healthy = HealthyNonTemporalThreshold(cpu);
  return {healthy.bytes,
          healthy.computed
              ? absl::StrCat("what glibc 2.", kLastRelease,
                             " computes from the same CPUID")
              : "what later releases use without cache information"};
}

}  // namespace

UnmeasuredAdvice AdviseNonTemporalThreshold(
    const CpuidSource& cpu, const GlibcBuild& build, absl::string_view memmove,
    const EffectiveThresholds& now,
    std::optional<uint64_t> measured_last_level) {
  UnmeasuredAdvice advice;
  if (!now.non_temporal_threshold.has_value()) return advice;
  if (!ReadsNonTemporal(build, memmove) && !MemsetReadsNonTemporal(build)) {
    advice.reason = absl::StrCat("The selected memmove, ", memmove,
                                 ", does not read x86_non_temporal_threshold.");
    return advice;
  }
  const std::string wrong = WhyWrong(build, *now.non_temporal_threshold);
  if (wrong.empty()) {
    advice.reason =
        "Nothing is wrong on the face of it; only a measurement could tell "
        "more.";
    return advice;
  }
  const Replacement healthy = ReplacementFor(cpu, measured_last_level);
  advice.reason =
      absl::StrCat(wrong, "; ", healthy.bytes, " is ", healthy.source);
  advice.settings.push_back(
      {TunableName(build, Tunable::kX86NonTemporalThreshold), healthy.bytes,
       now.non_temporal_threshold, advice.reason});
  if (build.Has(Change::kMovsbStopEntersLargeCopy) &&
      !build.Has(Change::kLargeCopyChecksNonTemporal)) {
    // The variable has 32 bits there.
    constexpr uint64_t kLargest = (uint64_t{1} << 31) - 1;
    advice.settings.push_back(
        {TunableName(build, Tunable::kX86RepMovsbThreshold),
         std::min(healthy.bytes, kLargest), now.rep_movsb_threshold,
         "above it this release goes by rep_movsb_stop_threshold alone, which "
         "no tunable moves"});
  }
  return advice;
}

}  // namespace advisor
