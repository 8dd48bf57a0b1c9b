#include "advisor/rules/threshold_search.h"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

constexpr uint64_t kMiB = 1 << 20;

PathCost Cost(double log_ratio, double worst_extra = 0.005) {
  PathCost cost;
  cost.log_ratio = log_ratio;
  cost.interval = {log_ratio - 0.005, log_ratio, log_ratio + 0.005};
  cost.worst = {log_ratio, log_ratio + worst_extra, log_ratio + 0.02};
  return cost;
}

PathCurve RepStringCurve(
    const std::vector<std::pair<uint64_t, double>>& log_ratios) {
  PathCurve curve;
  for (const auto& [size, log_ratio] : log_ratios) {
    curve.sizes.push_back({size, Cost(log_ratio), std::nullopt, 0});
  }
  return curve;
}

// Measured on a Zen 5 guest under glibc 2.36: nanoseconds a copy by default
// (rep movsb from 2113 on) and with rep movsb off.
PathCurve Zen5Curve() {
  std::vector<std::pair<uint64_t, double>> ratios;
  for (const auto& [size, rep, vectors] :
       {std::tuple{2113, 21, 13}, std::tuple{4097, 35, 19},
        std::tuple{8193, 64, 38}, std::tuple{16385, 119, 74},
        std::tuple{32769, 235, 556}, std::tuple{65537, 630, 1165},
        std::tuple{131073, 1245, 2370}, std::tuple{262145, 2460, 4700}}) {
    ratios.push_back({size, std::log(static_cast<double>(rep) / vectors)});
  }
  return RepStringCurve(ratios);
}

class ThresholdSearchTest : public ::testing::Test {
 protected:
  ThresholdProblem Problem(const GlibcBuild& build, PathCurve curve,
                           uint64_t movsb, uint64_t stop, uint64_t nt) {
    ThresholdProblem problem = {{build, true, 32}, false,       false, {}, {},
                                std::nullopt,      std::nullopt};
    problem.now.rep_movsb_threshold = movsb;
    problem.now.rep_movsb_stop_threshold = stop;
    problem.now.non_temporal_threshold = nt;
    problem.curve = std::move(curve);
    problem.lowest_rep_string = 513;
    problem.lowest_non_temporal = 0x4041;
    return problem;
  }
  const GlibcBuild v36_ = GlibcBuild::Tag(36);
  const GlibcBuild v40_ = GlibcBuild::Tag(40);
};

TEST_F(ThresholdSearchTest, FindsTheCrossingOnZen5) {
  ThresholdProblem problem = Problem(v36_, Zen5Curve(), 2112, kMiB, 127 * kMiB);
  problem.is_amd = true;
  const ThresholdAnswer answer = SearchThresholds(problem);
  ASSERT_TRUE(answer.rep_string.has_value());
  // Two thirds of L1d (48 KiB), between 16 and 32 KiB.
  EXPECT_GE(*answer.rep_string, 18000u);
  EXPECT_LE(*answer.rep_string, 27000u);
  EXPECT_FALSE(answer.non_temporal.has_value());
  // Three octaves at more than 1.5 times.
  EXPECT_GT(Gain(problem, answer.rep_string, std::nullopt), 1.2);
}

TEST_F(ThresholdSearchTest, FindsItFromTheLaterDefaultAsWell) {
  // From 2.40 on AMD never uses rep movsb: the threshold is the NT threshold.
  ThresholdProblem problem =
      Problem(v40_, Zen5Curve(), 24 * kMiB, 24 * kMiB, 24 * kMiB);
  problem.is_amd = true;
  const ThresholdAnswer answer = SearchThresholds(problem);
  ASSERT_TRUE(answer.rep_string.has_value());
  EXPECT_GE(*answer.rep_string, 18000u);
  EXPECT_LE(*answer.rep_string, 27000u);
}

TEST_F(ThresholdSearchTest, LeavesADefaultThatIsBest) {
  const ThresholdAnswer answer =
      SearchThresholds(Problem(v36_, Zen5Curve(), 22000, kMiB, 127 * kMiB));
  EXPECT_FALSE(answer.proposes());
  EXPECT_THAT(answer.reason, ::testing::HasSubstr("default"));
}

