// The recommendation of the model alone.

#ifndef ADVISOR_UNMEASURED_ADVICE_H_
#define ADVISOR_UNMEASURED_ADVICE_H_

#include "absl/strings/string_view.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/loader_listing.h"
#include "advisor/report.h"

namespace advisor {

// What AdviseNonTemporalThreshold (rules) says of `now` on `cpu`, merged with
// `glibc_tunables`, which are set already, and how far it reaches.
Recommendation RecommendUnmeasured(const CpuidSource& cpu,
                                   const GlibcBuild& build,
                                   absl::string_view memmove,
                                   const EffectiveThresholds& now,
                                   absl::string_view glibc_tunables);

}  // namespace advisor

#endif  // ADVISOR_UNMEASURED_ADVICE_H_
