// The latency curve of this machine, beside what CPUID claims of its caches.

#ifndef ADVISOR_CACHE_MEASUREMENT_H_
#define ADVISOR_CACHE_MEASUREMENT_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "advisor/measurement.h"
#include "advisor/report.h"

namespace advisor {

// Quick: working sets to 32 MiB in about 1.5 s; full: to 256 MiB in about 10 s;
// never more than an eighth of the memory that is available. Errors as
// MeasureAndAdvise().
absl::StatusOr<CacheTruth> MeasureCaches(const MeasurementDoors& doors,
                                         const MeasurementOptions& options,
                                         absl::Span<const CacheSummary> claims);

}  // namespace advisor

#endif  // ADVISOR_CACHE_MEASUREMENT_H_
