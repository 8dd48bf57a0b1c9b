// Each check finds what it is there for, by its own id, and lets the neighbour
// pass that is right.

#include "glibc_patches/checks/planted.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "glibc_patches/checks/check.h"
#include "glibc_patches/checks/runner.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/variant.h"

namespace glibc_patches {
namespace {

using ::testing::HasSubstr;

CheckResult Check(absl::string_view id, const kernels::Variant& variant) {
  const CheckRow* row = FindCheck(id);
  EXPECT_NE(row, nullptr) << id;
  return RunCheck(*row, {variant, Effort::kQuick});
}

std::string Text(const CheckResult& result) {
  std::string text =
      absl::StrCat(result.variant, ": ", result.id, ": ", result.reason, "\n");
  for (const CheckFinding& finding : result.findings) {
    absl::StrAppend(&text, finding.what, "\n");
    if (finding.call.has_value()) {
      absl::StrAppend(&text, finding.call->Describe(), "\n");
    }
  }
  return text;
}

// What the check of this id says about the planted function.
struct FaultRow {
  absl::string_view planted;
  absl::string_view id;
  // In what is found and the smallest call.
  absl::string_view says;
};

class FaultTest : public ::testing::TestWithParam<FaultRow> {};

TEST_P(FaultTest, IsFound) {
  const FaultRow& row = GetParam();
  const kernels::Variant variant = PlantedVariant(row.planted);
  const CheckResult result = Check(row.id, variant);
  if (absl::StartsWith(result.reason, "needs ")) GTEST_SKIP() << result.reason;
  ASSERT_EQ(result.status, CheckStatus::kFailed) << Text(result);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].id, row.id);
  EXPECT_THAT(Text(result), HasSubstr(std::string(row.says)));
}

INSTANTIATE_TEST_SUITE_P(
    All, FaultTest,
    ::testing::Values(
        FaultRow{"crashes", "content", "SIGILL"},
        FaultRow{"crashes", "content", "\nsize 100,"},
        FaultRow{"hangs", "content", "does not return"},
        FaultRow{"jumps_away", "content", "SIGSEGV"},
        FaultRow{"exits", "content", "exit status 0"},
        FaultRow{"kills", "content", "SIGKILL"},
        FaultRow{"smashes_stack", "content", "SIGSEGV"},
        FaultRow{"wrong_byte", "content", "byte 57 of the destination is"},
        FaultRow{"wrong_byte", "content",
                 "size 100, destination mod 4096 = 0, source mod 4096 = 0,"},
        FaultRow{"one_short_above_threshold", "content",
                 "byte 16448 of the destination"},
        FaultRow{"one_short_above_threshold", "content",
                 "non_temporal_threshold 16448"},
        FaultRow{"writes_before", "content",
                 "the byte 1 before the destination is"},
        FaultRow{"changes_source", "content", "byte 200 of the source is"},
        FaultRow{"writes_far", "content",
                 "far from its operands: the byte at destination plus 131072"},
        FaultRow{"forward_only", "content", "\nsize 2,"},
        FaultRow{"memset_one_short", "content",
                 "byte 99 of the destination is"},
        FaultRow{"reads_past", "guard_pages",
                 "1 bytes past the end of the source"},
        FaultRow{"reads_before", "guard_pages", "1 bytes before the source"},
        FaultRow{"reads_past_in_page", "accesses",
                 "reads 1 bytes, up to 1 bytes past the end of the source"},
        FaultRow{"writes_same_past_in_page", "accesses",
                 "1 bytes past the end of the destination"},
        FaultRow{"writes_same_to_source", "accesses", "writes 1 bytes"},
        FaultRow{"masked_one_too_many", "accesses", "reads 1 bytes, up to 1"},
        FaultRow{"reads_at_zero", "zero_length", "\nsize 0,"}));

INSTANTIATE_TEST_SUITE_P(
    CallingConvention, FaultTest,
    ::testing::Values(
        FaultRow{"returns_more", "return_value",
                 "returned the destination plus 1, expected plus 0"},
        FaultRow{"clobbers_rbx", "registers", "rbx is not preserved"},
        FaultRow{"clobbers_rbp", "registers", "rbp is not preserved"},
        FaultRow{"clobbers_r12", "registers", "r12 is not preserved"},
        FaultRow{"clobbers_r15", "registers", "r15 is not preserved"},
        FaultRow{"leaves_direction", "registers", "direction flag"},
        FaultRow{"moves_stack", "registers", "rsp is 8 away"},
        FaultRow{"writes_stack", "registers", "the caller's stack"},
        FaultRow{"leaves_mmx", "registers", "MMX without emms"},
        FaultRow{"changes_mxcsr", "registers", "MXCSR are 0x9f80"},
        FaultRow{"changes_x87", "registers", "x87 control word is 0x77f"},
        FaultRow{"dirty", "upper_halves", "a path on which upper halves"},
        FaultRow{"dirty_at_a_tebibyte", "upper_halves", "a path on which"},
        FaultRow{"not_fenced", "store_fence", "without sfence"},
        FaultRow{"fenced_on_one_path", "store_fence", "without sfence"},
        FaultRow{"computed_not_fenced", "store_fence", "without sfence"},
        FaultRow{"nt_above_half_the_threshold", "thresholds",
                 "uses non-temporal stores, which its thresholds forbid"},
        FaultRow{"nt_above_twice_the_threshold", "thresholds",
                 "does not use non-temporal stores, which"},
        FaultRow{"one_short_above_threshold", "thresholds",
                 "does not use non-temporal stores, which"},
        FaultRow{"asks_the_wrong_way", "transaction", "vzeroupper"},
        FaultRow{"never_asks", "transaction", "a path without xtest"},
        FaultRow{"needs_bmi2", "instruction_set", "needs BMI2"},
        FaultRow{"truncates_size", "huge_sizes", "did not go through all"},
        FaultRow{"signed_size", "huge_sizes", "did not go through all"},
        FaultRow{"direction_by_32_bits", "huge_sizes",
                 "copies overlapping operands backwards"}));

