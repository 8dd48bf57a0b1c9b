#include "glibc_patches/thresholds/model_comparison.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "advisor/glibc/cpu_features.h"
#include "advisor/glibc/tunables.h"

namespace glibc_patches {
namespace {

class Comparison {
 public:
  explicit Comparison(const ProbeValues& values) : values_(values) {}

  // nullopt of the model: it says nothing.
  void Number(const std::string& name, std::optional<uint64_t> predicted) {
    if (!predicted.has_value()) return;
    Text(name, absl::StrCat(*predicted));
  }

  void Text(const std::string& name, const std::string& predicted) {
    ++result_.compared;
    const auto found = values_.find(name);
    if (found != values_.end() && found->second == predicted) return;
    result_.differences.push_back(absl::StrCat(
        name, ": predicted ", predicted, ", probed ",
        found == values_.end() ? std::string("nothing") : found->second));
  }

  // Only where the tree has it at all.
  void IfThere(const std::string& name, std::optional<uint64_t> predicted) {
    if (values_.count(name) > 0) Number(name, predicted);
  }

  ModelComparison TakeResult() { return std::move(result_); }

 private:
  const ProbeValues& values_;
  ModelComparison result_;
};

void CompareThresholds(const advisor::Thresholds& thresholds,
                       Comparison& comparison) {
  comparison.Number("__x86_data_cache_size", thresholds.data_cache_size);
  comparison.Number("__x86_shared_cache_size", thresholds.shared_cache_size);
  comparison.Number("__x86_shared_non_temporal_threshold",
                    thresholds.non_temporal_threshold);
  comparison.Number("__x86_rep_movsb_threshold",
                    thresholds.rep_movsb_threshold);
  comparison.Number("__x86_rep_movsb_stop_threshold",
                    thresholds.rep_movsb_stop_threshold);
  comparison.Number("__x86_rep_stosb_threshold",
                    thresholds.rep_stosb_threshold);
  comparison.Number("__x86_memset_non_temporal_threshold",
                    thresholds.memset_non_temporal_threshold);
  comparison.Number("__x86_string_control", thresholds.string_control);
  comparison.Number("data_cache_size", thresholds.unrounded_data_cache_size);
  comparison.Number("shared_cache_size",
                    thresholds.unrounded_shared_cache_size);
}

void CompareFeatures(const advisor::CpuFeatures& features,
                     Comparison& comparison) {
  using advisor::Feature;
  for (int i = 0; i < advisor::kFeatureCount; ++i) {
    const auto feature = static_cast<Feature>(i);
    // The probe is built without CET; the third is read by nothing.
    if (feature == Feature::kShstk || feature == Feature::kIbt ||
        feature == Feature::kRtmAlwaysAbort) {
      continue;
    }
    comparison.IfThere(absl::StrCat("usable.", advisor::FeatureName(feature)),
                       features.Active(feature));
  }
  for (int i = 0; i < advisor::kFlagCount; ++i) {
    const auto flag = static_cast<advisor::Flag>(i);
    comparison.IfThere(absl::StrCat("preferred.", advisor::FlagName(flag)),
                       features.flags.Contains(flag));
  }
}

void CompareRecords(const advisor::Thresholds& thresholds,
                    Comparison& comparison) {
  for (const advisor::TunableRow& row : advisor::AllTunables()) {
    const auto& record = thresholds.records[static_cast<int>(row.tunable)];
    if (!record.has_value()) continue;
    const std::string name = absl::StrCat("tunable.", row.name);
    comparison.Number(name, record->value);
    comparison.Number(name + ".min", record->minimum);
    comparison.Number(name + ".max", record->maximum);
  }
}

}  // namespace

ModelComparison CompareWithModel(const advisor::GlibcBuild& build,
                                 const advisor::Prediction& prediction,
                                 const ProbeRun& run) {
  if (prediction.hangs || run.end != ProbeEnd::kAnswered) {
    const bool equal = prediction.hangs && run.end == ProbeEnd::kHung;
    ModelComparison result{1, {}};
    if (!equal) {
      result.differences.push_back(absl::StrCat(
          prediction.hangs ? "predicted to hang" : "predicted", ", the probe ",
          run.end == ProbeEnd::kAnswered ? "answers" : run.what));
    }
    return result;
  }
  const ProbeValues values = ParseProbeLines(run.lines);
  Comparison comparison(values);
  CompareThresholds(prediction.thresholds, comparison);
  CompareFeatures(prediction.features, comparison);
  CompareRecords(prediction.thresholds, comparison);
  if (build.Has(advisor::Change::kCacheInfoInLoader)) {
    const advisor::CacheInfo& cache = prediction.cache;
    comparison.Number("level1_dcache_size", cache.level1_dcache_size);
    comparison.Number("level2_cache_size", cache.level2_cache_size);
    comparison.Number("level3_cache_size", cache.level3_cache_size);
  }
  for (const char* function : {"memmove", "memcpy", "mempcpy"}) {
    comparison.Text(absl::StrCat("variant.", function),
                    absl::StrCat("__", function, "_", prediction.memmove));
  }
  comparison.Text("variant.memset",
                  absl::StrCat("__memset_", prediction.memset));
  return comparison.TakeResult();
}

}  // namespace glibc_patches
