#include "advisor/glibc/copy_path.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/strings/match.h"
#include "advisor/glibc/thresholds.h"
#include "advisor/glibc/variant_selection.h"

namespace advisor {
namespace {

constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

// REP_MOVSB_THRESHOLD up to 2.31: 2048 for each 16 bytes of a vector.
uint64_t ConstantRepMovsb(const CopyCode& code) {
  return uint64_t{2048} * code.vector_size / 16;
}

// REP_STOSB_THRESHOLD up to 2.31.
constexpr uint64_t kConstantRepStosb = 2048;

// More than eight vectors, not in the rep movsb zone.
CopyPath PathOfLargeMemmove(uint64_t non_temporal, uint64_t size) {
  return size > non_temporal ? CopyPath::kNonTemporal : CopyPath::kVectors;
}

// Past the stop of the rep movsb zone (2.34 and later).
CopyPath PathPastStop(const GlibcBuild& build, uint64_t non_temporal,
                      uint64_t size) {
  if (build.Has(Change::kLargeCopyChecksNonTemporal)) {
    return size < non_temporal ? CopyPath::kVectors : CopyPath::kNonTemporal;
  }
  // 2.35 looks at no threshold any more.
  if (build.Has(Change::kMovsbStopEntersLargeCopy)) {
    return CopyPath::kNonTemporal;
  }
  return PathOfLargeMemmove(non_temporal, size);
}

}  // namespace

CopyPath PathOfMemmove(const CopyCode& code,
                       const EffectiveThresholds& thresholds, uint64_t size) {
  const uint64_t non_temporal =
      thresholds.non_temporal_threshold.value_or(kNever);
  const uint64_t rep_movsb =
      thresholds.rep_movsb_threshold.value_or(ConstantRepMovsb(code));
  const uint64_t vector_size = code.vector_size;
  if (code.erms && size > rep_movsb && size > 2 * vector_size) {
    if (code.build.Has(Change::kRepMovsbStop)) {
      const uint64_t stop =
          thresholds.rep_movsb_stop_threshold.value_or(non_temporal);
      if (size < stop) return CopyPath::kRepString;
      return PathPastStop(code.build, non_temporal, size);
    }
    if (size < non_temporal) return CopyPath::kRepString;
    return PathOfLargeMemmove(non_temporal, size);
  }
  if (size <= 8 * vector_size) return CopyPath::kVectors;
  return PathOfLargeMemmove(non_temporal, size);
}

CopyPath PathOfMemset(const CopyCode& code,
                      const EffectiveThresholds& thresholds, uint64_t size) {
  const uint64_t rep_stosb =
      thresholds.rep_stosb_threshold.value_or(kConstantRepStosb);
  if (!code.erms || size <= rep_stosb) return CopyPath::kVectors;
  if (code.build.Has(Change::kNonTemporalMemset)) {
    const uint64_t non_temporal =
        MemsetReadsNonTemporal(code.build)
            ? thresholds.non_temporal_threshold.value_or(kNever)
            : thresholds.memset_non_temporal_threshold.value_or(kNever);
    if (size >= non_temporal) return CopyPath::kNonTemporal;
  }
  return CopyPath::kRepString;
}

CopyPath PathOfVariant(const GlibcBuild& build, absl::string_view variant,
                       bool is_memset, const EffectiveThresholds& thresholds,
                       uint64_t size) {
  if (variant == "erms") return CopyPath::kRepString;
  // Some have thresholds of their own, which no tunable of these moves.
  if (!is_memset && !ReadsNonTemporal(build, variant)) {
    return CopyPath::kVectors;
  }
  const CopyCode code = {build, VariantIsErms(variant),
                         VariantVectorSize(variant)};
  return is_memset ? PathOfMemset(code, thresholds, size)
                   : PathOfMemmove(code, thresholds, size);
}

bool ReadsNonTemporal(const GlibcBuild& build, absl::string_view memmove) {
  if (absl::StartsWith(memmove, "ssse3")) {
    return build.Has(Change::kSsse3NonTemporal);
  }
  return memmove != "erms" && memmove != "avx512_no_vzeroupper";
}

bool MemsetReadsNonTemporal(const GlibcBuild& build) {
  return build.Has(Change::kNonTemporalMemset) &&
         !build.Has(Change::kMemsetNonTemporalThreshold);
}

std::optional<SizeRange> CorruptedSizes(const GlibcBuild& build,
                                        absl::string_view memmove,
                                        const EffectiveThresholds& thresholds) {
  const CopyCode code{build, VariantIsErms(memmove),
                      VariantVectorSize(memmove)};
  if (!build.Has(Change::kPagedLargeCopy) ||
      !ReadsNonTemporal(build, memmove) || code.vector_size == 0 ||
      absl::StartsWith(memmove, "ssse3")) {
    return std::nullopt;
  }
  const uint64_t stop = thresholds.rep_movsb_stop_threshold.value_or(
      kMinimumNonTemporalThreshold);
  if (std::min(*thresholds.non_temporal_threshold, stop) >=
      kMinimumNonTemporalThreshold) {
    return std::nullopt;
  }
  // The path changes only at these.
  const uint64_t eight_vectors = 8u * code.vector_size;
  std::vector<uint64_t> sizes = {kMinimumNonTemporalThreshold - 1};
  for (const uint64_t bound :
       {eight_vectors, *thresholds.non_temporal_threshold, stop,
        thresholds.rep_movsb_threshold.value_or(0)}) {
    for (const uint64_t size : {bound - 1, bound, bound + 1}) {
      if (size > eight_vectors && size < kMinimumNonTemporalThreshold) {
        sizes.push_back(size);
      }
    }
  }
  std::sort(sizes.begin(), sizes.end());
  std::optional<SizeRange> range;
  for (const uint64_t size : sizes) {
    if (PathOfMemmove(code, thresholds, size) != CopyPath::kNonTemporal) {
      continue;
    }
    if (!range.has_value()) range = SizeRange{size, size};
    range->last = size;
  }
  return range;
}

}  // namespace advisor
