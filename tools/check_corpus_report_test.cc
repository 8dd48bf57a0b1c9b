#include "tools/check_corpus_report.h"

#include <sstream>

#include "absl/strings/str_cat.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/installed_libc.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kLoader[] = "/lib64/ld-linux-x86-64.so.2";
constexpr char kMilan[] =
    "testdata/cpuid/amd_19-01-01_epyc-milan_qemu-tcg_qemu72-tcg-epyc-milan.txt";

TEST(FilesUnderTest, WalksFolders) {
  const FakeFileReader files({{"/d/b", ""}, {"/d/a/x", ""}, {"/e", ""}});
  EXPECT_THAT(FilesUnder(files, "/d/"), ElementsAre("/d/a/x", "/d/b"));
  EXPECT_THAT(FilesUnder(files, "/e"), ElementsAre("/e"));
}

class CheckCorpusTest : public testing::Test {
 protected:
  void SetUp() override {
    auto replay = LoaderReplay::Create(RealFileReader(), kLoader);
    if (!replay.ok()) GTEST_SKIP() << replay.status();
    const auto tried = replay->Run(ReadNativeCpuid());
    if (absl::IsPermissionDenied(tried.status())) {
      GTEST_SKIP() << tried.status();
    }
    if (tried.ok() && !tried->diagnostics.has_value()) {
      GTEST_SKIP() << "the loader has no --list-diagnostics";
    }
    replay_ = *std::move(replay);
  }

  CorpusReport Check(const FileReader& files,
                     const std::vector<std::string>& paths,
                     const GlibcBuild& build) {
    return CheckCorpus(files, paths, *replay_, build, "", out_,
                       [this](absl::string_view message) {
                         absl::StrAppend(&errors_, message, "\n");
                       });
  }

  std::optional<LoaderReplay> replay_;
  std::ostringstream out_;
  std::string errors_;
};

TEST_F(CheckCorpusTest, AgreesWithTheLoadersOwnBuild) {
  const auto banner = FindLibcBanner(RealFileReader().Read(kLoader).value());
  if (!banner.has_value() || !banner->revision.has_value()) {
    GTEST_SKIP() << "the loader does not tell its package revision";
  }
  const auto build = ParseGlibcBuild(*banner->revision);
  if (!build.ok() || !build->certain()) GTEST_SKIP() << "unknown revision";
  const CorpusReport report = Check(RealFileReader(), {kMilan}, *build);
  EXPECT_EQ(report.cpus, 1);
  EXPECT_EQ(report.differing, 0) << out_.str();
  EXPECT_EQ(report.unusable, 0) << errors_;
}

TEST_F(CheckCorpusTest, PrintsBothSidesOfADisagreement) {
  // No loader that can be asked computes what 2.26 did.
  const CorpusReport report =
      Check(RealFileReader(), {kMilan}, GlibcBuild::Tag(26));
  EXPECT_EQ(report.differing, 1);
  EXPECT_THAT(out_.str(), HasSubstr("non_temporal_threshold: model "));
  EXPECT_THAT(out_.str(), HasSubstr("\n  model:\n    "));
  EXPECT_THAT(out_.str(), HasSubstr("\n  loader:\n    basic.kind=0x2\n"));
}

TEST_F(CheckCorpusTest, ReportsFilesThatAreNoDump) {
  FakeFileReader files;
  files.Add("/notes", "hello\n");
  const CorpusReport report =
      Check(files, {"/notes", "/none"}, GlibcBuild::Tag(36));
  EXPECT_EQ(report.cpus, 0);
  EXPECT_EQ(report.unusable, 2);
  EXPECT_THAT(errors_, HasSubstr("/notes:1: expected"));
  EXPECT_THAT(errors_, HasSubstr("/none"));
}

}  // namespace
}  // namespace advisor
