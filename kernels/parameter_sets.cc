#include "kernels/parameter_sets.h"

#include <algorithm>
#include <cstdint>

#include "kernels/source_version.h"

namespace kernels {
namespace {

constexpr int kNewRelease = 99;

KernelParameters AllOff() {
  KernelParameters off;
  off.non_temporal_threshold = kNever;
  off.rep_movsb_threshold = kNever;
  off.rep_movsb_stop_threshold = kNever;
  off.rep_stosb_threshold = kNever;
  off.memset_non_temporal_threshold = kNever;
  off.data_cache_size = 2 * kNever;
  off.shared_cache_size = 2 * kNever;
  off.string_control = 0;
  return off;
}

std::vector<ParameterSet> CandidateSets(const Variant& variant) {
  // The large copy of 2.34 decides how low a threshold may be, so what cannot
  // be read counts as new.
  const int release =
      ReleaseOfVersion(variant.tree->release()).value_or(kNewRelease);
  // Least rep_movsb_threshold that glibc sets or accepts: eight vectors.
  const uint64_t eight_vectors = 8 * VectorOf(variant);
  const bool has_large_copy = release >= 34;

  ParameterSet vectors{"vectors only", AllOff()};

  ParameterSet rep{"rep movsb and rep stosb early", AllOff()};
  rep.parameters.rep_movsb_threshold = eight_vectors;
  rep.parameters.rep_stosb_threshold = 1;

  ParameterSet distance = rep;
  distance.name = "rep movsb early, not at short distances";
  distance.parameters.string_control = 1;

  // 2.35 makes large copies from the stop on, whatever their threshold
  // (89a25c6f64 mended it on the way to 2.36).
  ParameterSet stop = rep;
  stop.name = "rep movsb with an early stop";
  stop.parameters.rep_movsb_stop_threshold =
      release == 35 ? kLargeCopyMinimum : eight_vectors + 256;

  ParameterSet lowest{"non-temporal as early as the code bears", AllOff()};
  lowest.parameters.non_temporal_threshold =
      has_large_copy ? kLargeCopyMinimum : 0;
  lowest.parameters.memset_non_temporal_threshold = kLargeCopyMinimum;
  lowest.parameters.data_cache_size = 4096;
  lowest.parameters.shared_cache_size = 4096;

  ParameterSet both = rep;
  both.name = "rep movsb and rep stosb, then non-temporal";
  both.parameters.non_temporal_threshold =
      has_large_copy ? kLargeCopyMinimum : 1000;
  both.parameters.rep_movsb_stop_threshold = kLargeCopyMinimum;
  both.parameters.memset_non_temporal_threshold = kLargeCopyMinimum;
  both.parameters.data_cache_size = 4096;
  both.parameters.shared_cache_size = 16384;

  return {vectors, rep, distance, stop, lowest, both};
}

// The values that `variant` reads, in the order of its list.
std::vector<uint64_t> ReadValues(const Variant& variant,
                                 const KernelParameters& parameters) {
  std::vector<uint64_t> values;
  for (absl::string_view threshold : variant.thresholds) {
    const auto field = ParameterField(threshold);
    if (field == nullptr) continue;
    values.push_back((parameters.*field).value_or(0));
  }
  return values;
}

// Sizes at which the path may change under `parameters`, up to `largest`.
std::vector<size_t> ThresholdSizes(const Variant& variant,
                                   const KernelParameters& parameters,
                                   size_t largest) {
  std::vector<uint64_t> edges = {1024, 4096, 8192, 16384, 3 * 8192, 65536};
  for (uint64_t value : ReadValues(variant, parameters)) {
    edges.push_back(value);
    // Halves of cache sizes, and what the ssse3 kernels make of them.
    for (uint64_t factor : {1, 4, 9}) edges.push_back(value / 2 * factor);
    // From 2.34 the large copy takes four pages at a time from here.
    edges.push_back(value * 16);
  }
  // Up to 2.31 the thresholds of rep movsb and rep stosb are constants.
  if (variant.erms) edges.push_back(2048 * VectorOf(variant) / 16);
  edges.push_back(2048);
  std::vector<size_t> sizes;
  for (uint64_t edge : edges) {
    // Alignment takes up to a vector or a line off before some comparisons.
    for (int64_t beside : {-65, -64, -33, -32, -17, -16, -2, -1, 0,  1, 2,
                           15,  16,  17,  31,  32,  33,  63, 64, 65, 66}) {
      const int64_t size = static_cast<int64_t>(edge) + beside;
      if (size > 0 && size <= static_cast<int64_t>(largest)) {
        sizes.push_back(size);
      }
    }
  }
  return sizes;
}

// The least size that `parameters` treat in another way than AllOff() does.
uint64_t FirstAffectedSize(const Variant& variant,
                           const KernelParameters& parameters) {
  const KernelParameters off = AllOff();
  uint64_t first = kNever;
  for (absl::string_view threshold : variant.thresholds) {
    const auto field = ParameterField(threshold);
    if (field == nullptr || parameters.*field == off.*field) continue;
    // string_control only acts where rep movsb does.
    if (field == &KernelParameters::string_control) continue;
    // Half of a cache size may be what counts.
    first = std::min(first, *(parameters.*field) / 2);
  }
  return first;
}

}  // namespace

size_t VectorOf(const Variant& variant) {
  return variant.vector_size == 0 ? 64 : variant.vector_size;
}

std::vector<ParameterSet> ParameterSets(const Variant& variant) {
  std::vector<ParameterSet> sets;
  std::vector<std::vector<uint64_t>> seen;
  for (ParameterSet& set : CandidateSets(variant)) {
    std::vector<uint64_t> values = ReadValues(variant, set.parameters);
    if (std::count(seen.begin(), seen.end(), values) > 0) continue;
    seen.push_back(std::move(values));
    sets.push_back(std::move(set));
  }
  return sets;
}

std::vector<size_t> SizesToCheck(const Variant& variant,
                                 const KernelParameters& parameters,
                                 size_t largest) {
  std::vector<size_t> sizes = ThresholdSizes(variant, parameters, largest);
  uint64_t first = FirstAffectedSize(variant, parameters);
  if (first == kNever) first = 0;
  for (size_t size = first; size <= 8 * VectorOf(variant) + 64; ++size) {
    sizes.push_back(size);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

}  // namespace kernels
