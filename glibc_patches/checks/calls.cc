#include "glibc_patches/checks/calls.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "absl/strings/string_view.h"
#include "kernels/parameter_sets.h"

namespace glibc_patches {
namespace {

using kernels::Function;
using kernels::KernelParameters;
using kernels::kLargeCopyMinimum;
using kernels::kNever;
using kernels::Variant;

// An offset in an area for an alignment of 0 to 63: right after a page's
// beginning or right before its end, where small sizes cross it.
uint64_t Place(uint64_t alignment, bool before_page) {
  return kRoom + alignment - (before_page ? 64 : 0);
}

std::vector<uint64_t> ReadValues(const Variant& variant,
                                 const KernelParameters& parameters) {
  std::vector<uint64_t> values;
  for (absl::string_view threshold : variant.thresholds) {
    const auto field = kernels::ParameterField(threshold);
    if (field != nullptr) values.push_back((parameters.*field).value_or(0));
  }
  return values;
}

KernelParameters Typical() {
  // 48 KiB L1d, 1 MiB of L3 for a thread, as on many servers of 2.36.
  KernelParameters typical;
  typical.non_temporal_threshold = 768 << 10;
  typical.rep_movsb_threshold = 2048;
  typical.rep_movsb_stop_threshold = 768 << 10;
  typical.rep_stosb_threshold = 2048;
  typical.memset_non_temporal_threshold = 768 << 10;
  typical.data_cache_size = 48 << 10;
  typical.shared_cache_size = 1 << 20;
  typical.string_control = 0;
  return typical;
}

// Every finite threshold moved up, so that the comparison with it lands
// elsewhere than at the floor.
KernelParameters JustAbove(KernelParameters parameters) {
  for (const auto field : {&KernelParameters::non_temporal_threshold,
                           &KernelParameters::rep_movsb_threshold,
                           &KernelParameters::rep_movsb_stop_threshold,
                           &KernelParameters::memset_non_temporal_threshold}) {
    std::optional<uint64_t>& value = parameters.*field;
    if (value.has_value() && *value < kNever) *value += 97;
  }
  return parameters;
}

// The least size that `parameters` treat in another way than `first` do.
uint64_t FirstAffectedSize(const Variant& variant,
                           const KernelParameters& parameters,
                           const KernelParameters& first) {
  uint64_t affected = kNever;
  for (absl::string_view threshold : variant.thresholds) {
    const auto field = kernels::ParameterField(threshold);
    if (field == nullptr || parameters.*field == first.*field) continue;
    if (field == &KernelParameters::string_control) continue;
    // Half of a cache size may be what counts.
    affected = std::min(affected, (parameters.*field).value_or(0) / 2);
  }
  return affected;
}

struct Amounts {
  // Pairs of alignments of a size; fewer where a size's bytes are used up.
  int pairs;
  uint64_t bytes_per_size;
  int least_pairs;
  // Distances modulo 4 KiB and 4 GiB of a size, of a list that is gone through
  // in turn.
  int aliases;
  // Overlap: distances of a list, in random order, and random ones.
  int fixed_distances;
  int distances;
  int alignments_per_distance;
  int random_sizes;
};

Amounts AmountsOf(Effort effort) {
  switch (effort) {
    case Effort::kQuick:
      return {32, 256 << 10, 2, 8, 16, 8, 1, 12};
    case Effort::kNormal:
      return {192, 1 << 20, 3, 22, 64, 96, 2, 60};
    case Effort::kThorough:
      return {4096, 16 << 20, 16, 22, 64, 1024, 4, 400};
  }
  return {};
}

using Random = std::mt19937_64;

struct Pair {
  uint64_t to;
  uint64_t from;
};

// Pairs of alignments: the corners, then random ones; all where there is room.
std::vector<Pair> AlignmentPairs(int count, Random& random) {
  std::vector<Pair> pairs;
  if (count >= 64 * 64) {
    for (uint64_t to = 0; to < 64; ++to) {
      for (uint64_t from = 0; from < 64; ++from) pairs.push_back({to, from});
    }
    return pairs;
  }
  constexpr Pair kCorners[] = {{1, 0}, {0, 0}, {0, 1}, {63, 63}, {17, 3}};
  for (const Pair& pair : kCorners) {
    if (static_cast<int>(pairs.size()) < count) pairs.push_back(pair);
  }
  // Each alignment of one operand once, then of the other, ...
  uint64_t next = random();
  while (static_cast<int>(pairs.size()) < count) {
    pairs.push_back({next % 64, random() % 64});
    if (static_cast<int>(pairs.size()) < count) {
      pairs.push_back({random() % 64, next % 64});
    }
    ++next;
  }
  return pairs;
}

class Planner {
 public:
  Planner(const CheckContext& context, VisitCall visit)
      : variant_(context.variant),
        vector_(kernels::VectorOf(context.variant)),
        amounts_(AmountsOf(context.effort)),
        random_(context.seed),
        visit_(visit) {}

