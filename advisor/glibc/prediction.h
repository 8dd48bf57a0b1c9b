// What a glibc build does on a CPU: everything that its start-up code derives
// from CPUID and from GLIBC_TUNABLES for memcpy, memmove, mempcpy and memset.

#ifndef ADVISOR_GLIBC_PREDICTION_H_
#define ADVISOR_GLIBC_PREDICTION_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/cache_info.h"
#include "advisor/glibc/cpu_features.h"
#include "advisor/glibc/hwcaps_mask.h"
#include "advisor/glibc/loader_listing.h"
#include "advisor/glibc/step.h"
#include "advisor/glibc/thresholds.h"
#include "advisor/glibc/tunables.h"

namespace advisor {

struct Prediction {
  std::string build;  // GlibcBuild::name().
  // The program never gets to main; only `features` and `cache.hangs` mean
  // something then.
  bool hangs = false;

  CpuFeatures features;  // After the mask.
  CacheInfo cache;
  Thresholds thresholds;

  // What follows "__memmove_" (and "__memcpy_", "__mempcpy_", which choose
  // alike) and "__memset_" in the symbol of the selected variant.
  absl::string_view memmove;
  absl::string_view memset;

  ParsedTunables tunables;
  std::vector<MaskItem> mask_items;

  // The line of reasoning, in the order of start-up.
  std::vector<Step> steps;
};

enum class Reasoning { kRecorded, kOmitted };

// `glibc_tunables` is the value of the environment variable. The answers that
// `cpu` does not have count as zero.
Prediction Predict(const CpuidSource& cpu, const GlibcBuild& build,
                   absl::string_view glibc_tunables = "",
                   Reasoning reasoning = Reasoning::kRecorded);

// What a loader would list of it.
EffectiveThresholds ThresholdsOf(const Prediction& prediction);

// Comma-separated values, one line without its end: sizes and thresholds in
// bytes, empty where the build has no such variable; "hangs" in every column
// of a build that hangs.
absl::string_view PredictionCsvHeader();
std::string FormatPredictionCsv(absl::string_view dump,
                                const Prediction& prediction);

}  // namespace advisor

#endif  // ADVISOR_GLIBC_PREDICTION_H_
