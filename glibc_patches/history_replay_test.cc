#include "glibc_patches/history_replay.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advisor/host/fake_subprocess.h"
#include "advisor/host/file_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace glibc_patches {
namespace {

using ::advisor::Command;
using ::advisor::CommandResult;
using ::advisor::Exited;
using ::testing::HasSubstr;

constexpr HistoryFix kWrong = {"0123456789012345678901234567890123456789",
                               "2020-01-01",
                               "memset is wrong",
                               HistoryEvidence::kCheck,
                               "content",
                               "__memset_evex_unaligned_erms",
                               ""};

HistoryFix Fix(HistoryEvidence evidence, absl::string_view where) {
  HistoryFix fix = kWrong;
  fix.evidence = evidence;
  fix.where = where;
  return fix;
}

std::string Golden(const std::string& name) {
  return *advisor::RealFileReader().Read("glibc_patches/golden/" + name +
                                         ".json");
}

TEST(JudgeSideTest, AFindingOfTheRightCheckRejectsTheParent) {
  const ReplaySide side = JudgeSide(kWrong, Golden("wrong"), false);
  EXPECT_EQ(side.outcome, ReplayOutcome::kAsExpected);
  EXPECT_EQ(side.verdict, "reject: content");
}

TEST(JudgeSideTest, AFindingOfAnotherCheckDoesNot) {
  const HistoryFix other = Fix(HistoryEvidence::kCheck, "registers");
  const ReplaySide side = JudgeSide(other, Golden("wrong"), false);
  EXPECT_EQ(side.outcome, ReplayOutcome::kUnexpected);
  EXPECT_EQ(side.verdict, "reject: content");
}

TEST(JudgeSideTest, AnAcceptedParentIsUnexpected) {
  EXPECT_EQ(JudgeSide(kWrong, Golden("accept"), false).outcome,
            ReplayOutcome::kUnexpected);
  EXPECT_EQ(JudgeSide(Fix(HistoryEvidence::kSpeed, "aligned"), Golden("accept"),
                      false)
                .outcome,
            ReplayOutcome::kUnexpected);
}

TEST(JudgeSideTest, AFixMustFailNoCheck) {
  EXPECT_EQ(JudgeSide(kWrong, Golden("wrong"), true).outcome,
            ReplayOutcome::kUnexpected);
  EXPECT_EQ(JudgeSide(kWrong, Golden("accept"), true).outcome,
            ReplayOutcome::kAsExpected);
}

TEST(JudgeSideTest, AFixMayBeSlowerAndThatIsTold) {
  const ReplaySide side = JudgeSide(kWrong, Golden("slower"), true);
  EXPECT_EQ(side.outcome, ReplayOutcome::kAsExpected);
  EXPECT_EQ(side.verdict, "reject: slower in 1 cells");
}

TEST(JudgeSideTest, SpeedIsJudgedInTheCellsOfItsAlignment) {
  const HistoryFix here = Fix(HistoryEvidence::kSpeed, "aligned");
  EXPECT_EQ(JudgeSide(here, Golden("slower"), false).outcome,
            ReplayOutcome::kAsExpected);
  EXPECT_EQ(JudgeSide(here, Golden("slower"), true).outcome,
            ReplayOutcome::kUnexpected);
  const HistoryFix elsewhere = Fix(HistoryEvidence::kSpeed, "short-distance");
  EXPECT_EQ(JudgeSide(elsewhere, Golden("slower"), false).outcome,
            ReplayOutcome::kUnexpected);
  // Nothing is faster there either.
  EXPECT_EQ(JudgeSide(elsewhere, Golden("slower"), true).outcome,
            ReplayOutcome::kUnexpected);
}

TEST(JudgeSideTest, AThresholdThatDoesNotWorkRejectsTheParent) {
  const std::string json = Golden("threshold_fault");
  const HistoryFix here =
      Fix(HistoryEvidence::kThresholds, "non_temporal_threshold");
  const ReplaySide side = JudgeSide(here, json, false);
  EXPECT_EQ(side.outcome, ReplayOutcome::kAsExpected);
  EXPECT_THAT(side.verdict,
              HasSubstr("reject: copies of 257 to 16447 bytes corrupt memory"));
  EXPECT_EQ(JudgeSide(here, json, true).outcome, ReplayOutcome::kUnexpected);
  EXPECT_EQ(JudgeSide(Fix(HistoryEvidence::kThresholds, "rep_stosb_threshold"),
                      json, false)
                .outcome,
            ReplayOutcome::kUnexpected);
  EXPECT_EQ(JudgeSide(here, Golden("accept"), true).outcome,
            ReplayOutcome::kAsExpected);
}

TEST(JudgeSideTest, AnotherValueIsTold) {
  const HistoryFix here = Fix(HistoryEvidence::kValues, "shared_cache_size");
  const ReplaySide side = JudgeSide(here, Golden("threshold_fault"), false);
  EXPECT_EQ(side.outcome, ReplayOutcome::kAsExpected);
  EXPECT_EQ(side.verdict,
            "reject, shared_cache_size 1048576 -> 25165824 on 5 CPUs");
  // Nothing is told where nothing changes.
  for (const bool fixed : {false, true}) {
    EXPECT_EQ(JudgeSide(here, Golden("accept"), fixed).outcome,
              ReplayOutcome::kUnexpected);
  }
}

TEST(JudgeSideTest, ThresholdCodeThatDoesNotCompileShowsNothing) {
  std::string json = Golden("threshold_fault");
  const std::string compiled = "\"not_compiled\": \"\"";
  const size_t at = json.find(compiled);
  ASSERT_NE(at, std::string::npos);
  json.replace(at, compiled.size(), "\"not_compiled\": \"an error\"");
  EXPECT_EQ(
      JudgeSide(Fix(HistoryEvidence::kThresholds, "x"), json, false).outcome,
      ReplayOutcome::kNotShown);
}

TEST(JudgeSideTest, AVariantThatWasSkippedShowsNothing) {
  HistoryFix fix = Fix(HistoryEvidence::kCheck, "registers");
  fix.variant = "__memset_avx512_unaligned_erms";
  const ReplaySide side = JudgeSide(fix, Golden("wrong"), false);
  EXPECT_EQ(side.outcome, ReplayOutcome::kNotShown);
  EXPECT_EQ(side.verdict, "__memset_avx512_unaligned_erms needs AVX512VL");
}

TEST(JudgeSideTest, WhatTheBaseFailsTooIsNoEvidence) {
  std::string json = Golden("wrong");
  const std::string none = "\"base_failures\": []";
  const size_t at = json.find(none);
  ASSERT_NE(at, std::string::npos);
  json.replace(at, none.size(),
               "\"base_failures\": "
               "[\"patched: __memset_evex_unaligned_erms content\"]");
  EXPECT_EQ(JudgeSide(kWrong, json, false).outcome, ReplayOutcome::kUnexpected);
  EXPECT_EQ(JudgeSide(kWrong, json, true).outcome, ReplayOutcome::kAsExpected);
}

TEST(JudgeSideTest, NoVerdictIsUnexpected) {
  for (const char* text : {"", "{}", "[]", "{\"verdict\"", "assembler: no"}) {
    for (const bool fixed : {false, true}) {
      const ReplaySide side = JudgeSide(kWrong, text, fixed);
      EXPECT_EQ(side.outcome, ReplayOutcome::kUnexpected) << text;
      EXPECT_EQ(side.verdict, "no verdict") << text;
    }
  }
}

// A machine whose git has every commit but `missing`, and whose validation says
// that the first patch is wrong and the second is not.
class ReplayHistoryTest : public ::testing::Test {
 protected:
  absl::StatusOr<CommandResult> Answer(const Command& command) {
    if (command.argv[0] != "/usr/bin/env") {
      validations_.push_back(command);
      return Exited(validations_.size() % 2,
                    Golden(validations_.size() % 2 == 1 ? "wrong" : "accept"));
    }
    EXPECT_EQ(command.argv[1], "git");
    if (!is_repository_) return Exited(128, "", "fatal: not a repository\n");
    const std::string& last = command.argv.back();
    if (command.argv[4] == "rev-parse" && last == missing_) return Exited(1);
    return Exited(0, command.argv[4] == "diff" ? "--- a/x\n" : "");
  }