  bool Visit(const CheckContext& context) {
    for (const KernelParameters& parameters : ParametersToTry(variant_)) {
      parameters_ = parameters;
      for (uint64_t size : SizesToTry(variant_, parameters,
                                      amounts_.random_sizes, context.seed)) {
        if (!(variant_.function == Function::kMemset ? Sets(size)
                                                     : Copies(size))) {
          return false;
        }
      }
    }
    return true;
  }

 private:
  int PairsOf(uint64_t size) const {
    const uint64_t affordable =
        amounts_.bytes_per_size / std::max<uint64_t>(size, 64);
    return std::clamp<int>(affordable, amounts_.least_pairs, amounts_.pairs);
  }

  bool Copies(uint64_t size) {
    return Aligned(size) && Aliases(size) &&
           (variant_.function != Function::kMemmove || Overlaps(size));
  }

  bool Visit(uint64_t to, uint64_t from, uint64_t size) {
    PlacedCall call;
    call.size = size;
    call.destination = to;
    call.source = from;
    call.parameters = parameters_;
    return visit_(call);
  }

  bool BothWays(const Area& to, const Area& from, uint64_t to_offset,
                uint64_t from_offset, uint64_t size) {
    return Visit(to.begin + to_offset, from.begin + from_offset, size) &&
           Visit(from.begin + to_offset, to.begin + from_offset, size);
  }

  bool Aligned(uint64_t size) {
    uint64_t i = random_();
    for (const Pair& pair : AlignmentPairs(PairsOf(size), random_)) {
      ++i;
      if (!BothWays(kOther, kNear, Place(pair.to, i % 2 == 0),
                    Place(pair.from, i % 4 < 2), size)) {
        return false;
      }
    }
    return true;
  }

  // Operands that look close, or alike, to code that compares the low bits of
  // their distance: modulo 4 KiB and modulo 4 GiB.
  bool Aliases(uint64_t size) {
    if (size <= 2 * vector_) return true;
    std::vector<int64_t> distances = {0,   1,    -1,   63,  64,  -64,
                                      127, 128,  -128, 255, 256, 257,
                                      511, -512, 513,  2048};
    const int64_t signed_size = static_cast<int64_t>(size);
    for (int64_t d : {signed_size - 1, signed_size / 2, signed_size}) {
      distances.push_back(d);
      distances.push_back(-d);
    }
    const size_t count =
        std::min({distances.size(), static_cast<size_t>(amounts_.aliases),
                  static_cast<size_t>(
                      std::max(2 * amounts_.least_pairs, PairsOf(size)))});
    const size_t start = random_() % distances.size();
    for (size_t i = 0; i < count; ++i) {
      const int64_t distance = distances[(start + i) % distances.size()];
      const uint64_t alignment = random_() % 64;
      const uint64_t low = kAreaSize / 2 + alignment;
      const uint64_t page_distance = (distance + (int64_t{1} << 40)) % kPage;
      if (!BothWays(kOther, kNear, kRoom + alignment + page_distance,
                    kRoom + alignment, size)) {
        return false;
      }
      if (std::abs(distance) < static_cast<int64_t>(kAreaSize / 8) &&
          !BothWays(kFar, kNear, low + distance, low, size)) {
        return false;
      }
    }
    return true;
  }

  bool Overlaps(uint64_t size) {
    const int64_t signed_size = static_cast<int64_t>(size);
    std::vector<int64_t> distances = {0,
                                      1,
                                      2,
                                      3,
                                      7,
                                      8,
                                      15,
                                      16,
                                      17,
                                      31,
                                      32,
                                      33,
                                      63,
                                      64,
                                      65,
                                      127,
                                      128,
                                      129,
                                      191,
                                      192,
                                      255,
                                      256,
                                      257,
                                      511,
                                      512,
                                      1000,
                                      4032,
                                      4095,
                                      4096,
                                      4160,
                                      signed_size / 2,
                                      signed_size - 64,
                                      signed_size - 1,
                                      signed_size + 1};
    const size_t few =
        PairsOf(size) < 8
            ? 12
            : std::min<size_t>(amounts_.fixed_distances, distances.size());
    std::shuffle(distances.begin(), distances.end(), random_);
    distances.resize(few);
    // Where the operands touch, comparisons with the distance are equal.
    distances.push_back(signed_size);
    const int extra = std::min(amounts_.distances, PairsOf(size));
    for (int i = 0; i < extra; ++i) {
      distances.push_back(random_() % (10 * vector_));
    }
    // A multiple of the vector, where aligned loops are tempted.
    distances.push_back(random_() % 10 * vector_);
    const int alignments =
        PairsOf(size) < 8 ? 1 : amounts_.alignments_per_distance;
    for (int64_t distance : distances) {
      if (distance < 0) continue;
      for (int i = 0; i < alignments; ++i) {
        const uint64_t low =
            kNear.begin + Place(random_() % 64, random_() % 2 == 0);
        if (!Visit(low, low + distance, size) ||
            !Visit(low + distance, low, size)) {
          return false;
        }
      }
    }
    return true;
  }

