#include "advisor/measurement/measured_libc.h"

#include "absl/strings/str_cat.h"
#include "advisor/evidence/path_study.h"

namespace advisor {

bool WouldCrash(const MeasuredLibc& libc) {
  return !libc.repairs.empty() && libc.build.Has(Change::kPagedLargeCopy) &&
         libc.now.non_temporal_threshold.value_or(0) < kLowestNonTemporal - 1;
}

MeasuredLibc WithoutCrashes(MeasuredLibc libc) {
  if (!WouldCrash(libc)) return libc;
  libc.tunables_in_environment =
      MergeTunables(libc.tunables_in_environment, ValuesOf(libc.repairs));
  EffectiveThresholds& now = libc.now;
  now.non_temporal_threshold = libc.repairs[0].value;
  if (libc.repairs.size() > 1) now.rep_movsb_threshold = libc.repairs[1].value;
  if (libc.build.Has(Change::kStopAfterTunables) && !libc.is_amd) {
    now.rep_movsb_stop_threshold = libc.repairs[0].value;
  }
  return libc;
}

std::vector<TunableValue> ValuesOf(
    const std::vector<TunableSetting>& settings) {
  std::vector<TunableValue> values;
  for (const TunableSetting& setting : settings) {
    values.emplace_back(setting.name, setting.text.empty()
                                          ? absl::StrCat(setting.value)
                                          : setting.text);
  }
  return values;
}

}  // namespace advisor
