#include "kernels/measure/study.h"

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kernels {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A machine whose clock moves a second with each contrast, and on which side 1
// takes twice the time of side 0 and of its copy, side 2.
class FakeSource : public PairSource {
 public:
  FakeSource(advisor::FakeClock& clock, uint64_t seed)
      : clock_(clock), random_(seed) {}

  // A core that slows down by half a percent a second.
  absl::StatusOr<Observation> Observe() override {
    const double seconds = absl::ToDoubleSeconds(clock_.Monotonic());
    return Observation{1 + 0.005 * seconds, /*migrations=*/seconds < 3 ? 0 : 1};
  }

  absl::StatusOr<Pairs> Measure(const Cell& cell, int, int candidate,
                                int count) override {
    clock_.Advance(absl::Seconds(1));
    if (cell.size == 13) return absl::UnavailableError("worker: gone");
    std::normal_distribution<double> noise(0, 0.01);
    const double effect = candidate == 1 ? std::log(2) : 0;
    Pairs pairs;
    for (int i = 0; i < count; ++i) {
      pairs.log_ratios.push_back(effect + noise(random_));
    }
    pairs.base_cycles = 100;
    pairs.candidate_cycles = 200;
    return pairs;
  }

 private:
  advisor::FakeClock& clock_;
  std::mt19937_64 random_;
};

class FakeFactory : public PairSourceFactory {
 public:
  explicit FakeFactory(advisor::FakeClock& clock) : clock_(clock) {}
  absl::StatusOr<std::unique_ptr<PairSource>> Start(
      uint64_t seed) const override {
    return std::make_unique<FakeSource>(clock_, seed);
  }
  int sides() const override { return 3; }

 private:
  advisor::FakeClock& clock_;
};

StudyPlan TwoCells() {
  StudyPlan plan;
  for (const uint64_t size : {64, 128}) {
    const Cell cell = {false, size, Alignment::kAligned, Regime::kHot, 1};
    plan.contrasts.push_back({cell, 0, 1, 15});
    plan.contrasts.push_back({cell, 0, 2, 15});
  }
  plan.min_processes = 2;
  plan.max_processes = 10;
  return plan;
}

absl::StatusOr<Study> RunPlan(const StudyPlan& plan) {
  advisor::FakeClock clock;
  return RunStudy(FakeFactory(clock), {"a", "b", "a"}, plan, clock,
                  [](double share) {
                    EXPECT_GE(share, 0);
                    EXPECT_LE(share, 1);
                  });
}

TEST(StudyTest, FindsTheEffectAndTheNoise) {
  StudyPlan plan = TwoCells();
  plan.budget = absl::Seconds(100);
  const Study study = *RunPlan(plan);
  EXPECT_EQ(study.processes, 10);
  const ContrastResult* const result = study.Find(plan.contrasts[0]);
  ASSERT_NE(result, nullptr);
  EXPECT_EQ(result->log_ratios.size(), 10u);
  EXPECT_NEAR(result->interval(0.95).middle, std::log(2), 0.01);
  EXPECT_EQ(result->candidate_cycles, 200);
  EXPECT_LT(NoiseFloor(study, 0, 2), 0.02);
  EXPECT_GE(NoiseFloor(study, 0, 2), 0.005);
  // The comparison of different sides is no noise.
  EXPECT_GT(NoiseFloor(study, 0, 1), 0.6);
  EXPECT_EQ(NoiseFloor(study, 0, 2, [](const Cell&) { return false; }), 0.005);
}

// Four cells a process, at a second each, in two processes.
TEST(StudyTest, SeesTheClockDriftAndMovesToAnotherCpu) {
  StudyPlan plan = TwoCells();
  plan.max_processes = 2;
  plan.budget = absl::Seconds(100);
  const Study study = *RunPlan(plan);
  // Seen after 0, 4, 4 and 8 seconds.
  EXPECT_NEAR(study.clock_drift, 0.005 * 8, 0.01);
  EXPECT_EQ(study.migrations, 2);
}

TEST(StudyTest, StopsWhenAnotherProcessDoesNotFit) {
  StudyPlan plan = TwoCells();
  plan.budget = absl::Seconds(15);  // 4 s a process
  EXPECT_EQ(RunPlan(plan)->processes, 3);
  plan.budget = absl::Seconds(1);
  EXPECT_EQ(RunPlan(plan)->processes, plan.min_processes);
}

TEST(StudyTest, DropsAProcessThatPassesTheHardLimit) {
  StudyPlan plan = TwoCells();
  plan.budget = absl::Seconds(100);
  plan.hard_limit = absl::Seconds(6);
  const Study study = *RunPlan(plan);
  EXPECT_EQ(study.processes, 1);
  EXPECT_EQ(study.results[0].log_ratios.size(), 1u);
  EXPECT_TRUE(std::isinf(study.results[0].interval(0.95).low));
  plan.hard_limit = absl::Seconds(2);
  EXPECT_EQ(RunPlan(plan)->processes, 0);
}

TEST(StudyTest, AWorkersErrorEndsIt) {
  StudyPlan plan = TwoCells();
  plan.contrasts[3].cell.size = 13;
  EXPECT_TRUE(absl::IsUnavailable(RunPlan(plan).status()));
}

TEST(StudyTest, SurvivesAFile) {
  StudyPlan plan = TwoCells();
  const Study study = *RunPlan(plan);
  const Study again = *ParseStudy(FormatStudy(study), "study.json");
  EXPECT_THAT(again.sides, ElementsAre("a", "b", "a"));
  EXPECT_EQ(again.processes, study.processes);
  ASSERT_EQ(again.results.size(), study.results.size());
  for (size_t i = 0; i < again.results.size(); ++i) {
    EXPECT_EQ(again.results[i].contrast, study.results[i].contrast);
    EXPECT_EQ(again.results[i].log_ratios, study.results[i].log_ratios);
  }
}

TEST(StudyTest, RefusesWhatIsNoStudy) {
  for (const char* text :
       {"", "[]", "{}", "{\"sides\":1}",
        "{\"sides\":[],\"processes\":1,\"cycles_per_second\":1,\"steal\":0,"
        "\"results\":[{\"cell\":\"memcpy/0\"}]}"}) {
    const absl::Status status = ParseStudy(text, "study.json").status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << text;
    EXPECT_THAT(status.message(), HasSubstr("study.json: ")) << text;
  }
}

}  // namespace
}  // namespace kernels
