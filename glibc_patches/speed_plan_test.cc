#include "glibc_patches/speed_plan.h"

#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace glibc_patches {
namespace {

using ::kernels::Function;
using ::kernels::Variant;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr uint64_t kMiB = 1 << 20;

constexpr absl::string_view kThresholdsRead[] = {
    "shared_non_temporal_threshold", "rep_movsb_threshold",
    "rep_movsb_stop_threshold", "shared_cache_size"};

Variant VariantOf(absl::string_view name, Function function,
                  absl::string_view source) {
  Variant variant = {};
  variant.name = name;
  variant.function = function;
  variant.erms = true;
  if (function != Function::kMemset) variant.thresholds = kThresholdsRead;
  variant.source = source;
  return variant;
}

SpeedMachine MachineOf(uint64_t non_temporal, uint64_t last_cache, int cpus) {
  SpeedMachine machine;
  machine.thresholds.non_temporal_threshold = non_temporal;
  machine.last_cache = last_cache;
  machine.cpus = cpus;
  machine.memory = 8192 * kMiB;
  return machine;
}

class SpeedPlanTest : public testing::Test {
 protected:
  SpeedPlan Plan(const SpeedMachine& machine, SpeedEffort effort) const {
    return PlanSpeed({&evex_, &avx_, &set_}, machine, effort);
  }

  // Sizes of at least 16 MiB.
  static std::set<uint64_t> LargeSizes(const SpeedPlan& plan) {
    std::set<uint64_t> sizes;
    for (const SpeedCell& cell : plan.cells) {
      if (cell.cell.size >= 16 * kMiB) sizes.insert(cell.cell.size / kMiB);
    }
    return sizes;
  }

  const Variant evex_ = VariantOf("__memmove_evex_unaligned_erms",
                                  Function::kMemmove, "memmove-evex");
  const Variant avx_ = VariantOf("__memmove_avx_unaligned_erms",
                                 Function::kMemmove, "memmove-avx");
  const Variant set_ = VariantOf("__memset_evex_unaligned_erms",
                                 Function::kMemset, "memset-evex");
};

TEST_F(SpeedPlanTest, QuickMeasuresOneCopierAndNoMemory) {
  const SpeedPlan plan =
      Plan(MachineOf(24 * kMiB, 32 * kMiB, 2), SpeedEffort::kQuick);
  for (const SpeedCell& cell : plan.cells) {
    EXPECT_FALSE(cell.IsAlone()) << DescribeCell(cell.cell);
  }
  EXPECT_THAT(plan.regimes, ElementsAre("buffers in use", "caches beyond L2"));
  ASSERT_FALSE(plan.gaps.empty());
  EXPECT_EQ(plan.gaps[0].reason, "not with --quick");
  EXPECT_THAT(plan.gaps[0].regimes, ElementsAre("memory", "all CPUs copying"));
  EXPECT_THAT(plan.gaps[0].variants,
              ElementsAre("__memmove_evex_unaligned_erms",
                          "__memset_evex_unaligned_erms"));
  // Where there is one kind, there is no need to name it.
  EXPECT_THAT(PlanSpeed({&evex_}, MachineOf(24 * kMiB, 32 * kMiB, 2),
                        SpeedEffort::kQuick)
                  .gaps[0]
                  .variants,
              IsEmpty());
}

TEST_F(SpeedPlanTest, NormalMeasuresTheFirstOfAKindInAllCachesAndOnAllCpus) {
  const SpeedPlan plan =
      Plan(MachineOf(24 * kMiB, 32 * kMiB, 2), SpeedEffort::kNormal);
  EXPECT_EQ(plan.gaps[0].reason, "only with --thorough");
  std::set<std::string> alone;
  bool all_cpus = false;
  for (const SpeedCell& cell : plan.cells) {
    if (cell.IsAlone()) alone.insert(cell.variant);
    all_cpus |= cell.cell.copiers == 2;
  }
  EXPECT_THAT(alone, ElementsAre("__memmove_evex_unaligned_erms",
                                 "__memset_evex_unaligned_erms"));
  EXPECT_TRUE(all_cpus);
  EXPECT_THAT(plan.regimes,
              ElementsAre("buffers in use", "caches beyond L2", "memory",
                          "non-temporal stores at this machine's threshold",
                          "all CPUs copying"));
  bool of_avx = false;
  for (const RegimeGap& gap : plan.gaps) {
    of_avx |= gap.variants ==
              std::vector<std::string>{"__memmove_avx_unaligned_erms"};
  }
  EXPECT_TRUE(of_avx);
}

TEST_F(SpeedPlanTest, ThoroughLeavesNothingOut) {
  const SpeedPlan plan =
      Plan(MachineOf(24 * kMiB, 32 * kMiB, 2), SpeedEffort::kThorough);
  EXPECT_THAT(plan.gaps, IsEmpty());
  EXPECT_THAT(plan.regimes, Contains("destination read back"));
}

// 24 MiB * 5 / 4, and half of a larger cache.
TEST_F(SpeedPlanTest, OneSizeIsBeyondTheThresholdAndTheCache) {
  const auto normal = SpeedEffort::kNormal;
  EXPECT_THAT(LargeSizes(Plan(MachineOf(24 * kMiB, 32 * kMiB, 2), normal)),
              ElementsAre(16, 24, 30));
  EXPECT_THAT(LargeSizes(Plan(MachineOf(99 * kMiB, 260 * kMiB, 2), normal)),
              ElementsAre(24, 130));
}

TEST_F(SpeedPlanTest, WhatTheMachineCannotDoIsNamed) {
  // glibc's "never", one CPU.
  SpeedMachine machine = MachineOf(uint64_t{1} << 62, 32 * kMiB, 1);
  SpeedPlan plan = Plan(machine, SpeedEffort::kThorough);
  ASSERT_EQ(plan.gaps.size(), 2u);
  EXPECT_THAT(plan.gaps[0].regimes,
              ElementsAre("non-temporal stores at this machine's threshold"));
  EXPECT_EQ(plan.gaps[0].reason, "takes calls of more than 512 MiB");
  EXPECT_THAT(plan.gaps[1].regimes, ElementsAre("all CPUs copying"));
  EXPECT_EQ(plan.gaps[1].reason, "one CPU only");
  EXPECT_THAT(plan.regimes, Contains("memory"));
  // Little memory.
  machine = MachineOf(28 * kMiB, 32 * kMiB, 2);
  machine.memory = 100 * kMiB;
  plan = Plan(machine, SpeedEffort::kNormal);
  EXPECT_THAT(plan.regimes,
              Not(Contains("non-temporal stores at this machine's threshold")));
  bool named = false;
  for (const RegimeGap& gap : plan.gaps) {
    named |= gap.reason == "needs 140 MiB of memory, has 100 MiB";
  }
  EXPECT_TRUE(named);
  // No cache that is known.
  machine.last_cache = std::nullopt;
  EXPECT_EQ(Plan(machine, SpeedEffort::kNormal).gaps.back().reason,
            "nothing tells the size of the last cache");
}

}  // namespace
}  // namespace glibc_patches
