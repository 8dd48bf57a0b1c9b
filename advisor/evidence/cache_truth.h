// The caches that this process really gets, by the latency curve, beside what
// CPUID claims. A guest is told of caches that it shares with neighbours it
// cannot see, or of a model's caches that the host does not have.

#ifndef ADVISOR_EVIDENCE_CACHE_TRUTH_H_
#define ADVISOR_EVIDENCE_CACHE_TRUTH_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/report.h"
#include "kernels/measure/latency_curve.h"

namespace advisor {

// A level holds a working set while at least half of its loads come from it or
// from nearer: up to the size at which the time of a load crosses the middle
// between the level's own and the next one's. `claims` may name a level several
// times: the first counts. A claim is contradicted when it is off by more than
// a factor of two: less is noise, neighbours, or a matter of associativity.
//
// Levels that are neither claimed nor seen are left out. Where the curve does
// not rise from L1d to memory as caches do, nothing is measured.
CacheTruth JudgeCaches(const kernels::LatencyCurve& curve,
                       absl::Span<const CacheSummary> claims);

// One for each contradicted claim.
std::vector<Finding> CacheFindings(const CacheTruth& truth);

// What this process gets of the last level, where CPUID's claim is contradicted
// or missing, bytes: for those who would derive a threshold from it.
std::optional<uint64_t> LastLevelInsteadOfClaim(const CacheTruth& truth);

}  // namespace advisor

#endif  // ADVISOR_EVIDENCE_CACHE_TRUTH_H_
