// A non_temporal_threshold that is wrong on the face of it: 0, below what the
// code needs, or the stand-in for "no cache information". For a dump, or where
// nothing is measured.

#ifndef ADVISOR_RULES_UNMEASURED_NON_TEMPORAL_RULE_H_
#define ADVISOR_RULES_UNMEASURED_NON_TEMPORAL_RULE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/loader_listing.h"
#include "advisor/report.h"

namespace advisor {

struct UnmeasuredAdvice {
  // Empty: nothing is wrong on the face of it.
  std::vector<TunableSetting> settings;
  // One sentence: why this value, or why none.
  std::string reason;
};

// The value is what the newest release that the model knows (2.42) computes
// from the same CPUID: upstream's latest judgement. Where that release finds no
// cache size either, it is 64 MiB, as upstream chose (bug 30429). Where a
// measurement contradicts CPUID's claim of the last level, or there is none, it
// is three quarters of the measured size instead (upstream's share of a cache
// that is one's own), and never less than 1 MiB.
//
// 2.35 as tagged starts non-temporal copies at rep_movsb_stop_threshold, which
// no tunable moves, for sizes above rep_movsb_threshold: that is set as well
// there. `memmove` is the selected variant: nothing is wrong with a number that
// neither it nor memset reads.
UnmeasuredAdvice AdviseNonTemporalThreshold(
    const CpuidSource& cpu, const GlibcBuild& build, absl::string_view memmove,
    const EffectiveThresholds& now,
    std::optional<uint64_t> measured_last_level = std::nullopt);

}  // namespace advisor

#endif  // ADVISOR_RULES_UNMEASURED_NON_TEMPORAL_RULE_H_
