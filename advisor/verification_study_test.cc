#include "advisor/verification_study.h"

#include <cmath>
#include <set>
#include <string>

#include "advisor/evidence/proof_study.h"
#include "advisor/render/golden.h"
#include "advisor/render/verification_report.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::kernels::Contrast;
using ::kernels::Study;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

EffectiveThresholds Thresholds(uint64_t rep_movsb, uint64_t non_temporal) {
  EffectiveThresholds thresholds;
  thresholds.non_temporal_threshold = non_temporal;
  thresholds.rep_movsb_threshold = rep_movsb;
  thresholds.rep_movsb_stop_threshold = non_temporal;
  thresholds.rep_stosb_threshold = 2048;
  return thresholds;
}

StringVerification Raised() {
  StringVerification verification;
  verification.string = "glibc.cpu.x86_rep_movsb_threshold=16384";
  verification.build = "2.36";
  verification.without = {"evex_unaligned_erms", "evex_unaligned_erms",
                          Thresholds(2112, 8 << 20)};
  verification.with = {"evex_unaligned_erms", "evex_unaligned_erms",
                       Thresholds(16384, 8 << 20)};
  return verification;
}

StringVerification Masked() {
  StringVerification verification = Raised();
  verification.string = "glibc.cpu.hwcaps=-AVX512VL";
  verification.with = verification.without;
  verification.with.memmove = "avx_unaligned_erms";
  verification.with.memset = "avx2_unaligned_erms";
  return verification;
}

// A study in which the string's side takes `ratio` of the time, give or take a
// thousandth, and the control as long as it takes.
Study StudyOf(const std::vector<Contrast>& contrasts, double ratio,
              double control = 1) {
  Study study;
  study.processes = 8;
  for (const Contrast& contrast : contrasts) {
    kernels::ContrastResult result;
    result.contrast = contrast;
    const bool is_control = contrast.candidate == kControlAgainSide;
    for (int process = 0; process < study.processes; ++process) {
      result.log_ratios.push_back(std::log(is_control ? control : ratio) +
                                  0.001 * (process % 3 - 1));
    }
    result.base_cycles = 100;
    result.candidate_cycles = 100 * ratio;
    study.results.push_back(result);
  }
  return study;
}

VerifyOutcome Judge(StringVerification verification, double ratio,
                    double control = 1) {
  const GlibcBuild build = GlibcBuild::Tag(36);
  JudgeStudy(
      StudyOf(VerifyContrasts(build, verification, 1 << 20, 2), ratio, control),
      build, verification);
  EXPECT_FALSE(verification.summary.empty());
  return verification.outcome;
}

TEST(VerifyContrasts, LieAroundWhatChanges) {
  const GlibcBuild build = GlibcBuild::Tag(36);
  const auto contrasts = VerifyContrasts(build, Raised(), 1 << 20, 2);
  std::set<uint64_t> sizes;
  for (const Contrast& contrast : contrasts) {
    EXPECT_FALSE(contrast.cell.is_memset);
    sizes.insert(contrast.cell.size);
  }
  ASSERT_FALSE(sizes.empty());
  EXPECT_LE(*sizes.begin(), 2112u);
  EXPECT_GE(*sizes.rbegin(), 16384u);
  EXPECT_LE(*sizes.rbegin(), 32769u);
  StringVerification nothing = Raised();
  nothing.with = nothing.without;
  EXPECT_THAT(VerifyContrasts(build, nothing, 1 << 20, 2), IsEmpty());
}

TEST(VerifyContrasts, HaveAllSizesForAMask) {
  std::set<bool> functions;
  std::set<uint64_t> sizes;
  for (const Contrast& contrast :
       VerifyContrasts(GlibcBuild::Tag(36), Masked(), 1 << 20, 2)) {
    functions.insert(contrast.cell.is_memset);
    sizes.insert(contrast.cell.size);
  }
  EXPECT_EQ(functions.size(), 2);
  EXPECT_LT(*sizes.begin(), 64u);
  EXPECT_GT(*sizes.rbegin(), 100000u);
}

