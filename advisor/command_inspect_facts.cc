#include "advisor/command_inspect_facts.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "advisor/cpu/leaf_state.h"
#include "advisor/glibc/tunables.h"
#include "advisor/glibc/variant_selection.h"

namespace advisor {
namespace {

// What the selectors of memmove and memset, the thresholds and the preferred
// flags of some release from 2.26 to 2.42 read.
constexpr absl::string_view kFeaturesThatMatter[] = {
    "SSE2",     "SSSE3",    "AVX",      "AVX2",     "BMI2", "AVX512F",
    "AVX512BW", "AVX512VL", "AVX512ER", "AVX_VNNI", "ERMS", "FSRM",
    "RTM",      "XSAVE",    "OSXSAVE",  "XSAVEC",   "HTT"};

std::string WhyNot(const CpuidSource& cpuid, const FeatureState& feature) {
  if (feature.cpuid) {
    return feature.row->rule == UsableRule::kXsaveSize &&
                   !cpuid.Query(0xd, 0).has_value()
               ? "leaf 0xD is not told"
               : std::string(WhyNotUsable(feature));
  }
  // A clear bit needs no reason; a leaf that does not tell is one.
  const LeafFact leaf = BasicLeafFact(cpuid, feature.row->leaf);
  if (leaf.state == LeafState::kAbsent) {
    return absl::StrFormat("leaf 0x%X is absent: %s", leaf.leaf, leaf.reason);
  }
  if (leaf.state == LeafState::kZero) {
    return absl::StrFormat("leaf 0x%X is zero", leaf.leaf);
  }
  return "";
}

std::vector<FeatureFact> Features(const CpuidSource& cpuid,
                                  const CpuModel& cpu) {
  std::vector<FeatureFact> features;
  for (const FeatureState& state : cpu.features) {
    FeatureFact fact;
    fact.state = state;
    if (!state.usable) fact.why_not = WhyNot(cpuid, state);
    fact.matters = std::count(std::begin(kFeaturesThatMatter),
                              std::end(kFeaturesThatMatter), state.name()) > 0;
    features.push_back(std::move(fact));
  }
  return features;
}

struct ThresholdRow {
  // As glibc's variable is called after "__x86_"; a tunable's is longer by
  // "x86_".
  absl::string_view name;
  std::optional<Tunable> tunable;
  std::optional<uint64_t> EffectiveThresholds::*listed;
};

using E = EffectiveThresholds;

// Sorted by name.
constexpr ThresholdRow kThresholds[] = {
    {"data_cache_size", Tunable::kX86DataCacheSize, &E::data_cache_size},
    {"memset_non_temporal_threshold", Tunable::kX86MemsetNonTemporalThreshold,
     &E::memset_non_temporal_threshold},
    {"non_temporal_threshold", Tunable::kX86NonTemporalThreshold,
     &E::non_temporal_threshold},
    {"rep_movsb_stop_threshold", std::nullopt, &E::rep_movsb_stop_threshold},
    {"rep_movsb_threshold", Tunable::kX86RepMovsbThreshold,
     &E::rep_movsb_threshold},
    {"rep_stosb_threshold", Tunable::kX86RepStosbThreshold,
     &E::rep_stosb_threshold},
    {"shared_cache_size", Tunable::kX86SharedCacheSize, &E::shared_cache_size},
};

// In the terms of a listing. Builds that have constants instead get those that
// the selected variant was built with.
EffectiveThresholds AsListed(const GlibcBuild& build,
                             const Prediction& prediction) {
  const Thresholds& now = prediction.thresholds;
  EffectiveThresholds result;
  result.data_cache_size =
      now.unrounded_data_cache_size.value_or(now.data_cache_size);
  result.shared_cache_size =
      now.unrounded_shared_cache_size.value_or(now.shared_cache_size);
  result.non_temporal_threshold = now.non_temporal_threshold;
  result.memset_non_temporal_threshold = now.memset_non_temporal_threshold;
  result.rep_movsb_threshold = now.rep_movsb_threshold;
  result.rep_movsb_stop_threshold = now.rep_movsb_stop_threshold;
  result.rep_stosb_threshold = now.rep_stosb_threshold;
  if (!HasTunable(build, Tunable::kX86RepMovsbThreshold)) {
    if (VariantIsErms(prediction.memmove)) {
      result.rep_movsb_threshold =
          ConstantRepMovsbThreshold(VariantVectorSize(prediction.memmove));
    }
    if (VariantIsErms(prediction.memset)) {
      result.rep_stosb_threshold = kConstantRepStosbThreshold;
    }
  }
  return result;
}

// The number that the kernels get for a tunable; nullopt for one that is no
// number of theirs.
std::optional<uint64_t> InForce(const ThresholdRow& row,
                                const Prediction& prediction,
                                const EffectiveThresholds& predicted) {
  const auto& record =
      prediction.thresholds.records[static_cast<int>(*row.tunable)];
  return record.has_value() ? record->value : predicted.*row.listed;
}

std::string OutcomeOfNumber(const TunableAssignment& item,
                            const Prediction& prediction,
                            const EffectiveThresholds& predicted,
                            bool& in_force) {
  const std::string read =
      item.trailing_garbage ? absl::StrCat("read as ", item.number) : "read";
  for (const ThresholdRow& row : kThresholds) {
    if (row.tunable != item.tunable) continue;
    const std::optional<uint64_t> value = InForce(row, prediction, predicted);
    if (!value.has_value()) break;
    const bool is_size = row.tunable == Tunable::kX86DataCacheSize ||
                         row.tunable == Tunable::kX86SharedCacheSize;
    in_force =
        *value == item.number ||
        // Rounded, in builds without a record of it.
        (is_size && item.number != 0 && *value == (item.number & ~255ull));
    return in_force ? absl::StrCat(item.trailing_garbage ? read + ", " : "",
                                   "in force")
                    : absl::StrCat(read, ", but ", *value, " is in force");
  }
  in_force = true;
  return read;
}

std::string OutcomeOf(const TunableAssignment& item,
                      const Prediction& prediction,
                      const EffectiveThresholds& predicted, bool& in_force) {
  switch (item.outcome) {
    case AssignmentOutcome::kSet:
      if (item.tunable == Tunable::kHwcaps) {
        in_force = true;
        return "read";
      }
      return OutcomeOfNumber(item, prediction, predicted, in_force);
    case AssignmentOutcome::kOtherTunable:
      return "of another part of glibc";
    case AssignmentOutcome::kUnknownName:
      return "no tunable of this glibc, ignored";
    case AssignmentOutcome::kNoValue:
      return "has no \"=\", ignored";
    case AssignmentOutcome::kOutOfRange:
      return "outside its bounds, ignored";
    case AssignmentOutcome::kNotANumber:
      return "not a number, ignored with a warning";
    case AssignmentOutcome::kSuperseded:
      return "set again after it, ignored";
    case AssignmentOutcome::kRejected:
      return "the string is ill-formed, all of it is ignored";
    case AssignmentOutcome::kSecureOnly:
      return "switched off by glibc.rtld.enable_secure";
  }
  return "";
}

void AddTunables(const EffectiveThresholds& predicted, CoreInspection& core) {
  const Prediction& prediction = *core.prediction;
  for (const TunableAssignment& item : prediction.tunables.assignments) {
    TunableFact fact;
    fact.item = item.outcome == AssignmentOutcome::kNoValue
                    ? item.name
                    : absl::StrCat(item.name, "=", item.value);
    fact.outcome = OutcomeOf(item, prediction, predicted, fact.in_force);
    if (item.second_look) {
      absl::StrAppend(&fact.outcome,
                      " (read from inside another item: CVE-2023-4911)");
    }
    core.tunables.push_back(std::move(fact));
  }
  for (const MaskItem& item : prediction.mask_items) {
    TunableFact fact;
    fact.item = item.text;
    fact.in_force = item.effective;
    fact.outcome = absl::StrCat(
        item.effective  ? "in force"
        : item.accepted ? "nothing to change"
                        : "no such word in this glibc, ignored",
        item.behind_end ? " (read from behind the mask's end)" : "");
    core.tunables.push_back(std::move(fact));
  }
}

}  // namespace

CoreInspection InspectCore(std::string name, const CpuidSource& cpuid) {
  CoreInspection core;
  core.name = std::move(name);
  core.cpu = DecodeCpuModel(cpuid);
  core.features = Features(cpuid, core.cpu);
  return core;
}

void AddPrediction(const CpuidSource& cpuid, const GlibcBuild& build,
                   absl::string_view glibc_tunables, bool like_tunables_list,
                   CoreInspection& core) {
  core.prediction = Predict(cpuid, build, glibc_tunables, Reasoning::kOmitted);
  const Prediction& prediction = *core.prediction;
  if (prediction.hangs) return;
  const EffectiveThresholds predicted = AsListed(build, prediction);
  for (const ThresholdRow& row : kThresholds) {
    ThresholdFact fact;
    fact.is_tunable =
        row.tunable.has_value() && HasTunable(build, *row.tunable);
    fact.name = absl::StrCat(fact.is_tunable ? "x86_" : "", row.name);
    fact.predicted = like_tunables_list && fact.is_tunable
                         ? InForce(row, prediction, predicted)
                         : predicted.*row.listed;
    if (fact.predicted.has_value()) core.thresholds.push_back(std::move(fact));
  }
  for (const FeatureFact& feature : core.features) {
    const auto known = FeatureByName(feature.state.name());
    if (feature.matters && feature.state.usable && known.has_value() &&
        !prediction.features.Active(*known)) {
      core.features_glibc_ignores.push_back(std::string(feature.state.name()));
    }
  }
  AddTunables(predicted, core);
}

void AddListed(const EffectiveThresholds& listed,
               std::vector<ThresholdFact>& thresholds) {
  std::vector<ThresholdFact> facts;
  for (const ThresholdRow& row : kThresholds) {
    ThresholdFact fact;
    const auto predicted = std::find_if(
        thresholds.begin(), thresholds.end(), [&](const ThresholdFact& other) {
          return absl::StripPrefix(other.name, "x86_") == row.name;
        });
    if (predicted != thresholds.end()) {
      fact = *predicted;
    } else {
      fact.is_tunable = row.tunable.has_value();
      fact.name = absl::StrCat(fact.is_tunable ? "x86_" : "", row.name);
    }
    fact.listed = listed.*row.listed;
    if (fact.listed.has_value() || fact.predicted.has_value()) {
      facts.push_back(std::move(fact));
    }
  }
  thresholds = std::move(facts);
}

}  // namespace advisor
