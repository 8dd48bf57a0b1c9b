#include "glibc_patches/verdict.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>

#include "absl/strings/str_split.h"
#include "advisor/host/file_reader.h"
#include "glibc_patches/verdict_renderer.h"
#include "glibc_patches/verdict_samples.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace glibc_patches {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(VerdictTest, AcceptsWhatPassesAndIsNoSlower) {
  Verdict verdict = SampleAccept();
  Decide(verdict);
  EXPECT_EQ(verdict.decision, Decision::kAccept);
  EXPECT_THAT(verdict.reasons,
              ElementsAre("no check of 2 changed variants fails, and none of 2 "
                          "cells that matter for the workload service is "
                          "slower by more than 5 %"));
  EXPECT_THAT(verdict.evidence, IsEmpty());
}

TEST(VerdictTest, CodeThatIsTheSameNeedsNoRun) {
  Verdict verdict;
  verdict.files.kernel_files = {"sysdeps/x86_64/multiarch/memset-erms.S"};
  Decide(verdict);
  EXPECT_EQ(verdict.decision, Decision::kAccept);
  EXPECT_THAT(verdict.reasons[0], HasSubstr("same, byte for byte"));
}

TEST(VerdictTest, RejectsAFailedCheckWithTheCallThatShowsIt) {
  Verdict verdict = SampleWrong();
  Decide(verdict);
  EXPECT_EQ(verdict.decision, Decision::kReject);
  EXPECT_THAT(verdict.reasons[0],
              HasSubstr("wrong: 1 check of a variant fails"));
  EXPECT_THAT(verdict.evidence[0],
              StartsWith("patched: __memset_evex_unaligned_erms: content: byte "
                         "31 of the destination is 0xa7, expected 0x00; call: "
                         "size 32"));
  // The base does the same: no fault of the patch.
  verdict.base_failures = {CheckKey(verdict.checks[0])};
  Decide(verdict);
  EXPECT_EQ(verdict.decision, Decision::kAccept);
}

TEST(VerdictTest, WhatIsLeftBesideTheBaseIsThePatchsOwn) {
  CheckResult failed = SampleWrong().checks[0];
  CheckResult beside_base = failed;
  beside_base.findings[0].what = "another fault";
  beside_base.wrong_in_base = 3;
  EXPECT_TRUE(KeepOwnFaults(beside_base, failed));
  EXPECT_EQ(failed.findings[0].what, "another fault");

  beside_base.status = CheckStatus::kPassed;
  beside_base.findings.clear();
  beside_base.notes = {"3 calls or places are wrong in the base too"};
  EXPECT_FALSE(KeepOwnFaults(beside_base, failed));
  EXPECT_EQ(failed.status, CheckStatus::kFailed);
  EXPECT_EQ(failed.notes, beside_base.notes);
  // Not shown again, but no fault of the base either.
  beside_base.wrong_in_base = 0;
  EXPECT_TRUE(KeepOwnFaults(beside_base, failed));
}

TEST(VerdictTest, RejectsASlowdownBeyondWhatIsTolerated) {
  Verdict verdict = SampleSlower();
  Decide(verdict);
  EXPECT_EQ(verdict.decision, Decision::kReject);
  EXPECT_THAT(verdict.reasons[0],
              HasSubstr("1 cell of 2 by more than 5 %, the worst by +12.0 %"));
  EXPECT_THAT(verdict.evidence[0], HasSubstr("1536 bytes"));
  // A real slowdown, but a small one.
  verdict.speed->cells[1].interval = {0.030, 0.035, 0.040};
  verdict.speed->cells[1].excludes_regression = true;
  Decide(verdict);
  EXPECT_EQ(verdict.decision, Decision::kAccept);
}

TEST(VerdictTest, NamesASlowdownWithoutWeight) {
  Verdict verdict = SampleSlowerWithoutWeight();
  Decide(verdict);
  EXPECT_EQ(verdict.decision, Decision::kAccept);
  EXPECT_THAT(verdict.evidence, IsEmpty());
  ASSERT_EQ(verdict.slower_without_weight.size(), 1u);
  EXPECT_THAT(verdict.slower_without_weight[0], HasSubstr("1536 bytes"));
  const std::string text = RenderText(verdict);
  EXPECT_THAT(text,
              HasSubstr("slower, but without weight in the workload service:\n"
                        "  - __memset_evex_unaligned_erms, 1536 bytes"));
  EXPECT_THAT(text, HasSubstr("all memset, evex_unaligned_erms: +0.0 % [-0.2 "
                              "%, +0.2 %], same;"));
  EXPECT_THAT(RenderJunit(verdict), Not(HasSubstr("<failure")));
  EXPECT_THAT(RenderJunit(SampleSlower()), HasSubstr("<failure"));
}

