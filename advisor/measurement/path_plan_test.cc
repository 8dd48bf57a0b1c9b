#include "advisor/measurement/path_plan.h"

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

constexpr uint64_t kMiB = 1 << 20;

MeasuredLibc Libc(const GlibcBuild& build) {
  MeasuredLibc libc{build};
  libc.now.rep_movsb_threshold = 2048;
  libc.now.rep_movsb_stop_threshold = kMiB;
  libc.now.non_temporal_threshold = kMiB;
  libc.lowest_rep_movsb = 513;
  libc.memmove_variant = "evex_unaligned_erms";
  libc.memset_variant = "evex_unaligned_erms";
  return libc;
}

PathPlan Plan(const MeasuredLibc& libc, bool control = false) {
  kernels::WorkerSetup setup;
  setup.cpus = {0, 1};
  return MakePathPlan(libc, setup, {MeasureMode::kQuick, true, control},
                      FakeFileReader());
}

TEST(PathPlanTest, AsksWhatTheReleaseCanBeTold) {
  const PathPlan plan = Plan(Libc(GlibcBuild::Tag(36)));
  EXPECT_EQ(plan.questions.rep_movsb_from, 513u);
  EXPECT_EQ(plan.questions.rep_stosb_from, 512u);
  EXPECT_TRUE(plan.questions.non_temporal_copy);
  EXPECT_FALSE(plan.questions.non_temporal_set);
  EXPECT_EQ(plan.questions.copiers, 2);
  EXPECT_EQ(plan.sides.size(), 4u);
  EXPECT_EQ(plan.factory->sides(), 4);
  EXPECT_TRUE(absl::StrContains(plan.method, "child processes"));
  EXPECT_TRUE(Plan(Libc(GlibcBuild::Tag(40))).questions.non_temporal_set);
}

TEST(PathPlanTest, NoRepStringsWithoutErms) {
  MeasuredLibc libc = Libc(GlibcBuild::Tag(36));
  libc.memmove_variant = libc.memset_variant = "avx_unaligned";
  const PathPlan plan = Plan(libc);
  EXPECT_FALSE(plan.questions.rep_movsb_from.has_value());
  EXPECT_FALSE(plan.questions.rep_stosb_from.has_value());
  EXPECT_TRUE(plan.questions.non_temporal_copy);
}

// 2.35 as tagged enters the paged copy at a stop that is too low.
TEST(PathPlanTest, NeverAsksWhatWouldCrash) {
  MeasuredLibc libc = Libc(GlibcBuild::Tag(35));
  EXPECT_TRUE(Plan(libc).questions.rep_movsb_from.has_value());
  libc.now.rep_movsb_stop_threshold = 0;
  EXPECT_FALSE(Plan(libc).questions.rep_movsb_from.has_value());
}

TEST(PathPlanTest, ControlSidesAreAllTheSame) {
  const PathPlan plan = Plan(Libc(GlibcBuild::Tag(36)), /*control=*/true);
  EXPECT_THAT(plan.sides, testing::Each(plan.sides[0]));
  const PathPlan other = Plan(Libc(GlibcBuild::Tag(36)));
  EXPECT_NE(other.sides[kRepStringSide], other.sides[kVectorsSide]);
}

}  // namespace
}  // namespace advisor