TEST_F(ThresholdSearchTest, LeavesWhatIsNotWorthALine) {
  // 4 % on half an octave.
  const ThresholdAnswer answer =
      SearchThresholds(Problem(v36_,
                               RepStringCurve({{1449, 0.05},
                                               {2049, 0.04},
                                               {2897, 0.01},
                                               {4097, -0.2},
                                               {8193, -0.3}}),
                               2048, kMiB, 64 * kMiB));
  EXPECT_FALSE(answer.proposes());
}

TEST_F(ThresholdSearchTest, LeavesATunableThatTheReleaseLacks) {
  ThresholdProblem problem = Problem(v36_, Zen5Curve(), 2112, kMiB, 127 * kMiB);
  problem.lowest_rep_string = std::nullopt;
  EXPECT_FALSE(SearchThresholds(problem).proposes());
}

TEST_F(ThresholdSearchTest, TurnsRepMovsbOffWhereItNeverPays) {
  const ThresholdProblem problem =
      Problem(v36_, RepStringCurve({{2049, 0.4}, {4097, 0.4}, {8193, 0.3}}),
              2112, 64 * kMiB, 64 * kMiB);
  const ThresholdAnswer answer = SearchThresholds(problem);
  ASSERT_TRUE(answer.rep_string.has_value());
  EXPECT_EQ(*answer.rep_string, 64 * kMiB);
}

// log(non-temporal / vectors) by size, the same in every condition.
PathCurve NonTemporalCurve(const std::vector<std::pair<uint64_t, double>>& all,
                           double worst_extra = 0.005) {
  PathCurve curve;
  for (const auto& [size, log_ratio] : all) {
    curve.sizes.push_back({size, Cost(0.0), Cost(log_ratio, worst_extra)});
  }
  return curve;
}

const std::vector<std::pair<uint64_t, double>> kPaysFrom8MiB = {
    {kMiB + 1, 0.5},      {2 * kMiB + 1, 0.3},   {4 * kMiB + 1, 0.1},
    {8 * kMiB + 1, -0.2}, {16 * kMiB + 1, -0.4}, {32 * kMiB + 1, -0.5}};

TEST_F(ThresholdSearchTest, LowersAThresholdThatIsTooHigh) {
  const ThresholdAnswer answer = SearchThresholds(Problem(
      v36_, NonTemporalCurve(kPaysFrom8MiB), 2112, 99 * kMiB, 99 * kMiB));
  EXPECT_EQ(answer.non_temporal, 8 * kMiB);
  EXPECT_FALSE(answer.rep_string.has_value());
}

TEST_F(ThresholdSearchTest, RaisesAThresholdThatIsTooLow) {
  // 2.37 without cache information: 0x4040.
  const ThresholdAnswer answer = SearchThresholds(
      Problem(v36_, NonTemporalCurve(kPaysFrom8MiB), 2112, 16448, 16448));
  EXPECT_EQ(answer.non_temporal, 8 * kMiB);
}

TEST_F(ThresholdSearchTest, OneBadConditionForbidsNonTemporalStores) {
  // Fine in the mean, 10 % worse when the destination is read back.
  const ThresholdAnswer answer = SearchThresholds(Problem(
      v36_, NonTemporalCurve(kPaysFrom8MiB, 0.6), 2112, 99 * kMiB, 99 * kMiB));
  EXPECT_FALSE(answer.proposes());
}

TEST_F(ThresholdSearchTest, RaisesPastAllWhereTheyNeverPay) {
  const ThresholdAnswer answer = SearchThresholds(
      Problem(v36_, NonTemporalCurve({{kMiB + 1, 0.5}, {2 * kMiB + 1, 0.3}}),
              2112, 16448, 16448));
  EXPECT_EQ(answer.non_temporal, 2 * kMiB + 1);
}

// AMD from 2.40: both thresholds are equal by default. Raising one alone would
// use rep movsb in between, which costs here: both are raised.
TEST_F(ThresholdSearchTest, RaisesBothOnAmdFrom240) {
  PathCurve curve;
  for (const auto& [size, log_ratio] : kPaysFrom8MiB) {
    curve.sizes.push_back({size, Cost(0.3), Cost(log_ratio)});
  }
  ThresholdProblem problem =
      Problem(v40_, std::move(curve), 1536 * 1024, 1536 * 1024, 1536 * 1024);
  problem.is_amd = true;
  const ThresholdAnswer answer = SearchThresholds(problem);
  EXPECT_EQ(answer.non_temporal, 8 * kMiB);
  ASSERT_TRUE(answer.rep_string.has_value());
  EXPECT_GE(*answer.rep_string, 8 * kMiB);
}

