#include "advisor/program_comparison.h"

#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::HasSubstr;

// A program that takes a second, and `factor` of it with the string; each run
// differs by up to `noise` of its time.
class ProgramComparisonTest : public ::testing::Test {
 protected:
  ProgramComparison Compare(double factor, double noise) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> error(-noise, noise);
    const FakeProgramTimer timer([&](const Command& command) {
      const bool with = command.environment.Get("GLIBC_TUNABLES") == "a=b";
      orders_.push_back(with ? 'w' : '.');
      TimedRun run;
      run.exit_status = with ? status_with_ : 0;
      // By itself, now and then.
      if (fails_every_ != 0 && orders_.size() % fails_every_ == 0) {
        run.exit_status = 9;
      }
      run.wall = absl::Seconds((with ? factor : 1) * (1 + error(random)));
      run.cpu = run.wall / 2;
      clock_.Advance(run.wall);
      return run;
    });
    const absl::StatusOr<ProgramComparison> comparison =
        CompareProgram(question_, timer, clock_, [](double) {});
    EXPECT_TRUE(comparison.ok()) << comparison.status();
    return *comparison;
  }

  FakeClock clock_;
  int status_with_ = 0;
  size_t fails_every_ = 0;
  std::string orders_;
  ProgramQuestion question_ = {{"/bin/x"}, Environment({"GLIBC_TUNABLES=old"}),
                               "",         "a=b",
                               30,         absl::Seconds(1000),
                               1};
};

TEST_F(ProgramComparisonTest, TellsFasterSlowerAndEqual) {
  ProgramComparison faster = Compare(0.9, 0.01);
  EXPECT_EQ(faster.verdict, CellVerdict::kFaster) << faster.summary;
  EXPECT_EQ(faster.rounds, 30);
  EXPECT_NEAR(faster.wall.ratio, 0.9, 0.02);
  EXPECT_NEAR(faster.cpu.ratio, 0.9, 0.02);
  EXPECT_NEAR(faster.wall.seconds, 1, 0.02);
  const ProgramComparison slower = Compare(1.1, 0.01);
  EXPECT_EQ(slower.verdict, CellVerdict::kSlower);
  EXPECT_THAT(slower.summary, HasSubstr("harmful"));
  EXPECT_EQ(Compare(1, 0.01).verdict, CellVerdict::kEquivalent);
  EXPECT_EQ(Compare(1.03, 0.5).verdict, CellVerdict::kCannotTell);
}

TEST_F(ProgramComparisonTest, MixesTheOrderOfTheSides) {
  Compare(1, 0.01);
  // A warm round and 30 others, of three runs each.
  ASSERT_EQ(orders_.size(), 93);
  std::set<std::string> rounds;
  for (size_t i = 0; i < orders_.size(); i += 3) {
    rounds.insert(orders_.substr(i, 3));
  }
  EXPECT_EQ(rounds, (std::set<std::string>{"w..", ".w.", "..w"}));
}

TEST_F(ProgramComparisonTest, NeedsTime) {
  question_.budget = absl::Seconds(10);
  const ProgramComparison comparison = Compare(0.5, 0.01);
  EXPECT_LT(comparison.rounds, kLeastRounds);
  EXPECT_EQ(comparison.verdict, CellVerdict::kCannotTell);
  EXPECT_THAT(comparison.summary, HasSubstr("--budget"));
}

TEST_F(ProgramComparisonTest, CallsAnotherEndHarmful) {
  status_with_ = 1;
  const ProgramComparison comparison = Compare(0.5, 0.01);
  EXPECT_EQ(comparison.verdict, CellVerdict::kSlower);
  EXPECT_THAT(comparison.summary, HasSubstr("exit status 1 instead of"));
}

TEST_F(ProgramComparisonTest, AProgramThatFailsByItselfIsNotHarmed) {
  for (const size_t every : {7, 10, 20}) {
    fails_every_ = every;
    const ProgramComparison comparison = Compare(1, 0.01);
    EXPECT_EQ(comparison.verdict, CellVerdict::kEquivalent)
        << every << comparison.summary;
    EXPECT_LT(comparison.rounds, 30);
  }
}

TEST(JudgeTimes, BelievesNoControlThatDiffersFromItself) {
  const std::vector<double> faster(10, -0.2);
  EXPECT_EQ(JudgeTimes(faster, std::vector<double>(10, 0.001)).verdict,
            CellVerdict::kFaster);
  EXPECT_EQ(JudgeTimes(faster, std::vector<double>(10, 0.1)).verdict,
            CellVerdict::kCannotTell);
}

TEST(CompareProgram, HandsOnErrors) {
  const FakeProgramTimer timer([](const Command&) {
    return absl::NotFoundError("/bin/x: No such file or directory");
  });
  ProgramQuestion question;
  question.argv = {"/bin/x"};
  EXPECT_TRUE(absl::IsNotFound(
      CompareProgram(question, timer, FakeClock(), [](double) {}).status()));
}

}  // namespace
}  // namespace advisor
