#include "kernels/measure/statistics.h"

#include <cmath>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kernels {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

TEST(StatisticsTest, MedianAndQuantiles) {
  EXPECT_EQ(Median({3}), 3);
  EXPECT_EQ(Median({3, 1, 2}), 2);
  EXPECT_EQ(Median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(Quantile({1, 2, 3, 4, 5}, 0), 1);
  EXPECT_EQ(Quantile({1, 2, 3, 4, 5}, 0.9), 4.6);
  EXPECT_EQ(Quantile({1, 2, 3, 4, 5}, 1), 5);
}

// Table of Student's t: 2.776 for 4 degrees of freedom and 95 %.
TEST(StatisticsTest, MeanIntervalEqualsTheTable) {
  const std::vector<double> samples = {1, 2, 3, 4, 5};
  const Interval interval = MeanInterval(samples, 0.95);
  const double standard_error = std::sqrt(2.5 / 5);
  EXPECT_NEAR(interval.middle, 3, 1e-12);
  EXPECT_NEAR(interval.high - 3, 2.776 * standard_error, 1e-3);
  EXPECT_NEAR(3 - interval.low, 2.776 * standard_error, 1e-3);
  EXPECT_NEAR(MeanPValue(samples, 3 + 2.776 * standard_error), 0.05, 1e-4);
  EXPECT_EQ(MeanPValue(samples, 3), 1);
}

TEST(StatisticsTest, OneSampleProvesNothing) {
  EXPECT_TRUE(std::isinf(MeanInterval({0.5}, 0.95).low));
  EXPECT_TRUE(std::isinf(MeanInterval({}, 0.95).high));
  EXPECT_EQ(MeanPValue({0.5}), 1);
}

// Tables of the sign test: with 10 samples the second smallest and largest
// bound the median with 97.9 %, the third ones with only 89.1 %.
TEST(StatisticsTest, MedianIntervalEqualsTheTable) {
  const std::vector<double> samples = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_EQ(MedianInterval(samples, 0.95).low, 2);
  EXPECT_EQ(MedianInterval(samples, 0.95).high, 9);
  EXPECT_EQ(MedianInterval(samples, 0.89).low, 3);
  // Five samples cannot give 95 %: the whole range is all there is.
  EXPECT_EQ(MedianInterval({1, 2, 3, 4, 5}, 0.95).low, 1);
  EXPECT_EQ(MedianInterval({1, 2, 3, 4, 5}, 0.95).high, 5);
}

TEST(StatisticsTest, MedianIntervalCoversAsPromised) {
  std::mt19937 random(1);
  std::exponential_distribution<double> skewed(1);
  const double median = std::log(2);
  int covered = 0;
  for (int run = 0; run < 2000; ++run) {
    std::vector<double> samples(30);
    for (double& sample : samples) sample = skewed(random);
    const Interval interval = MedianInterval(samples, 0.95);
    covered += interval.low <= median && median <= interval.high;
  }
  EXPECT_GE(covered, 1890);
  EXPECT_LE(covered, 1980);
}

// Clopper and Pearson's intervals, as tables of them print: 3 of 20 gives 3.2 %
// to 37.9 %; "rule of three" for none of 100.
TEST(StatisticsTest, ShareIntervalEqualsTheTables) {
  const Interval interval = ShareInterval(3, 20, 0.95);
  EXPECT_NEAR(interval.low, 0.0321, 5e-4);
  EXPECT_NEAR(interval.middle, 0.15, 1e-12);
  EXPECT_NEAR(interval.high, 0.3789, 5e-4);
  EXPECT_EQ(ShareInterval(0, 100, 0.95).low, 0);
  EXPECT_NEAR(ShareInterval(0, 100, 0.95).high, 0.0362, 5e-4);
  EXPECT_EQ(ShareInterval(100, 100, 0.95).high, 1);
}

// The example of Benjamini and Hochberg (1995), section 3.2: at 0.05 four of
// these fifteen hypotheses are rejected.
TEST(StatisticsTest, BenjaminiHochbergEqualsThePaper) {
  const std::vector<double> p_values = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201,
                                        0.0278, 0.0298, 0.0344, 0.0459, 0.3240,
                                        0.4262, 0.5719, 0.6528, 0.7590, 1.000};
  const std::vector<double> adjusted = BenjaminiHochberg(p_values);
  int rejected = 0;
  for (const double p : adjusted) rejected += p <= 0.05;
  EXPECT_EQ(rejected, 4);
  EXPECT_NEAR(adjusted[0], 0.0015, 1e-9);
}

TEST(StatisticsTest, BenjaminiHochbergKeepsTheOrderGiven) {
  EXPECT_THAT(BenjaminiHochberg({0.9, 0.01, 0.02}),
              Pointwise(DoubleNear(1e-12), {0.9, 0.03, 0.03}));
  EXPECT_THAT(BenjaminiHochberg({}), ElementsAre());
}

TEST(StatisticsTest, CompareKnowsFourAnswers) {
  EXPECT_EQ(Compare({-0.3, -0.2, -0.1}, 0.02, 0.01), Comparison::kFaster);
  EXPECT_EQ(Compare({0.03, 0.2, 0.3}, 0.02, 0.01), Comparison::kSlower);
  // Significant, but below the noise floor.
  EXPECT_EQ(Compare({0.001, 0.002, 0.003}, 0.02, 0.01),
            Comparison::kEquivalent);
  EXPECT_EQ(Compare({-0.1, 0, 0.1}, 0.02, 0.01), Comparison::kCannotTell);
}

}  // namespace
}  // namespace kernels