TEST(JudgeStudy, TellsFasterSlowerAndEqual) {
  for (const StringVerification& verification : {Raised(), Masked()}) {
    SCOPED_TRACE(verification.string);
    EXPECT_EQ(Judge(verification, 0.8), VerifyOutcome::kHolds);
    EXPECT_EQ(Judge(verification, 1.2), VerifyOutcome::kHarmful);
    EXPECT_EQ(Judge(verification, 1.001), VerifyOutcome::kEqual);
    // The control differs from itself.
    EXPECT_EQ(Judge(verification, 0.9, 1.1), VerifyOutcome::kCannotTell);
  }
}

// The variant's sizes are measured, and none beyond the threshold.
TEST(JudgeStudy, CannotTellOfAThresholdBesideAMask) {
  StringVerification both = Masked();
  both.string =
      "glibc.cpu.hwcaps=-AVX512VL:glibc.cpu.x86_non_temporal_"
      "threshold=2097152";
  both.with.thresholds.non_temporal_threshold = 2 << 20;
  both.with.thresholds.rep_movsb_stop_threshold = 2 << 20;
  EXPECT_EQ(Judge(both, 0.8), VerifyOutcome::kCannotTell);
  EXPECT_EQ(Judge(both, 1.2), VerifyOutcome::kHarmful);
}

TEST(JudgeStudy, CannotTellFromOneProcess) {
  const GlibcBuild build = GlibcBuild::Tag(36);
  StringVerification verification = Raised();
  Study study = StudyOf(VerifyContrasts(build, verification, 1 << 20, 1), 0.5);
  study.processes = 1;
  for (kernels::ContrastResult& result : study.results) {
    result.log_ratios.resize(1);
  }
  JudgeStudy(study, build, verification);
  EXPECT_EQ(verification.outcome, VerifyOutcome::kCannotTell);
}

VerificationReport ReportOf(StringVerification string) {
  VerificationReport report;
  report.tool_version = "1.0";
  report.outcome = string.outcome;
  report.string = std::move(string);
  return report;
}

TEST(VerificationReport, PrintsWhatTheGoldenFilesHold) {
  const GlibcBuild build = GlibcBuild::Tag(36);
  StringVerification held = Raised();
  JudgeStudy(StudyOf(VerifyContrasts(build, held, 1 << 20, 2), 0.8), build,
             held);
  StringVerification dropped = Raised();
  dropped.outcome = VerifyOutcome::kDropped;
  dropped.dropped = {"glibc.cpu.x86_rep_movsb_threshold=1M: read as 1"};
  dropped.summary = "not taken: " + dropped.dropped[0];
  dropped.with = dropped.without;
  VerificationReport program = ReportOf(Masked());
  program.string.summary = "taken; not measured";
  program.string.not_measured = {"glibc.malloc.arena_max=2"};
  program.program = {"make", "-j2"};
  ProgramComparison& comparison = program.comparison.emplace();
  comparison.rounds = 30;
  comparison.wall = {0.951, 0.943, 0.96, 1.001,
                     0.998, 1.004, 1.25, CellVerdict::kFaster};
  comparison.cpu = {0.96,  0.95,  0.97, 1,
                    0.999, 1.001, 2.4,  CellVerdict::kFaster};
  comparison.end_without = comparison.end_with = "exit status 0";
  comparison.verdict = CellVerdict::kFaster;
  comparison.summary = "faster: 0.951 [0.943, 0.960] of the wall time";
  program.outcome = VerifyOutcome::kHolds;
  for (const auto& [name, report] :
       {std::make_pair("held", ReportOf(held)),
        std::make_pair("dropped", ReportOf(dropped)),
        std::make_pair("program", program)}) {
    const std::string path = std::string("testdata/golden/verify/") + name;
    ExpectGolden(path + ".txt", RenderVerificationText(report, 80));
    ExpectGolden(path + ".json", RenderVerificationJson(report));
  }
}

}  // namespace
}  // namespace advisor
