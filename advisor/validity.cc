#include "advisor/validity.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "advisor/glibc/hwcaps_mask.h"
#include "advisor/glibc/prediction.h"
#include "advisor/glibc/tunables.h"
#include "advisor/rules/unmeasured_non_temporal_rule.h"
#include "advisor/system.h"

namespace advisor {
namespace {

bool KnowsWords(const GlibcBuild& build, absl::string_view mask) {
  return absl::c_all_of(absl::StrSplit(mask, ',', absl::SkipEmpty()),
                        [&](absl::string_view word) {
                          absl::ConsumePrefix(&word, "-");
                          return FindMaskName(word, build) != nullptr;
                        });
}

bool Knows(const GlibcBuild& build, const TunableSetting& setting) {
  return absl::c_any_of(AllTunables(), [&](const TunableRow& row) {
    return HasTunable(build, row.tunable) &&
           TunableName(build, row.tunable) == setting.name &&
           (row.tunable != Tunable::kHwcaps || KnowsWords(build, setting.text));
  });
}

}  // namespace

std::string ReleasesWithNames(absl::Span<const TunableSetting> settings) {
  if (settings.empty()) return "";
  int first = 0;
  int last = 0;
  for (int release = kFirstRelease; release <= kLastRelease; ++release) {
    const GlibcBuild build = GlibcBuild::Tag(release);
    if (!absl::c_all_of(settings, [&](const TunableSetting& setting) {
          return Knows(build, setting);
        })) {
      continue;
    }
    if (first == 0) {
      first = release;
    } else if (last + 1 != release) {
      return "";
    }
    last = release;
  }
  if (first == 0) return "";
  return first == last ? absl::StrCat("2.", first)
                       : absl::StrCat("2.", first, " to 2.", last);
}

std::string ObsoleteFrom(const CpuidSource& cpu, const GlibcBuild& build) {
  int from = kLastRelease + 1;
  while (from > build.release() + 1) {
    const GlibcBuild later = GlibcBuild::Tag(from - 1);
    const Prediction prediction = Predict(cpu, later, "", Reasoning::kOmitted);
    if (!AdviseNonTemporalThreshold(cpu, later, prediction.memmove,
                                    ThresholdsOf(prediction))
             .settings.empty()) {
      break;
    }
    --from;
  }
  return from > kLastRelease ? "" : absl::StrCat("2.", from);
}

}  // namespace advisor
