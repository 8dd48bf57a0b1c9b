// How far a recommendation reaches: which releases know its names, and from
// which on it is superfluous. By the model, for whoever finds it in a unit file
// in some years.

#ifndef ADVISOR_VALIDITY_H_
#define ADVISOR_VALIDITY_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/build.h"
#include "advisor/report.h"

namespace advisor {

// "2.33 to 2.42", "2.28": releases as tagged that have every tunable of
// `settings` under the name given, and know every word of a hwcaps mask. Empty
// for no settings, for names that no release knows, and where the releases are
// not one after the other.
std::string ReleasesWithNames(absl::Span<const TunableSetting> settings);

// For what AdviseNonTemporalThreshold (unmeasured_non_temporal_rule.h) gave on
// `cpu` under `build`: the first release after it, as tagged, from which on
// that rule finds nothing wrong. Empty where there is none.
std::string ObsoleteFrom(const CpuidSource& cpu, const GlibcBuild& build);

}  // namespace advisor

#endif  // ADVISOR_VALIDITY_H_