  absl::Status Replay(const HistoryFix& fix) {
    const advisor::FakeSubprocess subprocess(
        [this](const Command& command) { return Answer(command); });
    const advisor::Environment environment({"TEST_TMPDIR=/elsewhere"});
    const advisor::FakeClock clock;
    const ReplayDoors doors{
        subprocess, environment, clock,
        [](absl::string_view feature) { return feature == "FSRM"; },
        [this](const ReplayResult& result) { results_.push_back(result); }};
    const ReplayInput input{
        "/clone", "/bin/validate_patch", testing::TempDir(), {"--quick"}};
    return ReplayHistory({&fix}, input, doors);
  }

  bool is_repository_ = true;
  std::string missing_;
  std::vector<Command> validations_;
  std::vector<ReplayResult> results_;
};

TEST_F(ReplayHistoryTest, JudgesBothDirections) {
  ASSERT_TRUE(Replay(kWrong).ok());
  ASSERT_EQ(results_.size(), 1u);
  EXPECT_EQ(results_[0].outcome, ReplayOutcome::kAsExpected);
  EXPECT_EQ(DescribeReplay(results_[0]),
            "ok         0123456789 2020-01-01 memset is wrong: parent reject: "
            "content; fix accept; 0 s");
  ASSERT_EQ(validations_.size(), 2u);
  EXPECT_THAT(validations_[0].argv[1], HasSubstr("0123456789.parent.diff"));
  EXPECT_THAT(validations_[0].argv.back(), "--quick");
  EXPECT_EQ(validations_[0].environment.Get("TMPDIR"), testing::TempDir());
  EXPECT_EQ(validations_[0].environment.Get("TEST_TMPDIR"), std::nullopt);
}

TEST_F(ReplayHistoryTest, ACommitThatIsNotThereIsNamed) {
  missing_ = absl::StrCat(kWrong.commit, "^^{commit}");
  ASSERT_TRUE(Replay(kWrong).ok());
  EXPECT_EQ(results_.at(0).outcome, ReplayOutcome::kNotShown);
  EXPECT_EQ(DescribeReplay(results_[0]),
            absl::StrCat("not shown  0123456789 2020-01-01 memset is wrong: "
                         "the history has no ",
                         kWrong.commit, "^"));
  EXPECT_TRUE(validations_.empty());
}

TEST_F(ReplayHistoryTest, WhatNothingHereShowsIsNotRun) {
  HistoryFix fix = Fix(HistoryEvidence::kNone, "");
  fix.limit = "needs x32";
  ASSERT_TRUE(Replay(fix).ok());
  EXPECT_EQ(results_.at(0).reason, "needs x32");
  fix = Fix(HistoryEvidence::kSpeed, "short-distance");
  fix.limit = "FSRM";
  ASSERT_TRUE(Replay(fix).ok());
  EXPECT_EQ(results_.at(1).reason, "shows only on a CPU without FSRM");
  EXPECT_TRUE(validations_.empty());
  // This CPU has not ERMS.
  fix.limit = "ERMS";
  ASSERT_TRUE(Replay(fix).ok());
  EXPECT_FALSE(validations_.empty());
}

TEST_F(ReplayHistoryTest, WhatIsNoRepositoryIsAnError) {
  is_repository_ = false;
  const absl::Status status = Replay(kWrong);
  EXPECT_EQ(status.message(),
            "/clone: expected a clone of glibc, found fatal: not a repository");
  EXPECT_TRUE(results_.empty());
}

}  // namespace
}  // namespace glibc_patches