struct RightRow {
  absl::string_view planted;
  // Ids; empty: all.
  absl::string_view id;
};

class RightTest : public ::testing::TestWithParam<RightRow> {};

TEST_P(RightTest, Passes) {
  const RightRow& row = GetParam();
  const kernels::Variant variant = PlantedVariant(row.planted);
  int passed = 0;
  for (const CheckRow& check : AllChecks()) {
    if (!row.id.empty() && check.id != row.id) continue;
    const CheckResult result = Check(check.id, variant);
    EXPECT_NE(result.status, CheckStatus::kFailed) << Text(result);
    if (absl::StartsWith(result.reason, "needs ")) {
      GTEST_SKIP() << result.reason;
    }
    passed += result.status == CheckStatus::kPassed ? 1 : 0;
  }
  EXPECT_GE(passed, row.id.empty() ? 10 : 1);
}

INSTANTIATE_TEST_SUITE_P(
    All, RightTest,
    ::testing::Values(RightRow{"honest", ""}, RightRow{"mempcpy", ""},
                      RightRow{"memset", ""}, RightRow{"masked", ""},
                      RightRow{"reads_past_in_page", "guard_pages"},
                      RightRow{"reads_past_in_page", "content"},
                      RightRow{"writes_same_past_in_page", "content"},
                      RightRow{"writes_same_past_in_page", "guard_pages"},
                      RightRow{"masked_one_too_many", "content"},
                      RightRow{"clobbers_r11", "registers"},
                      RightRow{"uses_red_zone", "registers"},
                      RightRow{"clobbers_rbx", "content"},
                      RightRow{"leaves_direction", "content"},
                      RightRow{"dirty_then_clean", "upper_halves"},
                      RightRow{"fenced", "store_fence"},
                      RightRow{"computed_fenced", "store_fence"},
                      RightRow{"nt_above_threshold", "thresholds"},
                      RightRow{"direction_by_32_bits", "content"},
                      RightRow{"asks_for_transaction", "transaction"},
                      RightRow{"asks_for_transaction", "upper_halves"},
                      RightRow{"signed_size", "content"},
                      RightRow{"truncates_size", "content"}));

TEST(TransactionTest, OneThatNeverCommitsIsFoundWhereTransactionsWork) {
  const CheckResult result =
      Check("transaction", PlantedVariant("aborts_transactions"));
  if (!result.notes.empty()) GTEST_SKIP() << result.notes.front();
  EXPECT_THAT(Text(result), HasSubstr("aborts every transaction\nsize 100,"));
}

TEST(Endbr64Test, IsWantedWhereTheBuildHasCet) {
  const CheckRow& row = *FindCheck("endbr64");
  const auto status = [&](absl::string_view planted,
                          std::optional<bool> expects) {
    const kernels::Variant variant = PlantedVariant(planted);
    return RunCheck(row, {variant, Effort::kQuick, 1, expects}).status;
  };
  EXPECT_EQ(status("honest", true), CheckStatus::kFailed);
  EXPECT_EQ(status("honest_endbr64", true), CheckStatus::kPassed);
  EXPECT_EQ(status("honest", false), CheckStatus::kSkipped);
  EXPECT_EQ(status("honest", std::nullopt), CheckStatus::kSkipped);
}

TEST(CoverageTest, NamesTheBlockThatNoCallReaches) {
  const CheckResult dead = Check("coverage", PlantedVariant("dead_block"));
  ASSERT_TRUE(dead.coverage.has_value());
  EXPECT_EQ(dead.coverage->executed, dead.coverage->total - 1);
  ASSERT_EQ(dead.coverage->never_executed.size(), 1u);
  EXPECT_GT(dead.coverage->never_executed[0], 0);
  EXPECT_LT(dead.coverage->never_executed[0],
            static_cast<int64_t>(PlantedVariant("dead_block").code_size));
  const CheckResult honest = Check("coverage", PlantedVariant("honest"));
  ASSERT_TRUE(honest.coverage.has_value());
  EXPECT_EQ(honest.coverage->executed, honest.coverage->total);
  EXPECT_GE(honest.coverage->total, 5);
}

