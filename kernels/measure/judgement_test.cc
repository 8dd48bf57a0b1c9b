#include "kernels/measure/judgement.h"

#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kernels {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kFloor = 0.01;
constexpr double kBand = 0.02;

Study StudyOf(std::vector<std::vector<double>> cells) {
  Study study;
  uint64_t size = 64;
  for (std::vector<double>& log_ratios : cells) {
    ContrastResult result;
    result.contrast.cell.size = size++;
    result.log_ratios = std::move(log_ratios);
    study.results.push_back(std::move(result));
  }
  return study;
}

std::vector<Comparison> Comparisons(const Study& study) {
  std::vector<Comparison> comparisons;
  for (const CellJudgement& judgement :
       JudgeCells(study, 0, 1, kFloor, kBand)) {
    comparisons.push_back(judgement.comparison);
  }
  return comparisons;
}

TEST(JudgementTest, TellsTheFourCases) {
  EXPECT_THAT(Comparisons(StudyOf({{0.10, 0.11, 0.09, 0.10, 0.10},
                                   {-0.10, -0.11, -0.09, -0.10, -0.1},
                                   {0.001, -0.001, 0.002, -0.002, 0},
                                   {0.2, -0.2, 0.3, -0.1, 0.1}})),
              ElementsAre(Comparison::kSlower, Comparison::kFaster,
                          Comparison::kEquivalent, Comparison::kCannotTell));
}

TEST(JudgementTest, OtherContrastsAndEmptyOnesTakeNoPart) {
  Study study = StudyOf({{0.10, 0.11, 0.09, 0.10, 0.10}, {}, {0.1, 0.1, 0.1}});
  study.results[2].contrast.candidate = 2;
  EXPECT_THAT(Comparisons(study), ElementsAre(Comparison::kSlower));
}

// One of a hundred cells lies beyond the floor with p = 0.004: expected among
// so many, and no claim. Alone it is one.
TEST(JudgementTest, CorrectsForTheNumberOfCells) {
  const std::vector<double> doubtful = {0.02, 0.03, 0.06, 0.04, 0.05, 0.02};
  ASSERT_LT(MeanPValue(doubtful), 0.01);
  EXPECT_THAT(Comparisons(StudyOf({doubtful})),
              ElementsAre(Comparison::kSlower));
  std::vector<std::vector<double>> cells(
      100, {0.001, -0.001, 0.002, -0.002, 0.001, -0.001});
  cells[0] = doubtful;
  EXPECT_EQ(Comparisons(StudyOf(cells))[0], Comparison::kCannotTell);
}

TEST(JudgementTest, OnePlacementsLuckIsCalledThat) {
  const Study study = StudyOf({{0.15, 0.001, -0.001, 0.002, 0, 0.001}});
  const std::vector<CellJudgement> judgements =
      JudgeCells(study, 0, 1, kFloor, kBand);
  ASSERT_EQ(judgements.size(), 1u);
  EXPECT_TRUE(judgements[0].one_placement_alone);
  EXPECT_EQ(judgements[0].comparison, Comparison::kCannotTell);
  EXPECT_NEAR(judgements[0].spread, 0.151, 1e-9);
}

TEST(JudgementTest, TwoPlacementsAreNotOne) {
  EXPECT_TRUE(OnePlacementAlone({0.15, 0, 0.001, -0.001, 0}, kFloor));
  EXPECT_FALSE(OnePlacementAlone({0.15, 0.15, 0.001, -0.001, 0}, kFloor));
  // All differ, one by more.
  EXPECT_FALSE(OnePlacementAlone({0.5, 0.1, 0.101, 0.1, 0.102}, kFloor));
  // Within the noise.
  EXPECT_FALSE(OnePlacementAlone({0.009, 0, 0, 0, 0}, kFloor));
  // Three placements cannot tell which of them is alone.
  EXPECT_FALSE(OnePlacementAlone({0.15, 0, 0}, kFloor));
}

TEST(JudgementTest, NamesWhatDisturbed) {
  Study study;
  EXPECT_THAT(Disturbances(study), IsEmpty());
  study.steal = 0.031;
  study.clock_drift = 0.12;
  study.migrations = 1;
  EXPECT_THAT(
      Disturbances(study),
      ElementsAre("the hypervisor took 3.1 % of the time away",
                  "the core's clock moved by 12 %", "1 move to another CPU"));
  study.steal = 0.009;
  study.clock_drift = 0.02;
  study.migrations = 2;
  EXPECT_THAT(Disturbances(study), ElementsAre("2 moves to another CPU"));
}

}  // namespace
}  // namespace kernels