TEST_F(ThresholdSearchTest, NothingMeasuredNothingProposed) {
  EXPECT_FALSE(SearchThresholds(Problem(v36_, PathCurve(), 2112, kMiB, kMiB))
                   .proposes());
}

// A workload spends `share` of its time on copies of `size`, the rest on small
// ones.
std::vector<SizeShare> MixOf(uint64_t size, double share) {
  return {{false, 64, 1 - share}, {false, size, share}};
}

TEST_F(ThresholdSearchTest, AWorkloadDecidesWhatIsWorthIt) {
  ThresholdProblem problem = Problem(v36_, Zen5Curve(), 2112, kMiB, 127 * kMiB);
  problem.is_amd = true;
  problem.mix = MixOf(8192, 0.1);
  const ThresholdAnswer answer = SearchThresholds(problem);
  ASSERT_TRUE(answer.rep_string.has_value());
  // rep movsb takes 64 ns, vectors 38.
  EXPECT_GE(*answer.rep_string, 8192u);
  EXPECT_NEAR(Gain(problem, answer.rep_string, std::nullopt),
              0.1 * (1 - 38.0 / 64), 0.01);
  // 0.1 % of the time is not worth a setting.
  problem.mix = MixOf(8192, 0.001);
  EXPECT_FALSE(SearchThresholds(problem).proposes());
  EXPECT_THAT(SearchThresholds(problem).reason,
              testing::HasSubstr("the workload's calls"));
}

// Nothing is gained where no call is large enough.
TEST_F(ThresholdSearchTest, SmallCallsGainNothing) {
  ThresholdProblem problem = Problem(v36_, Zen5Curve(), 2112, kMiB, 127 * kMiB);
  problem.mix = {{false, 16, 0.5}, {false, 500, 0.5}};
  EXPECT_FALSE(SearchThresholds(problem).proposes());
  EXPECT_EQ(Gain(problem, 22000, std::nullopt), 0);
}

// memset's time is none of memcpy's.
TEST_F(ThresholdSearchTest, OnlyTheFunctionsOwnCallsCount) {
  ThresholdProblem problem = Problem(v36_, Zen5Curve(), 2112, kMiB, 127 * kMiB);
  problem.mix = {{true, 8192, 1}};
  EXPECT_FALSE(SearchThresholds(problem).proposes());
}

// Sizes that a workload does not use may lose; those that it uses may not.
TEST_F(ThresholdSearchTest, HarmIsHarmToTheWorkload) {
  PathCurve curve = RepStringCurve({{1025, 0.3}, {4097, -0.3}, {16385, -0.3}});
  ThresholdProblem problem = Problem(v36_, curve, 8192, kMiB, 127 * kMiB);
  problem.mix = {{false, 1025, 0.5}, {false, 4097, 0.5}};
  EXPECT_EQ(Gain(problem, 1024, std::nullopt), -INFINITY);
  problem.mix = MixOf(4097, 0.5);
  EXPECT_GT(Gain(problem, 1024, std::nullopt), 0.1);
}

TEST_F(ThresholdSearchTest, CallsPastTheLargestSizeCostAsMuch) {
  PathCurve curve;
  for (const uint64_t size : {kMiB + 1, 2 * kMiB + 1, 4 * kMiB + 1}) {
    SizeCosts costs = {size, std::nullopt, Cost(-0.2), 0};
    costs.vectors = static_cast<double>(size);
    curve.sizes.push_back(costs);
  }
  ThresholdProblem problem = Problem(v36_, curve, 2112, kMiB, 127 * kMiB);
  problem.lowest_rep_string = std::nullopt;
  problem.mix = {{false, 32 * kMiB, 1}};
  const ThresholdAnswer answer = SearchThresholds(problem);
  // No measured size is near: nothing proves that it pays.
  EXPECT_FALSE(answer.proposes());
  problem.mix = {{false, 5 * kMiB, 1}};
  EXPECT_TRUE(SearchThresholds(problem).non_temporal.has_value());
  ASSERT_TRUE(
      CyclesOfPath(problem, CopyPath::kNonTemporal, 8 * kMiB).has_value());
  EXPECT_NEAR(*CyclesOfPath(problem, CopyPath::kNonTemporal, 8 * kMiB),
              8 * kMiB * std::exp(-0.2), kMiB * 0.01);
}

}  // namespace
}  // namespace advisor
