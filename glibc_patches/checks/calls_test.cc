#include "glibc_patches/checks/calls.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/variant.h"

namespace glibc_patches {
namespace {

using ::testing::Contains;

std::vector<PlacedCall> CallsOf(const kernels::Variant& variant) {
  std::vector<PlacedCall> calls;
  ForEachCall({variant, Effort::kQuick}, [&](const PlacedCall& call) {
    calls.push_back(call);
    return true;
  });
  return calls;
}

const kernels::Variant& Any(kernels::Function function) {
  for (const kernels::Variant& variant : kernels::AllVariants()) {
    if (variant.function == function && variant.erms &&
        variant.vector_size == 16) {
      return variant;
    }
  }
  for (const kernels::Variant& variant : kernels::AllVariants()) {
    if (variant.function == function) return variant;
  }
  return kernels::AllVariants().front();
}

// With one call in four by count, the copies of one direction were never made:
// bug 23196 (glibc_patches/history_table.cc) went unseen.
TEST(IsChosenTest, EveryPeriodIsChosenFromEvenly) {
  constexpr int kCalls = 1 << 16;
  for (const int period : {2, 3, 4, 8, 12, 16}) {
    std::vector<int> chosen(period);
    for (int i = 0; i < kCalls; ++i) chosen[i % period] += IsChosen(i, 4);
    for (const int count : chosen) {
      EXPECT_NEAR(count, kCalls / period / 4, kCalls / period / 40) << period;
    }
  }
}

TEST(IsChosenTest, OneInOneIsAll) {
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(IsChosen(i, 1));
}

TEST(CallsTest, AllArePossible) {
  for (const kernels::Variant& variant : kernels::AllVariants()) {
    if (variant.name != "__mempcpy_sse2_unaligned_erms" &&
        variant.name != "__memset_sse2_unaligned_erms" &&
        variant.name != "port_memmove_sse2_unaligned") {
      continue;
    }
    for (const PlacedCall& call : CallsOf(variant)) {
      ASSERT_TRUE(IsPossible(variant, call))
          << Describe(variant, call).Describe();
    }
  }
}

TEST(CallsTest, EverySizeUpToSixteenVectorsAndThePagesEnds) {
  const kernels::Variant& variant = Any(kernels::Function::kMemmove);
  std::set<uint64_t> sizes;
  bool crosses = false;
  for (const PlacedCall& call : CallsOf(variant)) {
    sizes.insert(call.size);
    crosses = crosses || (call.size == 20 && call.source % kPage > kPage - 20);
  }
  for (uint64_t size = 0; size <= 16 * 16; ++size) {
    EXPECT_THAT(sizes, Contains(size));
  }
  for (uint64_t pages : {1, 2, 4, 8, 16}) {
    EXPECT_THAT(sizes, Contains(pages * kPage));
    EXPECT_THAT(sizes, Contains(pages * kPage - 1));
  }
  EXPECT_GT(*sizes.rbegin(), 16u * 0x4040);
  EXPECT_TRUE(crosses);
}

TEST(CallsTest, DistancesOverlapAndAlias) {
  bool forward = false, backward = false, four_kib = false, four_gib = false;
  for (const PlacedCall& call : CallsOf(Any(kernels::Function::kMemmove))) {
    const int64_t distance = call.destination - call.source;
    const int64_t size = call.size;
    if (size < 100) continue;
    forward = forward || (distance < 0 && -distance < size);
    backward = backward || (distance > 0 && distance < size);
    four_kib = four_kib ||
               (std::abs(distance) >= size && (distance + 64) % 4096 < 128);
    four_gib =
        four_gib || (static_cast<uint64_t>(std::abs(distance)) > kFourGiB / 2 &&
                     std::abs(static_cast<int32_t>(distance)) < size);
  }
  EXPECT_TRUE(forward);
  EXPECT_TRUE(backward);
  EXPECT_TRUE(four_kib);
  EXPECT_TRUE(four_gib);
}

TEST(CallsTest, TheSameSeedGivesTheSameCalls) {
  const kernels::Variant& variant = Any(kernels::Function::kMemset);
  const std::vector<PlacedCall> once = CallsOf(variant);
  const std::vector<PlacedCall> again = CallsOf(variant);
  ASSERT_EQ(once.size(), again.size());
  EXPECT_TRUE(std::equal(once.begin(), once.end(), again.begin(),
                         [](const PlacedCall& a, const PlacedCall& b) {
                           return a.size == b.size &&
                                  a.destination == b.destination &&
                                  a.value == b.value;
                         }));
}

TEST(CallsTest, StopsWhenTold) {
  int calls = 0;
  EXPECT_FALSE(ForEachCall({Any(kernels::Function::kMemmove), Effort::kQuick},
                           [&](const PlacedCall&) { return ++calls < 10; }));
  EXPECT_EQ(calls, 10);
}

TEST(ParametersTest, NoneIsTriedTwice) {
  for (const kernels::Variant& variant : kernels::AllVariants()) {
    std::set<std::vector<uint64_t>> seen;
    for (const kernels::KernelParameters& each : ParametersToTry(variant)) {
      std::vector<uint64_t> values;
      for (absl::string_view threshold : variant.thresholds) {
        const auto field = kernels::ParameterField(threshold);
        if (field != nullptr) values.push_back((each.*field).value_or(0));
      }
      EXPECT_TRUE(seen.insert(values).second) << variant.name;
    }
    EXPECT_FALSE(seen.empty());
  }
}

TEST(WorldTest, AreasHoldWhatTheySay) {
  World& world = World::Get();
  EXPECT_FALSE(world.FirstChanged().has_value());
  for (const Area& area : kAreas) {
    const char* bytes = world.At(area.begin);
    EXPECT_TRUE(std::all_of(bytes, bytes + area.size, [&](char c) {
      return ((c & 0x80) != 0) == area.bit7;
    }));
    EXPECT_EQ(World::AreaOf(area.begin, area.size), &area);
    EXPECT_EQ(World::AreaOf(area.begin, area.size + 1), nullptr);
    EXPECT_EQ(World::AreaOf(area.begin - 1, 1), nullptr);
  }
  world.At(kOther.begin)[7] ^= 1;
  EXPECT_EQ(world.FirstChanged(), kOther.begin + 7);
  world.Restore(kOther.begin, 8);
  EXPECT_FALSE(world.FirstChanged().has_value());
}

TEST(WorldTest, CopiesMayOverlapOnlyInMemmove) {
  PlacedCall call;
  call.size = 100;
  call.destination = kNear.begin + 50;
  call.source = kNear.begin;
  kernels::Variant variant = Any(kernels::Function::kMemmove);
  EXPECT_TRUE(IsPossible(variant, call));
  variant.function = kernels::Function::kMempcpy;
  EXPECT_FALSE(IsPossible(variant, call));
  call.destination = kNear.begin + 100;
  EXPECT_TRUE(IsPossible(variant, call));
}

}  // namespace
}  // namespace glibc_patches