// A patch to threshold code alone.
Verdict ThresholdsOnly() {
  Verdict verdict;
  verdict.patches = {"a.patch"};
  verdict.release = "2.36";
  verdict.files.threshold_files = {"sysdeps/x86/dl-cacheinfo.h"};
  verdict.thresholds = SampleThresholdFault().thresholds;
  verdict.thresholds->faults.clear();
  return verdict;
}

TEST(VerdictTest, RejectsThresholdsThatTheBaseHasNot) {
  Verdict verdict = SampleThresholdFault();
  Decide(verdict);
  EXPECT_EQ(verdict.decision, Decision::kReject);
  EXPECT_THAT(verdict.reasons,
              ElementsAre("the patched threshold code is wrong on 1 CPU of 67 "
                          "where the base is not"));
  EXPECT_THAT(verdict.evidence,
              ElementsAre("copies of 257 to 16447 bytes corrupt memory: "
                          "non_temporal_threshold is 0, the floor of the paged "
                          "copy 16448 (gvisor_intel)"));
}

TEST(VerdictTest, AcceptsOtherThresholdsWithTheTable) {
  Verdict verdict = ThresholdsOnly();
  Decide(verdict);
  EXPECT_EQ(verdict.decision, Decision::kAccept);
  EXPECT_THAT(verdict.reasons, ElementsAre(HasSubstr("6 CPUs change")));
  const std::string text = RenderText(verdict);
  EXPECT_THAT(text, HasSubstr("  5 CPUs: amd_a, amd_b, amd_c and 2 more\n"
                              "    memmove: __memmove_avx_unaligned -> "
                              "__memmove_ssse3\n"
                              "    shared_cache_size: 1048576 (1 MiB) -> "
                              "25165824 (24 MiB)\n"));
  EXPECT_THAT(text, HasSubstr("with "
                              "glibc.cpu.x86_rep_stosb_threshold=1, 2\n"
                              "    rep_stosb_threshold: as set -> 2048\n"));
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    EXPECT_LE(line.size(), 80u) << line;
  }
}

TEST(VerdictTest, ThresholdCodeThatIsTheSameIsAccepted) {
  Verdict verdict = ThresholdsOnly();
  verdict.thresholds->rows.clear();
  verdict.thresholds->code_differs = false;
  Decide(verdict);
  EXPECT_EQ(verdict.decision, Decision::kAccept);
  // Unless the patch is for something.
  verdict.claim = Claim::kChange;
  Decide(verdict);
  EXPECT_EQ(verdict.decision, Decision::kReject);
}

TEST(VerdictTest, ThresholdCodeWithoutEffectIsWhatItClaims) {
  Verdict verdict = ThresholdsOnly();
  verdict.thresholds->rows.clear();
  Decide(verdict);
  EXPECT_EQ(verdict.decision, Decision::kInconclusive);
  EXPECT_THAT(verdict.reasons[0], HasSubstr("nothing changes on any of 67"));
  verdict.claim = Claim::kChange;
  Decide(verdict);
  EXPECT_EQ(verdict.decision, Decision::kReject);
  verdict.claim = Claim::kNoChange;
  Decide(verdict);
  EXPECT_EQ(verdict.decision, Decision::kAccept);
  // An effect that nobody wants.
  verdict = ThresholdsOnly();
  verdict.claim = Claim::kNoChange;
  Decide(verdict);
  EXPECT_EQ(verdict.decision, Decision::kReject);
}

TEST(VerdictTest, ThresholdCodeThatDoesNotCompileIsNeverAccepted) {
  Verdict verdict = ThresholdsOnly();
  verdict.thresholds = ThresholdResult();
  verdict.thresholds->not_built = "the base: x.h:1: error: unknown type";
  for (const Claim claim : {Claim::kNone, Claim::kChange, Claim::kNoChange}) {
    verdict.claim = claim;
    Decide(verdict);
    EXPECT_EQ(verdict.decision, Decision::kInconclusive);
    EXPECT_THAT(verdict.reasons, ElementsAre(HasSubstr("unknown type")));
  }
}