  bool Sets(uint64_t size) {
    constexpr int kValues[] = {0, 0x5a, 0x1ff, -1, 0x80};
    const int count = std::min(PairsOf(size), 128);
    for (int value : kValues) {
      // An area in which every byte differs from the value.
      const Area& area = (value & 0x80) != 0 ? kNear : kOther;
      const uint64_t start = random_() % 64;
      for (int i = 0; i < count; ++i) {
        PlacedCall call;
        call.size = size;
        call.destination =
            area.begin + Place((start + i) % 64, (start + i) / 64 % 2 == 0);
        call.value = value;
        call.parameters = parameters_;
        if (!visit_(call)) return false;
      }
    }
    return true;
  }

  const Variant& variant_;
  const uint64_t vector_;
  const Amounts amounts_;
  Random random_;
  VisitCall visit_;
  KernelParameters parameters_;
};

}  // namespace

std::vector<KernelParameters> ParametersToTry(const Variant& variant) {
  std::vector<KernelParameters> candidates;
  for (const kernels::ParameterSet& set : kernels::ParameterSets(variant)) {
    candidates.push_back(set.parameters);
  }
  candidates.push_back(JustAbove(candidates.back()));
  candidates.push_back(Typical());
  std::vector<KernelParameters> result;
  std::vector<std::vector<uint64_t>> seen;
  for (const KernelParameters& parameters : candidates) {
    std::vector<uint64_t> values = ReadValues(variant, parameters);
    if (std::count(seen.begin(), seen.end(), values) > 0) continue;
    seen.push_back(std::move(values));
    result.push_back(parameters);
  }
  return result;
}

std::vector<uint64_t> SizesToTry(const Variant& variant,
                                 const KernelParameters& parameters, int random,
                                 uint64_t seed) {
  std::vector<uint64_t> sizes;
  for (size_t size :
       kernels::SizesToCheck(variant, parameters, kLargestTried)) {
    sizes.push_back(size);
  }
  const KernelParameters first =
      kernels::ParameterSets(variant).front().parameters;
  uint64_t from = FirstAffectedSize(variant, parameters, first);
  if (from == kNever) from = 0;
  const uint64_t vector = kernels::VectorOf(variant);
  for (uint64_t size = from; size <= 16 * vector + 1; ++size) {
    sizes.push_back(size);
  }
  for (uint64_t pages : {1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 31, 32}) {
    for (int64_t beside : {-1, 0, 1}) {
      sizes.push_back(pages * kPage + beside);
      sizes.push_back(pages * kPage + beside * static_cast<int64_t>(vector));
    }
  }
  Random generator(seed);
  // Of any magnitude, and in the four-page loop.
  std::uniform_real_distribution<double> magnitude(6, 18.6);
  for (int i = 0; i < random; ++i) {
    sizes.push_back(
        std::min<uint64_t>(exp2(magnitude(generator)), kLargestTried));
    if (i % 4 == 0) {
      sizes.push_back(16 * kLargeCopyMinimum +
                      generator() % (kLargestTried - 16 * kLargeCopyMinimum));
    }
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

bool IsChosen(int64_t index, int one_in) {
  // The finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
  uint64_t mixed = static_cast<uint64_t>(index) * 0x9e3779b97f4a7c15u;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
  mixed ^= mixed >> 31;
  return mixed % static_cast<uint64_t>(one_in) == 0;
}

bool ForEachCall(const CheckContext& context, VisitCall visit) {
  return Planner(context, visit).Visit(context);
}

bool ForEachSize(const CheckContext& context, int calls_per_size,
                 VisitCall visit) {
  const Variant& variant = context.variant;
  Random random(context.seed);
  for (const KernelParameters& parameters : ParametersToTry(variant)) {
    for (uint64_t size : SizesToTry(variant, parameters, 16, context.seed)) {
      const int calls = size > 32 << 10 ? 2 : calls_per_size;
      for (int i = 0; i < calls; ++i) {
        PlacedCall call;
        call.size = size;
        call.value = i % 2 == 0 ? 0x5a : 0;
        call.parameters = parameters;
        const uint64_t to = Place(random() % 64, random() % 2 == 0);
        const uint64_t from = Place(random() % 64, random() % 2 == 0);
        const bool overlap =
            variant.function == Function::kMemmove && i % 4 >= 2;
        const uint64_t distance = 1 + random() % (size + 64);
        call.destination = kOther.begin + to;
        call.source = (overlap ? kOther.begin : kNear.begin) + from;
        if (overlap) call.source = call.destination + distance;
        if (i % 2 == 1) std::swap(call.destination, call.source);
        if (IsPossible(variant, call) && !visit(call)) return false;
      }
    }
  }
  return true;
}

}  // namespace glibc_patches
