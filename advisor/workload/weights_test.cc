#include "advisor/workload/weights.h"

#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::kernels::Alignment;
using ::kernels::Cell;
using ::kernels::Regime;

constexpr uint64_t kMiB = 1 << 20;

Workload Mix() {
  Workload workload;
  workload.functions = {{"memcpy", {{16, 100, 1600}, {4096, 10, 40960}}},
                        {"memmove", {{4096, 10, 40960}}},
                        {"memset", {{4096, 20, 81920}}}};
  return workload;
}

Cell At(uint64_t size, Regime regime, Alignment alignment = Alignment::kAligned,
        int copiers = 1) {
  return {false, size, alignment, regime, copiers};
}

TEST(WeightsTest, SharesAreThoseOfTheTime) {
  const std::vector<SizeShare> shares =
      TimeShares(Mix(), [](bool is_memset, uint64_t size) {
        return std::optional<double>(size == 16 ? 4 : is_memset ? 40 : 60);
      });
  // 400, 600 and 600 in the two copies, 800 in memset.
  ASSERT_EQ(shares.size(), 4u);
  EXPECT_DOUBLE_EQ(shares[0].share, 400.0 / 2400);
  EXPECT_DOUBLE_EQ(shares[1].share, 600.0 / 2400);
  EXPECT_TRUE(shares[3].is_memset);
  EXPECT_DOUBLE_EQ(shares[3].share, 800.0 / 2400);
  EXPECT_DOUBLE_EQ(ShareNear(shares, false, 4096), 0.5);
  EXPECT_NEAR(ShareNear(shares, false, 4871), 0.25, 0.001);
  EXPECT_EQ(ShareNear(shares, false, 5800), 0);
  EXPECT_EQ(ShareNear(shares, true, 16), 0);
}

TEST(WeightsTest, UnknownTimesAreLeftOut) {
  const std::vector<SizeShare> shares =
      TimeShares(Mix(), [](bool is_memset, uint64_t) {
        return is_memset ? std::nullopt : std::optional<double>(1);
      });
  ASSERT_EQ(shares.size(), 3u);
  EXPECT_DOUBLE_EQ(shares[0].share, 100.0 / 120);
}

TEST(WeightsTest, CallsCountForTheNearestMeasuredSize) {
  // 16 bytes: 100 calls of 5. 4096: 20 calls, one and a third times as long as
  // those of 3072.
  const BySize cycles = {{{false, 24}, 5}, {{false, 3072}, 60}};
  const NearestShares near = SharesOfNearest(Mix(), cycles, 1);
  ASSERT_EQ(near.shares.size(), 2u);
  EXPECT_DOUBLE_EQ(near.shares.at({false, 24}), 500.0 / 2100);
  EXPECT_DOUBLE_EQ(near.shares.at({false, 3072}), 1600.0 / 2100);
  EXPECT_EQ(near.beyond, 0);
  // log2(24 / 16) is 0.58, log2(4096 / 3072) 0.42.
  const NearestShares narrow = SharesOfNearest(Mix(), cycles, 0.5);
  EXPECT_EQ(narrow.shares.count({false, 24}), 0u);
  EXPECT_DOUBLE_EQ(narrow.beyond, 500.0 / 2100);
  // memset alone.
  EXPECT_DOUBLE_EQ(
      SharesOfNearest(Mix(), {{{true, 4096}, 40}}, 1).shares.at({true, 4096}),
      1);
}

TEST(WeightsTest, TheNearestSizeIsThatByOctaves) {
  const BySize sizes = {{{false, 16}, 1}, {{false, 64}, 2}, {{true, 32}, 3}};
  const auto near = FindNearestSize(sizes, false, 40);
  ASSERT_TRUE(near.has_value());
  EXPECT_EQ(near->size, 64u);
  EXPECT_EQ(near->value, 2);
  EXPECT_NEAR(near->octaves, 0.678, 0.001);
  // As near to both.
  EXPECT_EQ(FindNearestSize(sizes, false, 32)->size, 16u);
  EXPECT_EQ(FindNearestSize(sizes, false, 33)->size, 64u);
  EXPECT_EQ(FindNearestSize(sizes, false, 0)->octaves, 4);
  EXPECT_FALSE(FindNearestSize({{{true, 32}, 3}}, false, 32).has_value());
}

// Nothing is known: the weights that hold without a workload.
TEST(WeightsTest, DefaultsAreThreeToOne) {
  const Workload workload = Mix();
  const double hot = ConditionWeight(workload, At(4096, Regime::kHot));
  EXPECT_DOUBLE_EQ(hot / ConditionWeight(workload, At(4096, Regime::kRotating)),
                   3);
  EXPECT_DOUBLE_EQ(hot / ConditionWeight(workload, At(4096, Regime::kReadBack)),
                   3);
  EXPECT_DOUBLE_EQ(
      hot, ConditionWeight(workload, At(4096, Regime::kHot,
                                        Alignment::kMisalignedBoth, 2)));
}

TEST(WeightsTest, ObservedAlignmentAndReadBack) {
  Workload workload = Mix();
  SizeDetail detail;
  detail.from = 4096;
  detail.to = 2 * kMiB;
  detail.observed = 100;
  detail.aligned = 0.125;
  detail.destination_misaligned = 0.5;
  detail.source_misaligned = 0.125;
  detail.both_misaligned = 0.25;
  detail.read_back = 0.8;
  workload.details[0] = {detail};
  const auto hot = [&](Alignment alignment) {
    return ConditionWeight(workload, At(4096, Regime::kHot, alignment));
  };
  EXPECT_DOUBLE_EQ(
      hot(Alignment::kMisalignedDestination) / hot(Alignment::kAligned), 4);
  EXPECT_DOUBLE_EQ(hot(Alignment::kMisalignedBoth) / hot(Alignment::kAligned),
                   3);
  const auto large = [&](Regime regime, Alignment alignment) {
    return ConditionWeight(workload, At(kMiB, regime, alignment));
  };
  // The alignments of large cells differ by regime; they must not count.
  EXPECT_DOUBLE_EQ(large(Regime::kReadBack, Alignment::kMisalignedDestination) /
                       large(Regime::kRotating, Alignment::kAligned),
                   4);
  workload.details[0][0].read_back = 0.1;
  EXPECT_DOUBLE_EQ(large(Regime::kReadBack, Alignment::kMisalignedDestination) /
                       large(Regime::kRotating, Alignment::kAligned),
                   1);
  workload.details[0][0].observed = 99;
  EXPECT_DOUBLE_EQ(hot(Alignment::kMisalignedBoth), hot(Alignment::kAligned));
}

TEST(WeightsTest, StatedConditions) {
  Workload workload = Mix();
  workload.conditions = WorkloadConditions{0, 0.25, 0, 0.75, 0.75};
  EXPECT_EQ(ConditionWeight(workload, At(kMiB, Regime::kReadBack)), 0);
  EXPECT_EQ(ConditionWeight(workload, At(kMiB, Regime::kHot)), 0);
  EXPECT_DOUBLE_EQ(ConditionWeight(workload, At(kMiB, Regime::kRotating)),
                   0.25);
  EXPECT_DOUBLE_EQ(ConditionWeight(workload, At(kMiB, Regime::kRotating,
                                                Alignment::kAligned, 4)),
                   0.75);
}

}  // namespace
}  // namespace advisor