TEST(VerdictTest, AThresholdFileThatNothingIsMadeFromLeavesItOpen) {
  Verdict verdict = ThresholdsOnly();
  verdict.thresholds->unused_files = {"sysdeps/x86/new.c"};
  Decide(verdict);
  EXPECT_EQ(verdict.decision, Decision::kInconclusive);
  verdict.thresholds->unused_files.clear();
  verdict.thresholds->not_run = 1;
  Decide(verdict);
  EXPECT_EQ(verdict.decision, Decision::kInconclusive);
}

TEST(VerdictTest, WhatWasNotJudgedLeavesItOpen) {
  Verdict threshold = SampleAccept();
  threshold.files.threshold_files = {"sysdeps/x86/dl-cacheinfo.h"};
  Verdict unused = SampleAccept();
  unused.unused_files = {"sysdeps/x86_64/memmove.S"};
  Verdict nothing_ran = SampleAccept();
  nothing_ran.skipped = {{"a", "needs AVX512VL"}, {"b", "needs AVX512VL"}};
  // Right under an emulator, but how fast?
  Verdict emulated = SampleAccept();
  emulated.skipped = {{"a", "needs AVX512VL"}};
  emulated.unmeasured = {{"b", "needs AVX2: checked under qemu-x86_64"}};
  emulated.speed = std::nullopt;
  Verdict unlisted = SampleAccept();
  unlisted.unlisted = {"function __memmove_new"};
  Verdict noisy = SampleAccept();
  noisy.speed->cells[0].judgement = SpeedJudgement::kCannotTell;
  noisy.speed->cells[0].excludes_regression = false;
  Verdict broken_off = SampleAccept();
  broken_off.speed = std::nullopt;
  broken_off.speed_failure = "validate_patch: killed by SIGSEGV";
  for (Verdict* verdict : {&threshold, &unused, &nothing_ran, &emulated,
                           &unlisted, &noisy, &broken_off}) {
    Decide(*verdict);
    EXPECT_EQ(verdict->decision, Decision::kInconclusive);
    EXPECT_EQ(verdict->reasons.size(), 1u);
  }
  // What is wrong is wrong, whatever else is open.
  Verdict wrong = SampleWrong();
  wrong.files.threshold_files = {"sysdeps/x86/dl-cacheinfo.h"};
  Decide(wrong);
  EXPECT_EQ(wrong.decision, Decision::kReject);
}

TEST(VerdictRendererTest, TextEndsWithTheVerdict) {
  Verdict verdict = SampleSlower();
  Decide(verdict);
  const std::string text = RenderText(verdict);
  EXPECT_THAT(text, HasSubstr("\nverdict: reject\n"));
  EXPECT_THAT(text, HasSubstr("slower  +12.0 % [+11.0 %, +13.0 %]"));
  EXPECT_THAT(text, HasSubstr("not judged, not covered: NEWS\n"));
  EXPECT_THAT(text, HasSubstr("not measured: __memset_avx512_unaligned_erms: "
                              "needs AVX512VL: checked under qemu-x86_64"));
}

// verdict_schema_test.py holds these files to the schema. What they should be
// is left in the test's undeclared outputs.
TEST(VerdictRendererTest, JsonIsWhatTheSamplesSay) {
  for (auto& [name, verdict] : SampleVerdicts()) {
    Decide(verdict);
    const std::string json = RenderJson(verdict);
    const auto golden = advisor::RealFileReader().Read("glibc_patches/golden/" +
                                                       name + ".json");
    ASSERT_TRUE(golden.ok()) << golden.status();
    EXPECT_EQ(json, *golden);
    if (const char* outputs = getenv("TEST_UNDECLARED_OUTPUTS_DIR")) {
      std::ofstream(std::string(outputs) + "/" + name + ".json") << json;
    }
  }
}

TEST(VerdictRendererTest, JunitHasACaseForEachCheckAndVariant) {
  Verdict verdict = SampleWrong();
  Decide(verdict);
  const std::string junit = RenderJunit(verdict);
  EXPECT_THAT(junit, HasSubstr("<testcase classname=\"patched: "
                               "__memset_evex_unaligned_erms\" "
                               "name=\"content\""));
  EXPECT_THAT(junit, HasSubstr("<failure message="));
  EXPECT_THAT(RenderJunit(SampleAccept()), Not(HasSubstr("<failure")));
}

}  // namespace
}  // namespace glibc_patches
