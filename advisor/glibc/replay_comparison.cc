#include "advisor/glibc/replay_comparison.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace advisor {
namespace {

using Value = std::optional<uint64_t>;

std::string Print(Value value) {
  return value.has_value() ? absl::StrCat("0x", absl::Hex(*value)) : "none";
}

// What to do where just one side has a value.
enum class Absence { kDiffers, kIsSkipped };

void Compare(std::string name, Value predicted, Value replayed, Absence absence,
             ReplayComparison* result) {
  if (!predicted.has_value() || !replayed.has_value()) {
    if (absence == Absence::kIsSkipped || predicted == replayed) return;
  }
  ++result->compared;
  if (predicted == replayed) return;
  result->differences.push_back(
      {std::move(name), Print(predicted), Print(replayed)});
}

// A CPUID bit as the diagnostics number it.
struct FeatureBit {
  uint32_t index;
  uint32_t word;
  uint32_t bit;
};

// The leaf and subleaf of each index, by glibc's <sys/platform/x86.h>.
constexpr std::array<std::pair<uint32_t, uint32_t>, 9> kFeatureLeaves = {{
    {0x1, 0},
    {0x7, 0},
    {0x80000001, 0},
    {0xd, 1},
    {0x80000007, 0},
    {0x80000008, 0},
    {0x7, 1},
    {0x19, 0},
    {0x14, 0},
}};

// From "7:0:EBX[31]".
std::optional<FeatureBit> BitOf(Feature feature) {
  const std::string source = FeatureSource(feature);
  const std::vector<absl::string_view> parts =
      absl::StrSplit(source, absl::ByAnyChar(":[]"));
  uint32_t leaf, subleaf;
  FeatureBit result;
  if (parts.size() < 4 || !absl::SimpleHexAtoi(parts[0], &leaf) ||
      !absl::SimpleHexAtoi(parts[1], &subleaf) ||
      !absl::SimpleAtoi(parts[3], &result.bit)) {
    return std::nullopt;
  }
  constexpr absl::string_view kRegisters[] = {"EAX", "EBX", "ECX", "EDX"};
  const auto* const word =
      std::find(std::begin(kRegisters), std::end(kRegisters), parts[2]);
  const auto* const index =
      std::find(kFeatureLeaves.begin(), kFeatureLeaves.end(),
                std::pair<uint32_t, uint32_t>(leaf, subleaf));
  if (word == std::end(kRegisters) || index == kFeatureLeaves.end()) {
    return std::nullopt;
  }
  result.word = static_cast<uint32_t>(word - std::begin(kRegisters));
  result.index = static_cast<uint32_t>(index - kFeatureLeaves.begin());
  return result;
}

Value BitIn(const std::array<std::optional<uint32_t>, 4>& words,
            FeatureBit bit) {
  const std::optional<uint32_t> word = words[bit.word];
  if (!word.has_value()) return std::nullopt;
  return *word >> bit.bit & 1;
}

void CompareFeatures(const GlibcBuild& build, const CpuFeatures& features,
                     const DiagnosticsListing& listing,
                     ReplayComparison* result) {
  const auto compare = [&](const char* name, Value predicted, Value replayed) {
    Compare(absl::StrCat("basic.", name), predicted, replayed,
            Absence::kIsSkipped, result);
  };
  compare("kind", CpuKindNumber(features.kind, build), listing.kind);
  compare("max_cpuid", features.max_leaf, listing.max_cpuid);
  compare("family", features.family, listing.family);
  compare("model", features.model, listing.model);
  // Of a Zhaoxin CPU the loader prints 0.
  if (features.kind == CpuKind::kIntel || features.kind == CpuKind::kAmd) {
    compare("stepping", features.stepping, listing.stepping);
  }
  for (int i = 0; i < kFeatureCount; ++i) {
    const Feature feature = static_cast<Feature>(i);
    // The first two are as the kernel lets programs use CET. The third, which
    // nothing reads later, glibc also sets where it turns RTM off itself.
    if (feature == Feature::kShstk || feature == Feature::kIbt ||
        feature == Feature::kRtmAlwaysAbort) {
      continue;
    }
    const std::optional<FeatureBit> bit = BitOf(feature);
    if (!bit.has_value()) continue;
    const auto words = listing.features.find(bit->index);
    if (words == listing.features.end()) continue;
    Compare(absl::StrCat("active ", FeatureName(feature)),
            features.Active(feature), BitIn(words->second.active, *bit),
            Absence::kIsSkipped, result);
  }
  for (int i = 0; i < kFlagCount; ++i) {
    const Flag flag = static_cast<Flag>(i);
    const auto listed = listing.preferred.find(std::string(FlagName(flag)));
    if (listed == listing.preferred.end()) {
      // The loader's list is whole if it has any flag: one that is set in the
      // model only is wrong.
      if (!listing.preferred.empty() && features.flags.Contains(flag)) {
        result->differences.push_back(
            {absl::StrCat("preferred.", FlagName(flag)), "0x1", "none"});
      }
      continue;
    }
    Compare(absl::StrCat("preferred.", FlagName(flag)),
            features.flags.Contains(flag), listed->second, Absence::kDiffers,
            result);
  }
}

void CompareSizes(const Prediction& prediction,
                  const DiagnosticsListing& listing, ReplayComparison* result) {
  const auto compare = [&](const char* name, Value predicted,
                           Absence absence = Absence::kDiffers) {
    Compare(name, predicted, listing.X86(name), absence, result);
  };
  const Thresholds& thresholds = prediction.thresholds;
  compare("data_cache_size", thresholds.unrounded_data_cache_size);
  compare("shared_cache_size", thresholds.unrounded_shared_cache_size);
  compare("non_temporal_threshold", thresholds.non_temporal_threshold);
  compare("memset_non_temporal_threshold",
          thresholds.memset_non_temporal_threshold);
  compare("rep_movsb_threshold", thresholds.rep_movsb_threshold);
  compare("rep_movsb_stop_threshold", thresholds.rep_movsb_stop_threshold);
  compare("rep_stosb_threshold", thresholds.rep_stosb_threshold);
  compare("cachesize_non_temporal_divisor",
          prediction.features.non_temporal_divisor, Absence::kIsSkipped);
}

void CompareRecords(const GlibcBuild& build, const Prediction& prediction,
                    const TunablesListing& listing, ReplayComparison* result) {
  for (int i = 0; i < kTunableCount; ++i) {
    const auto& record = prediction.thresholds.records[i];
    const std::string name = TunableName(build, static_cast<Tunable>(i));
    const auto listed = listing.tunables.find(name);
    const auto* const size = listed == listing.tunables.end()
                                 ? nullptr
                                 : std::get_if<SizeTunable>(&listed->second);
    if (!record.has_value()) continue;
    const auto compare = [&](const char* part, uint64_t predicted,
                             Value replayed) {
      Compare(absl::StrCat(name, part), predicted, replayed, Absence::kDiffers,
              result);
    };
    compare("", record->value, size ? Value(size->value) : Value());
    compare(" min", record->minimum, size ? Value(size->min) : Value());
    compare(" max", record->maximum, size ? Value(size->max) : Value());
  }
}

}  // namespace

ReplayComparison CompareWithListings(const GlibcBuild& build,
                                     const Prediction& prediction,
                                     const DiagnosticsListing& diagnostics,
                                     const TunablesListing& tunables) {
  ReplayComparison result;
  CompareFeatures(build, prediction.features, diagnostics, &result);
  CompareSizes(prediction, diagnostics, &result);
  CompareRecords(build, prediction, tunables, &result);
  return result;
}

}  // namespace advisor
