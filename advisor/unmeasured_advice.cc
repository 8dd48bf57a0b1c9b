#include "advisor/unmeasured_advice.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "advisor/glibc/merge_tunables.h"
#include "advisor/rules/unmeasured_non_temporal_rule.h"
#include "advisor/validity.h"

namespace advisor {

Recommendation RecommendUnmeasured(const CpuidSource& cpu,
                                   const GlibcBuild& build,
                                   absl::string_view memmove,
                                   const EffectiveThresholds& now,
                                   absl::string_view glibc_tunables) {
  const UnmeasuredAdvice advice =
      AdviseNonTemporalThreshold(cpu, build, memmove, now);
  Recommendation recommendation;
  recommendation.reason = advice.reason;
  recommendation.string = std::string(glibc_tunables);
  if (advice.settings.empty()) return recommendation;
  recommendation.verdict = Verdict::kSet;
  recommendation.tunables = advice.settings;
  std::vector<TunableValue> values;
  for (const TunableSetting& setting : advice.settings) {
    values.emplace_back(setting.name, absl::StrCat(setting.value));
  }
  recommendation.string = MergeTunables(glibc_tunables, values);
  recommendation.validity = {ReleasesWithNames(advice.settings),
                             ObsoleteFrom(cpu, build)};
  return recommendation;
}

}  // namespace advisor
