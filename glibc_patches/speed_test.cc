#include "glibc_patches/speed.h"

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "advisor/host/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace glibc_patches {
namespace {

using ::kernels::Cell;
using ::kernels::Pairs;

// Sides come in threes: base, patched, control. The patched one is slower by
// `slowdown` at `size`; each process adds a placement's share.
class FakeFactory : public kernels::PairSourceFactory {
 public:
  FakeFactory(double slowdown, uint64_t size, double noise)
      : slowdown_(slowdown), size_(size), noise_(noise) {}

  absl::StatusOr<std::unique_ptr<kernels::PairSource>> Start(
      uint64_t seed) const override {
    return std::make_unique<Source>(*this, seed);
  }
  int sides() const override { return 3; }

 private:
  class Source : public kernels::PairSource {
   public:
    Source(const FakeFactory& factory, uint64_t seed)
        : factory_(factory), random_(seed) {}
    absl::StatusOr<Pairs> Measure(const Cell& cell, int base, int candidate,
                                  int count) override {
      std::normal_distribution<double> noise(0, factory_.noise_);
      const double placement = noise(random_);
      const bool is_patched = candidate - base == 1;
      const double effect = is_patched && cell.size == factory_.size_
                                ? std::log1p(factory_.slowdown_)
                                : 0;
      Pairs pairs;
      for (int i = 0; i < count; ++i) {
        pairs.log_ratios.push_back(effect + placement + noise(random_));
      }
      pairs.base_cycles = 100;
      pairs.candidate_cycles = 100 * std::exp(effect);
      return pairs;
    }

   private:
    const FakeFactory& factory_;
    std::mt19937_64 random_;
  };

  const double slowdown_;
  const uint64_t size_;
  const double noise_;
};

SpeedPlan Plan() {
  SpeedPlan plan;
  for (uint64_t size = 1; size <= 60; ++size) {
    plan.cells.push_back(
        {"__memmove_x",
         "of this machine",
         {false, size, kernels::Alignment::kAligned, kernels::Regime::kHot, 1},
         0});
  }
  return plan;
}

SpeedResult Measure(double slowdown, double noise, uint64_t seed) {
  const FakeFactory factory(slowdown, 30, noise);
  SpeedOptions options;
  options.seed = seed;
  options.second_budget = absl::Milliseconds(200);
  const advisor::RealClock clock;
  const auto result = MeasureSpeed({{&factory, &factory}, &factory}, Plan(),
                                   options, clock, [](double) {});
  EXPECT_TRUE(result.ok()) << result.status();
  return result.value_or(SpeedResult());
}

int Count(const SpeedResult& result, SpeedJudgement judgement) {
  int count = 0;
  for (const SpeedCellResult& cell : result.cells) {
    count += cell.judgement == judgement ? 1 : 0;
  }
  return count;
}

TEST(SpeedTest, IdenticalCodeIsNeverSlowerOrFaster) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const SpeedResult result = Measure(0, 0.02, seed);
    EXPECT_EQ(Count(result, SpeedJudgement::kSlower), 0) << seed;
    EXPECT_EQ(Count(result, SpeedJudgement::kFaster), 0) << seed;
  }
}

TEST(SpeedTest, ASlowdownOfOneSizeIsFoundThereOnly) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const SpeedResult result = Measure(0.10, 0.02, seed);
    EXPECT_EQ(Count(result, SpeedJudgement::kSlower), 1) << seed;
    EXPECT_EQ(result.cells[29].judgement, SpeedJudgement::kSlower) << seed;
    EXPECT_NEAR(std::exp(result.cells[29].interval.middle), 1.10, 0.04);
    EXPECT_FALSE(result.cells[29].excludes_regression);
  }
}

TEST(SpeedTest, ASpeedUpIsFoundAsWell) {
  const SpeedResult result = Measure(-0.10, 0.01, 1);
  EXPECT_EQ(result.cells[29].judgement, SpeedJudgement::kFaster);
  EXPECT_EQ(Count(result, SpeedJudgement::kFaster), 1);
}

TEST(SpeedTest, TooMuchNoiseIsNoAnswer) {
  const SpeedResult result = Measure(0.03, 0.5, 1);
  EXPECT_EQ(Count(result, SpeedJudgement::kSlower), 0);
  EXPECT_EQ(Count(result, SpeedJudgement::kSame), 0);
  EXPECT_GT(result.noise_floor, 0.05);
}

TEST(SpeedTest, BeyondTheBandIsMoreThanBesideOne) {
  const std::vector<double> within = {0.011, 0.012, 0.010, 0.011, 0.012};
  EXPECT_EQ(BeyondBandPValue(within, 0.02), 1);
  EXPECT_EQ(JudgeSamples(within, 1, 0.005, 0.02), SpeedJudgement::kSame);
  const std::vector<double> beyond = {0.1, 0.11, 0.1, 0.09, 0.1, 0.1};
  EXPECT_LT(BeyondBandPValue(beyond, 0.02), 1e-4);
  EXPECT_EQ(JudgeSamples(beyond, 1e-4, 0.005, 0.02), SpeedJudgement::kSlower);
  // The noise floor counts too, and so does the number of cells.
  EXPECT_EQ(JudgeSamples(beyond, 1e-4, 0.2, 0.02), SpeedJudgement::kCannotTell);
  EXPECT_EQ(JudgeSamples(beyond, 0.02, 0.005, 0.02),
            SpeedJudgement::kCannotTell);
  EXPECT_EQ(BeyondBandPValue({0.1}, 0.02), 1);
  const std::vector<double> few = {0.1, 0.11, 0.1, 0.09, 0.1};
  EXPECT_EQ(JudgeSamples(few, 1e-4, 0.005, 0.02), SpeedJudgement::kCannotTell);
}

TEST(SpeedJudgementTest, HasANameForPeopleAndOneForPrograms) {
  EXPECT_EQ(SpeedJudgementName(SpeedJudgement::kCannotTell), "cannot_tell");
  EXPECT_EQ(SpeedJudgementText(SpeedJudgement::kCannotTell), "cannot tell");
  EXPECT_EQ(SpeedJudgementText(SpeedJudgement::kSame), "same");
}

}  // namespace
}  // namespace glibc_patches