extern "C" void chk_right___memmove_planted(void);
extern "C" void chk_off_by_one___memmove_planted(void);
extern "C" void chk_never___memmove_planted(void);

TEST(ChkEntriesTest, RefuseWhatIsTooLongAndNothingElse) {
  const auto run = [](void (*function)(void)) {
    kernels::Variant variant = PlantedVariant("honest");
    variant.name = "__memmove_planted";
    variant.address = reinterpret_cast<void*>(function);
    return Check("chk_entries", variant);
  };
  const CheckResult right = run(chk_right___memmove_planted);
  EXPECT_EQ(right.status, CheckStatus::kPassed) << Text(right);
  EXPECT_THAT(Text(run(chk_off_by_one___memmove_planted)),
              HasSubstr("refuses a size that fits the object"));
  EXPECT_THAT(Text(run(chk_never___memmove_planted)),
              HasSubstr("accepts a size past the object"));
}

extern "C" void wide_right___memset_planted(void);
extern "C" void wide_even___memset_planted(void);
extern "C" void wide_28_bits___memset_planted(void);

TEST(WideEntriesTest, SetAsManyAsTheyAreTold) {
  const auto run = [](void (*function)(void)) {
    kernels::Variant variant = PlantedVariant("memset");
    variant.name = "__memset_planted";
    variant.address = reinterpret_cast<void*>(function);
    return Check("wide_entries", variant);
  };
  const CheckResult right = run(wide_right___memset_planted);
  EXPECT_EQ(right.status, CheckStatus::kPassed) << Text(right);
  EXPECT_GT(right.calls, 100);
  EXPECT_THAT(Text(run(wide_even___memset_planted)),
              HasSubstr("at wmemset's destination plus 0 is"));
  EXPECT_THAT(Text(run(wide_28_bits___memset_planted)),
              HasSubstr("wmemset of more than 4 GiB"));
}

TEST(RunnerTest, StopsWhereItIsTold) {
  const kernels::Variant wrong = PlantedVariant("clobbers_rbx");
  const std::vector<PlannedCheck> plan = {
      {&wrong, FindCheck("return_value"), Effort::kQuick},
      {&wrong, FindCheck("registers"), Effort::kQuick},
      {&wrong, FindCheck("zero_length"), Effort::kQuick}};
  RunOptions options;
  options.stop = [](const CheckResult& result) {
    return result.status == CheckStatus::kFailed;
  };
  const std::vector<CheckResult> results = RunPlan(plan, options);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[1].id, "registers");
}

TEST(RunnerTest, SeveralAtATimeGiveTheSameInTheSameOrder) {
  const kernels::Variant right = PlantedVariant("honest");
  const kernels::Variant wrong = PlantedVariant("clobbers_rbx");
  const kernels::Variant* variants[] = {&right, &wrong};
  RunOptions options;
  options.effort = Effort::kQuick;
  options.only = {"registers", "return_value", "zero_length"};
  std::vector<std::string> told;
  options.progress = [&](const CheckResult& result) {
    told.push_back(absl::StrCat(result.variant, ": ", result.id, ": ",
                                static_cast<int>(result.status)));
  };
  RunChecks(variants, options);
  const std::vector<std::string> one_by_one = std::move(told);
  told.clear();
  options.jobs = 3;
  RunChecks(variants, options);
  EXPECT_EQ(told, one_by_one);
  ASSERT_EQ(told.size(), 6u);
  EXPECT_EQ(told[3], "planted: clobbers_rbx: registers: 1");
}

TEST(RunnerTest, TimeLimitIsAFinding) {
  const kernels::Variant variant = PlantedVariant("honest");
  RunLimits limits;
  limits.time = absl::Milliseconds(20);
  limits.shrinking = absl::Milliseconds(1);
  const CheckResult result =
      RunCheck(*FindCheck("content"), {variant, Effort::kThorough}, limits);
  ASSERT_EQ(result.status, CheckStatus::kFailed);
  EXPECT_THAT(result.findings[0].what, HasSubstr("time limit"));
}

TEST(RunnerTest, ThresholdsOfThisProcessStayAsTheyAre) {
  planted_threshold = 12345;
  Check("content", PlantedVariant("honest"));
  EXPECT_EQ(planted_threshold, 12345u);
}

TEST(AllChecksTest, AreSortedAndDescribed) {
  const absl::Span<const CheckRow> rows = AllChecks();
  EXPECT_TRUE(std::is_sorted(
      rows.begin(), rows.end(),
      [](const CheckRow& a, const CheckRow& b) { return a.id < b.id; }));
  for (const CheckRow& row : rows) {
    EXPECT_FALSE(row.description.empty()) << row.id;
    EXPECT_GT(row.hang_seconds, 0) << row.id;
    EXPECT_EQ(FindCheck(row.id), &row);
  }
  EXPECT_EQ(FindCheck("no such"), nullptr);
}

}  // namespace
}  // namespace glibc_patches
