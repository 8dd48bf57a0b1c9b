#include "advisor/evidence/variant_study.h"

#include <cmath>
#include <functional>
#include <random>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Effect = std::function<double(const kernels::Cell&)>;

// Each candidate's cells take `effects` of the time, the control's 1, with
// 0.5 % of noise between processes.
kernels::Study FakeStudy(const std::vector<VariantCandidate>& candidates,
                         const std::vector<Effect>& effects, int processes = 8,
                         double control = 1) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 0.005);
  kernels::Study study;
  study.processes = processes;
  for (const kernels::Contrast& contrast :
       VariantContrasts(candidates, 1 << 21, 4)) {
    kernels::ContrastResult result;
    result.contrast = contrast;
    const size_t index = contrast.candidate - 1;
    const double effect =
        index < effects.size() ? effects[index](contrast.cell) : control;
    for (int i = 0; i < processes; ++i) {
      result.log_ratios.push_back(std::log(effect) + noise(random));
    }
    study.results.push_back(result);
  }
  return study;
}

Effect Always(double ratio) {
  return [ratio](const kernels::Cell&) { return ratio; };
}

const VariantCandidate kBoth = {"a", true, true};
const VariantCandidate kMemmoveOnly = {"b", true, false};
constexpr double kWorth = 0.97;

TEST(VariantStudyTest, SidesEndWithTheControl) {
  EXPECT_THAT(VariantSides("base", {kBoth, kMemmoveOnly}),
              ElementsAre("base", "a", "b", "base", "base"));
}

TEST(VariantStudyTest, MeasuresWhatChangesAndAControlForEachCell) {
  std::set<kernels::Cell> measured, control;
  for (const kernels::Contrast& contrast :
       VariantContrasts({kMemmoveOnly}, 20000, 4)) {
    EXPECT_FALSE(contrast.cell.is_memset);
    EXPECT_LE(contrast.cell.size, 20000u);
    (contrast.candidate == 1 ? measured : control).insert(contrast.cell);
  }
  EXPECT_EQ(measured, control);
  EXPECT_GE(measured.size(), 6u);
}

TEST(VariantStudyTest, JudgesEachCandidate) {
  const std::vector<VariantCandidate> candidates = {kBoth, kMemmoveOnly, kBoth};
  const kernels::Study study =
      FakeStudy(candidates, {Always(0.8), Always(1.3), Always(1)});
  EXPECT_EQ(JudgeVariant(study, 0, 3, 0.95).verdict, CellVerdict::kFaster);
  EXPECT_NEAR(std::exp(JudgeVariant(study, 0, 3, 0.95).mean.middle), 0.8, 0.01);
  EXPECT_EQ(JudgeVariant(study, 1, 3, 0.95).verdict, CellVerdict::kSlower);
  EXPECT_EQ(JudgeVariant(study, 2, 3, 0.95).verdict, CellVerdict::kEquivalent);
}

TEST(VariantStudyTest, ConcludesNothingWhereTheControlDiffers) {
  const kernels::Study study = FakeStudy({kBoth}, {Always(0.8)}, 8, 0.95);
  EXPECT_TRUE(JudgeVariant(study, 0, 1, 0.95).control_differs);
  EXPECT_EQ(JudgeVariant(study, 0, 1, 0.95).verdict, CellVerdict::kCannotTell);
  EXPECT_FALSE(JudgeVariantProof(study, kBoth, kWorth).holds);
}

TEST(VariantStudyTest, ProvesWhatIsWorthIt) {
  EXPECT_TRUE(
      JudgeVariantProof(FakeStudy({kBoth}, {Always(0.9)}), kBoth, kWorth)
          .holds);
  const Proof small =
      JudgeVariantProof(FakeStudy({kBoth}, {Always(0.98)}), kBoth, kWorth);
  EXPECT_FALSE(small.holds);
  EXPECT_THAT(small.summary, HasSubstr("not proved"));
  EXPECT_FALSE(
      JudgeVariantProof(FakeStudy({kBoth}, {Always(0.9)}, 1), kBoth, kWorth)
          .holds);
  kernels::Study stolen = FakeStudy({kBoth}, {Always(0.9)});
  stolen.steal = 0.3;
  EXPECT_FALSE(JudgeVariantProof(stolen, kBoth, kWorth).holds);
}

TEST(VariantStudyTest, OneHarmedSizeIsTooMany) {
  const Proof proof = JudgeVariantProof(
      FakeStudy({kBoth}, {[](const kernels::Cell& cell) {
                  return cell.is_memset && cell.size == 100 ? 1.2 : 0.7;
                }}),
      kBoth, kWorth);
  EXPECT_FALSE(proof.holds);
  EXPECT_THAT(proof.summary, HasSubstr("harmful: memset/100/"));
}

TEST(VariantStudyTest, TellsCostsByFunctionAndSize) {
  const kernels::Study study =
      FakeStudy({kBoth}, {[](const kernels::Cell& cell) {
                  return cell.is_memset ? 1.0 : cell.size < 300 ? 1.2 : 0.9;
                }});
  const std::vector<VariantCost> costs = VariantCosts(study, 0, 1);
  ASSERT_EQ(costs.size(), 6u);
  EXPECT_EQ(costs[0].function, "memcpy");
  EXPECT_EQ(costs[0].smallest, 24u);
  EXPECT_EQ(costs[0].largest, 250u);
  EXPECT_EQ(costs[0].verdict, CellVerdict::kSlower);
  EXPECT_NEAR(costs[0].ratio, 1.2, 0.01);
  EXPECT_EQ(costs[1].verdict, CellVerdict::kFaster);
  EXPECT_EQ(costs[3].function, "memset");
  EXPECT_EQ(costs[3].verdict, CellVerdict::kEquivalent);
}

}  // namespace
}  // namespace advisor
