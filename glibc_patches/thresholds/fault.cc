#include "glibc_patches/thresholds/fault.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "advisor/cpu/feature_table.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/copy_path.h"
#include "advisor/glibc/thresholds.h"
#include "advisor/glibc/variant_selection.h"
#include "glibc_patches/tree_release.h"
#include "kernels/variant.h"

namespace glibc_patches {
namespace {

using ::advisor::GlibcBuild;
using ::advisor::kMaximumNonTemporalThreshold;
using ::advisor::kMinimumNonTemporalThreshold;

// The release and its branch tip; of a release that the model does not know,
// the newest that it knows.
std::vector<GlibcBuild> BuildsOf(absl::string_view release) {
  const int number = ModelledRelease(release).value_or(advisor::kLastRelease);
  return {GlibcBuild::Tag(number), GlibcBuild::BranchTip(number)};
}

class Faults {
 public:
  Faults(const ProbeValues& values, const advisor::CpuidSource& cpu,
         absl::string_view release)
      : values_(values), cpu_(cpu), builds_(BuildsOf(release)) {}

  std::vector<Fault> Find() {
    Memmove();
    RepMovsb();
    Memset();
    for (const char* name : {"data_cache_size", "shared_cache_size"}) {
      const auto size = ProbeNumber(values_, absl::StrCat("__x86_", name));
      if (size.has_value() && static_cast<int64_t>(*size) <= 0) {
        Add(FaultKind::kCacheSizeNotPositive,
            absl::StrCat(name, " is ", static_cast<int64_t>(*size)));
      }
    }
    for (const char* function : {"memmove", "memcpy", "mempcpy", "memset"}) {
      Features(function, "");
      Features(function, "_chk");
    }
    return std::move(faults_);
  }

 private:
  void Add(FaultKind kind, std::string what) {
    faults_.push_back({kind, std::move(what)});
  }

  std::string Technique(absl::string_view function) const {
    const auto variant = values_.find(absl::StrCat("variant.", function));
    if (variant == values_.end()) return "";
    absl::string_view name = variant->second;
    absl::ConsumePrefix(&name, absl::StrCat("__", function, "_"));
    return std::string(name);
  }

  void Memmove() {
    advisor::EffectiveThresholds thresholds;
    thresholds.non_temporal_threshold =
        ProbeNumber(values_, "__x86_shared_non_temporal_threshold");
    if (!thresholds.non_temporal_threshold.has_value()) return;
    const uint64_t non_temporal = *thresholds.non_temporal_threshold;
    thresholds.rep_movsb_threshold =
        ProbeNumber(values_, "__x86_rep_movsb_threshold");
    thresholds.rep_movsb_stop_threshold =
        ProbeNumber(values_, "__x86_rep_movsb_stop_threshold");
    const std::string memmove = Technique("memmove");
    const bool paged =
        std::any_of(builds_.begin(), builds_.end(), [](const auto& build) {
          return build.Has(advisor::Change::kPagedLargeCopy);
        });
    for (const GlibcBuild& build : builds_) {
      const auto sizes = advisor::CorruptedSizes(build, memmove, thresholds);
      if (!sizes.has_value()) continue;
      Add(FaultKind::kPagedCopyCorrupts,
          absl::StrCat(
              "copies of ", sizes->first, " to ", sizes->last,
              " bytes corrupt memory: non_temporal_threshold is ", non_temporal,
              non_temporal < kMinimumNonTemporalThreshold
                  ? ""
                  : absl::StrCat(
                        ", rep_movsb_stop_threshold ",
                        thresholds.rep_movsb_stop_threshold.value_or(0)),
              ", the floor of the paged copy ", kMinimumNonTemporalThreshold));
      break;
    }
    if (!paged && non_temporal < kMinimumNonTemporalThreshold &&
        advisor::ReadsNonTemporal(builds_[0], memmove)) {
      Add(FaultKind::kNonTemporalTooLow,
          absl::StrCat("non_temporal_threshold is ", non_temporal,
                       ": nearly every copy bypasses the caches"));
    }
    if (paged && non_temporal > kMaximumNonTemporalThreshold) {
      Add(FaultKind::kNonTemporalTooHigh,
          absl::StrCat("non_temporal_threshold is ", non_temporal,
                       ", which times 16 does not fit 64 bits"));
    }
  }

  void RepMovsb() {
    const auto threshold = ProbeNumber(values_, "__x86_rep_movsb_threshold");
    const std::string memmove = Technique("memmove");
    const int vector_size = advisor::VariantVectorSize(memmove);
    if (!threshold.has_value() || vector_size == 0 ||
        !absl::EndsWith(memmove, "_erms") || *threshold > 8u * vector_size) {
      return;
    }
    Add(FaultKind::kRepMovsbTooLow,
        absl::StrCat("rep_movsb_threshold is ", *threshold, ", ", memmove,
                     " needs more than ", 8 * vector_size));
  }

  void Memset() {
    const auto stosb = ProbeNumber(values_, "__x86_rep_stosb_threshold");
    if (stosb == 0u) {
      Add(FaultKind::kRepStosbTooLow, "rep_stosb_threshold is 0");
    }
    const auto non_temporal =
        ProbeNumber(values_, "__x86_memset_non_temporal_threshold");
    if (non_temporal.has_value() &&
        *non_temporal < kMinimumNonTemporalThreshold) {
      Add(FaultKind::kMemsetNonTemporalTooLow,
          absl::StrCat("memset_non_temporal_threshold is ", *non_temporal,
                       ", the floor is ", kMinimumNonTemporalThreshold));
    }
  }

  void Features(absl::string_view function, absl::string_view suffix) {
    const std::string name = absl::StrCat(function, suffix);
    const auto variant = values_.find(absl::StrCat("variant.", name));
    if (variant == values_.end()) return;
    // The _chk entries are doors to the same code.
    absl::string_view technique = variant->second;
    if (!absl::ConsumePrefix(&technique, absl::StrCat("__", name, "_"))) return;
    const auto required =
        kernels::RequiredFeatures(absl::StrCat("__", function, "_", technique));
    if (!required.has_value()) return;
    for (const absl::string_view feature : *required) {
      if (advisor::IsFeatureUsable(cpu_, feature).value_or(false)) continue;
      Add(FaultKind::kFeatureMissing,
          absl::StrCat(variant->second, " is selected on a CPU without ",
                       feature));
      return;
    }
  }

  const ProbeValues& values_;
  const advisor::CpuidSource& cpu_;
  const std::vector<GlibcBuild> builds_;
  std::vector<Fault> faults_;
};

}  // namespace

std::vector<Fault> FaultsOf(const ProbeRun& run,
                            const advisor::CpuidSource& cpu,
                            absl::string_view release) {
  switch (run.end) {
    case ProbeEnd::kCrashed:
      return {
          {FaultKind::kCrash, absl::StrCat("start-up crashes: ", run.what)}};
    case ProbeEnd::kHung:
      return {{FaultKind::kHang, absl::StrCat("start-up hangs: ", run.what)}};
    case ProbeEnd::kNotRun:
      return {};
    case ProbeEnd::kAnswered:
      break;
  }
  return Faults(ParseProbeLines(run.lines), cpu, release).Find();
}

}  // namespace glibc_patches
