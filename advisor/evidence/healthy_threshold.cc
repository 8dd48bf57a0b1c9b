#include "advisor/evidence/healthy_threshold.h"

#include "advisor/glibc/build.h"
#include "advisor/glibc/prediction.h"
#include "advisor/glibc/thresholds.h"

namespace advisor {
namespace {

// NONTEMPORAL threshold of 2.38 and later without cache information.
constexpr uint64_t kWithoutCacheInformation = uint64_t{64} << 20;
// More than half of the largest L3 that there is (504 MiB, Xeon 6980P) rests on
// a size that cannot be right, or is the 2^60 - 1 of a vendor that is not
// known.
constexpr uint64_t kLargestPlausible = uint64_t{256} << 20;

}  // namespace

HealthyThreshold HealthyNonTemporalThreshold(const CpuidSource& cpu) {
  const Prediction newest =
      Predict(cpu, GlibcBuild::Tag(kLastRelease), "", Reasoning::kOmitted);
  const uint64_t bytes = newest.thresholds.non_temporal_threshold;
  if (!newest.hangs && bytes > kMinimumNonTemporalThreshold &&
      bytes <= kLargestPlausible && bytes != kWithoutCacheInformation) {
    return {bytes, true};
  }
  return {kWithoutCacheInformation, false};
}

}  // namespace advisor
