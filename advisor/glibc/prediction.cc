#include "advisor/glibc/prediction.h"

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "advisor/glibc/change.h"
#include "advisor/glibc/variant_selection.h"

namespace advisor {
namespace {

void ApplyMask(const GlibcBuild& build, const StepRecorder& steps,
               Prediction& prediction) {
  if (prediction.tunables.hwcaps.has_value()) {
    prediction.mask_items = ApplyHwcapsMask(*prediction.tunables.hwcaps,
                                            prediction.tunables.behind_hwcaps,
                                            build, prediction.features);
    for (const MaskItem& item : prediction.mask_items) {
      steps.Add([&] {
        return Step{
            "mask", item.text,
            absl::StrCat(!item.accepted    ? "not a name of this build: ignored"
                         : !item.effective ? "changes nothing"
                                           : "applied",
                         item.behind_end ? "; read past the mask's end" : ""),
            ""};
      });
    }
  }
  ClearXsaveDependents(build, prediction.features);
}

std::string CsvField(absl::string_view text) {
  if (text.find_first_of(",\"\n\r") == absl::string_view::npos) {
    return std::string(text);
  }
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

std::string CsvNumber(std::optional<uint64_t> value) {
  return value.has_value() ? absl::StrCat(*value) : "";
}

}  // namespace

Prediction Predict(const CpuidSource& cpu, const GlibcBuild& build,
                   absl::string_view glibc_tunables, Reasoning reasoning) {
  Prediction prediction;
  prediction.build = build.name();
  const StepRecorder steps(reasoning == Reasoning::kRecorded ? &prediction.steps
                                                             : nullptr);

  prediction.tunables = ParseTunables(glibc_tunables, build);
  prediction.features = DetectCpuFeatures(cpu, build, steps);
  // Before the cache code moved into the loader, it ran after the mask.
  const bool mask_first = !build.Has(Change::kCacheInfoInLoader);
  if (mask_first) ApplyMask(build, steps, prediction);

  prediction.cache = ComputeCacheInfo(cpu, build, prediction.features, steps);
  prediction.hangs = prediction.cache.hangs;
  if (prediction.hangs) return prediction;
  prediction.thresholds = ComputeThresholds(
      build, prediction.features, prediction.cache, prediction.tunables, steps);

  if (!mask_first) ApplyMask(build, steps, prediction);
  prediction.memmove = SelectMemmove(build, prediction.features, steps);
  prediction.memset = SelectMemset(build, prediction.features, steps);
  return prediction;
}

EffectiveThresholds ThresholdsOf(const Prediction& prediction) {
  const Thresholds& predicted = prediction.thresholds;
  EffectiveThresholds thresholds;
  thresholds.data_cache_size = predicted.data_cache_size;
  thresholds.shared_cache_size = predicted.shared_cache_size;
  thresholds.non_temporal_threshold = predicted.non_temporal_threshold;
  thresholds.memset_non_temporal_threshold =
      predicted.memset_non_temporal_threshold;
  thresholds.rep_movsb_threshold = predicted.rep_movsb_threshold;
  thresholds.rep_movsb_stop_threshold = predicted.rep_movsb_stop_threshold;
  thresholds.rep_stosb_threshold = predicted.rep_stosb_threshold;
  return thresholds;
}

absl::string_view PredictionCsvHeader() {
  return "dump,build,data_cache_size,shared_cache_size,"
         "non_temporal_threshold,rep_movsb_threshold,"
         "rep_movsb_stop_threshold,rep_stosb_threshold,"
         "memset_non_temporal_threshold,memmove,memset";
}

std::string FormatPredictionCsv(absl::string_view dump,
                                const Prediction& prediction) {
  std::string line =
      absl::StrCat(CsvField(dump), ",", CsvField(prediction.build));
  if (prediction.hangs) {
    for (int column = 0; column < 9; ++column) {
      absl::StrAppend(&line, ",hangs");
    }
    return line;
  }
  const Thresholds& thresholds = prediction.thresholds;
  for (const std::optional<uint64_t>& value :
       {std::optional<uint64_t>(thresholds.data_cache_size),
        std::optional<uint64_t>(thresholds.shared_cache_size),
        std::optional<uint64_t>(thresholds.non_temporal_threshold),
        thresholds.rep_movsb_threshold, thresholds.rep_movsb_stop_threshold,
        thresholds.rep_stosb_threshold,
        thresholds.memset_non_temporal_threshold}) {
    absl::StrAppend(&line, ",", CsvNumber(value));
  }
  absl::StrAppend(&line, ",", prediction.memmove, ",", prediction.memset);
  return line;
}

}  // namespace advisor
