// Patches to this machine's glibc source, and what the judge makes of them.

#include "glibc_patches/thresholds/judge.h"

#include <cstdlib>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "advisor/host/clock.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/subprocess.h"
#include "glibc_patches/scratch_folder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace glibc_patches {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kSource[] = "../glibc_source";
constexpr char kThresholds[] = "sysdeps/x86/dl-cacheinfo.h";

class JudgeTest : public testing::Test {
 protected:
  void SetUp() override {
    // As packaged or as released.
    const char* const release = std::getenv("GLIBC_RELEASE");
    if (release == nullptr || std::string(release) != "2.36") {
      GTEST_SKIP() << "for glibc 2.36, found "
                   << (release == nullptr ? "none" : release);
    }
    auto scratch = ScratchFolder::Create(testing::TempDir());
    ASSERT_TRUE(scratch.ok()) << scratch.status();
    scratch_ = std::make_unique<ScratchFolder>(*std::move(scratch));
    for (const char* part : {"version.h", "sysdeps"}) {
      ASSERT_TRUE(CopyAll(absl::StrCat(kSource, "/", part),
                          absl::StrCat(Patched(), "/", part))
                      .ok());
    }
  }

  std::string Patched() const { return scratch_->path() + "/patched"; }

  // Replaces `from`, which must be there, in a file of the patched tree.
  void Replace(const std::string& file, const std::string& from,
               const std::string& to) {
    const std::string path = absl::StrCat(Patched(), "/", file);
    const std::string text = files_.Read(path).value();
    ASSERT_TRUE(absl::StrContains(text, from)) << from;
    ASSERT_TRUE(WriteFile(path, absl::StrReplaceAll(text, {{from, to}})).ok());
  }

  void Append(const std::string& file, const std::string& text) {
    const std::string path = absl::StrCat(Patched(), "/", file);
    ASSERT_TRUE(
        WriteFile(path, absl::StrCat(files_.Read(path).value(), text)).ok());
  }

  ThresholdResult Judge(const std::string& file) {
    ThresholdInput input;
    input.base = kSource;
    input.patched = Patched();
    input.release = "2.36";
    input.files = {file};
    input.root = ".";
    input.scratch = scratch_->path();
    auto result = JudgeThresholds(
        input, {files_, subprocess_, clock_, [](absl::string_view, double) {}});
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : ThresholdResult();
  }

  const advisor::RealFileReader files_{};
  const advisor::RealSubprocess subprocess_{};
  const advisor::RealClock clock_{};
  std::unique_ptr<ScratchFolder> scratch_;
};

TEST_F(JudgeTest, ACommentChangesNoCode) {
  Replace(kThresholds, "#define M(sc)", "/* One\n   more.  */\n#define M(sc)");
  Replace("sysdeps/x86/dl-tunables.list", "glibc {", "# More.\nglibc {");
  const ThresholdResult result = Judge(kThresholds);
  EXPECT_EQ(result.not_built, "");
  EXPECT_FALSE(result.code_differs);
  EXPECT_THAT(result.judged_files, ElementsAre(kThresholds));
}

TEST_F(JudgeTest, CodeWithoutEffectIsSeen) {
  Append(kThresholds, "int cacheinfo_answer (void) { return 42; }\n");
  const ThresholdResult result = Judge(kThresholds);
  EXPECT_TRUE(result.code_differs);
  EXPECT_GE(result.cpus, 67);
  EXPECT_GT(result.runs, 10 * result.cpus);
  EXPECT_THAT(result.rows, IsEmpty());
  EXPECT_THAT(result.faults, IsEmpty());
}

TEST_F(JudgeTest, WhatDoesNotCompileIsSaid) {
  Append(kThresholds, "#error no\n");
  const ThresholdResult result = Judge(kThresholds);
  EXPECT_THAT(result.not_built, testing::StartsWith(absl::StrCat(
                                    "the patched tree: ", kThresholds, ":")));
  EXPECT_THAT(result.not_built,
              AnyOf(HasSubstr("#error no"), HasSubstr("error: no")));
}

TEST_F(JudgeTest, AFileThatNothingIsMadeFromIsNamed) {
  const std::string file = "sysdeps/x86_64/multiarch/ifunc-impl-list.c";
  const ThresholdResult result = Judge(file);
  EXPECT_THAT(result.unused_files, ElementsAre(file));
  EXPECT_THAT(result.judged_files, IsEmpty());
}

TEST_F(JudgeTest, ADivisionByZeroIsAFaultOfTheCpusThatHaveIt) {
  // Only Intel's branch sets that size to 0.
  Replace(kThresholds, "0x4040;",
          "0x4040 + 2 / (3 * (int) cpu_features->level4_cache_size);");
  const ThresholdResult result = Judge(kThresholds);
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_EQ(result.faults[0].what,
            "start-up crashes: SIGFPE (a division by zero)");
  EXPECT_THAT(result.faults[0].cpus, Contains(HasSubstr("intel_")));
  EXPECT_THAT(result.faults[0].cpus,
              testing::Not(Contains(testing::StartsWith("amd_"))));
}

TEST_F(JudgeTest, AVariantThatTheCpuCannotRunIsAFault) {
  const std::string file = "sysdeps/x86_64/multiarch/ifunc-memmove.h";
  Replace(file, "cpu_features, RTM)", "cpu_features, SSE2)");
  const ThresholdResult result = Judge(file);
  ASSERT_FALSE(result.faults.empty());
  for (const ThresholdFault& fault : result.faults) {
    EXPECT_THAT(fault.what, HasSubstr("_rtm is selected on a CPU without RTM"));
  }
}

TEST_F(JudgeTest, AListsBoundIsSeenWithTheTunableSet) {
  const std::string file = "sysdeps/x86/dl-tunables.list";
  Replace(file, "minval: 1", "minval: 3");
  const ThresholdResult result = Judge(file);
  EXPECT_THAT(result.faults, IsEmpty());
  bool listed = false, refused = false;
  for (const ThresholdRow& row : result.rows) {
    for (const ThresholdChange& change : row.changes) {
      listed = listed ||
               (row.tunables.empty() &&
                change.name == "listed minimum of x86_rep_stosb_threshold" &&
                change.before == "1" && change.after == "3");
      refused = refused ||
                (change.name == "rep_stosb_threshold" &&
                 change.before == "as set" && change.after == "2048" &&
                 row.tunables == std::vector<std::string>{
                                     "glibc.cpu.x86_rep_stosb_threshold=1",
                                     "glibc.cpu.x86_rep_stosb_threshold=2"});
    }
  }
  EXPECT_TRUE(listed);
  EXPECT_TRUE(refused);
}

}  // namespace
}  // namespace glibc_patches
