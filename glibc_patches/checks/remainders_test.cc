#include "glibc_patches/checks/remainders.h"

#include <algorithm>
#include <set>
#include <vector>

#include "glibc_patches/checks/world.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/parameter_sets.h"
#include "kernels/variant.h"

namespace glibc_patches {
namespace {

using kernels::Function;
using kernels::Variant;
using ::testing::Contains;
using ::testing::Not;
using ::testing::SizeIs;

// The sizes of calls in a row that differ in nothing else.
struct Sweep {
  PlacedCall first;
  std::vector<uint64_t> sizes;
};

std::vector<Sweep> SweepsOf(const Variant& variant) {
  std::vector<Sweep> sweeps;
  ForEachRemainder({variant}, [&](const PlacedCall& call) {
    EXPECT_TRUE(IsPossible(variant, call)) << variant.name;
    if (sweeps.empty() || sweeps.back().sizes.back() + 1 != call.size ||
        sweeps.back().first.destination != call.destination ||
        sweeps.back().first.source != call.source) {
      sweeps.push_back({call, {}});
    }
    sweeps.back().sizes.push_back(call.size);
    return true;
  });
  return sweeps;
}

TEST(ForEachRemainderTest, TriesEverySizeOfAPass) {
  for (const Variant& variant : kernels::AllVariants()) {
    SCOPED_TRACE(variant.name);
    const uint64_t vector = kernels::VectorOf(variant);
    std::set<uint64_t> starts;
    for (const Sweep& sweep : SweepsOf(variant)) {
      EXPECT_THAT(sweep.sizes, SizeIs(8 * vector));
      starts.insert(sweep.first.size);
      if (sweep.first.size < 128) continue;
      EXPECT_LE(sweep.first.destination, kBoundary);
      EXPECT_GT(sweep.first.destination + sweep.sizes.back(), kBoundary);
    }
    EXPECT_THAT(starts, Contains(16 * vector));
    // The four-page loop of the large copy.
    const bool has_non_temporal =
        std::count(variant.thresholds.begin(), variant.thresholds.end(),
                   "shared_non_temporal_threshold") > 0;
    constexpr uint64_t kFourPages = 16 * 0x4040 + 1;
    if (has_non_temporal && variant.tree->release() == "2.36") {
      EXPECT_THAT(starts, Contains(kFourPages));
    } else if (!has_non_temporal) {
      EXPECT_THAT(starts, Not(Contains(kFourPages)));
    }
  }
}

TEST(ForEachRemainderTest, ShiftsOperandsOf16ByteVectors) {
  for (const Variant& variant : kernels::AllVariants()) {
    SCOPED_TRACE(variant.name);
    std::set<uint64_t> forward, backward;
    for (const Sweep& sweep : SweepsOf(variant)) {
      const PlacedCall& call = sweep.first;
      const bool overlaps = call.source < call.destination &&
                            call.source + call.size > call.destination;
      (overlaps ? backward : forward)
          .insert((call.source - call.destination) % 16);
    }
    const bool has_shifts = variant.function != Function::kMemset &&
                            kernels::VectorOf(variant) == 16;
    if (has_shifts) {
      EXPECT_THAT(forward, SizeIs(16));
    }
    EXPECT_THAT(
        backward,
        SizeIs(has_shifts && variant.function == Function::kMemmove ? 16 : 0));
  }
}

TEST(WorldTest, TheBoundaryIsAMultipleOf4GiB) {
  EXPECT_EQ(reinterpret_cast<uintptr_t>(World::Get().At(kBoundary)) % kFourGiB,
            0u);
}

}  // namespace
}  // namespace glibc_patches
