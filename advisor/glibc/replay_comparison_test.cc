#include "advisor/glibc/replay_comparison.h"

#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advisor/cpu/cpuid_dump.h"
#include "advisor/glibc/installed_libc.h"
#include "advisor/glibc/replay.h"
#include "advisor/host/file_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::IsEmpty;

constexpr char kLoader[] = "/lib64/ld-linux-x86-64.so.2";

std::string Describe(const ReplayComparison& comparison) {
  std::string text;
  for (const ReplayDifference& difference : comparison.differences) {
    absl::StrAppend(&text, difference.name, ": model ", difference.predicted,
                    ", loader ", difference.replayed, "\n");
  }
  return text;
}

std::vector<std::string> DumpPaths() {
  std::vector<std::string> paths;
  for (const char* folder : {"testdata/cpuid/", "testdata/cpuid/field/"}) {
    const auto names = RealFileReader().List(folder);
    EXPECT_TRUE(names.ok()) << names.status();
    if (!names.ok()) continue;
    for (const std::string& name : *names) {
      if (absl::EndsWith(name, ".txt")) {
        paths.push_back(absl::StrCat(folder, name));
      }
    }
  }
  return paths;
}

CpuidTable ReadDump(absl::string_view path) {
  const std::string text = RealFileReader().Read(path).value();
  return ParseCpuidDump(text, path).value().cpus.at(0);
}

// The loader of this machine and what the model holds it for.
class ModelAndLoaderTest : public testing::Test {
 protected:
  void SetUp() override {
    const RealFileReader files;
    const auto libc = FindInstalledLibc(files, Environment());
    if (!libc.ok()) GTEST_SKIP() << libc.status();
    if (!libc->banner.has_value() || !libc->banner->revision.has_value()) {
      GTEST_SKIP() << "the loader does not tell its package revision";
    }
    const auto build = ParseGlibcBuild(*libc->banner->revision);
    if (!build.ok()) GTEST_SKIP() << build.status();
    if (!build->certain()) GTEST_SKIP() << build->note();
    const auto replay = LoaderReplay::Create(files, kLoader);
    if (!replay.ok()) GTEST_SKIP() << replay.status();
    const auto tried = replay->Run(ReadNativeCpuid());
    if (absl::IsPermissionDenied(tried.status())) {
      GTEST_SKIP() << tried.status();
    }
    build_ = *build;
    replay_ = *replay;
  }

  ReplayComparison Compare(const CpuidSource& cpu,
                           const std::string& glibc_tunables) const {
    ReplayOptions options;
    options.glibc_tunables = glibc_tunables;
    const auto replayed = replay_->Run(cpu, options);
    EXPECT_TRUE(replayed.ok()) << replayed.status();
    if (!replayed.ok() || !replayed->diagnostics.has_value()) return {};
    const auto diagnostics =
        ParseDiagnosticsListing(*replayed->diagnostics, "diagnostics");
    const auto tunables = ParseTunablesListing(replayed->tunables, "tunables");
    EXPECT_TRUE(diagnostics.ok()) << diagnostics.status();
    EXPECT_TRUE(tunables.ok()) << tunables.status();
    return CompareWithListings(*build_, Predict(cpu, *build_, glibc_tunables),
                               *diagnostics, *tunables);
  }

  std::optional<GlibcBuild> build_;
  std::optional<LoaderReplay> replay_;
};

TEST_F(ModelAndLoaderTest, AgreeOnEveryDump) {
  const std::vector<std::string> paths = DumpPaths();
  ASSERT_GE(paths.size(), 49u);
  int values = 0;
  for (const std::string& path : paths) {
    const ReplayComparison comparison = Compare(ReadDump(path), "");
    EXPECT_THAT(comparison.differences, IsEmpty()) << path << "\n"
                                                   << Describe(comparison);
    EXPECT_GT(comparison.compared, 40) << path;
    values += comparison.compared;
  }
  std::cout << paths.size() << " dumps, " << values << " values, build "
            << build_->name() << "\n";
}

TEST_F(ModelAndLoaderTest, AgreeUnderTunables) {
  const std::vector<std::string> paths = DumpPaths();
  for (const char* tunables : {
           "glibc.cpu.hwcaps=-ERMS,-AVX2,-AVX512F",
           "glibc.cpu.hwcaps=-XSAVE,-XSAVEC,Prefer_ERMS",
           "glibc.cpu.x86_non_temporal_threshold=0x1000",
           "glibc.cpu.x86_non_temporal_threshold=0x123456:"
           "glibc.cpu.x86_rep_movsb_threshold=4294967296",
           "glibc.cpu.x86_shared_cache_size=0x200000:"
           "glibc.cpu.x86_data_cache_size=1",
           "glibc.cpu.x86_rep_stosb_threshold=100k:"
           "glibc.cpu.x86_rep_movsb_threshold=64",
       }) {
    for (size_t i = 0; i < paths.size(); i += 5) {
      const ReplayComparison comparison = Compare(ReadDump(paths[i]), tunables);
      EXPECT_THAT(comparison.differences, IsEmpty())
          << paths[i] << " " << tunables << "\n"
          << Describe(comparison);
    }
  }
}

TEST_F(ModelAndLoaderTest, AgreeOnThisCpu) {
  const ReplayComparison comparison = Compare(ReadNativeCpuid(), "");
  EXPECT_THAT(comparison.differences, IsEmpty()) << Describe(comparison);
}

// Anywhere: a recorded listing, and the CPUID dump at its own end.
TEST(ReplayComparisonTest, SeesWhatDiffers) {
  const std::string folder =
      "testdata/listings/debian-2.41-12+deb13u5_emerald-rapids-guest.";
  const RealFileReader files;
  const auto diagnostics = ParseDiagnosticsListing(
      files.Read(folder + "diagnostics.txt").value(), "diagnostics");
  const auto tunables = ParseTunablesListing(
      files.Read(folder + "tunables.txt").value(), "tunables");
  ASSERT_TRUE(diagnostics.ok()) << diagnostics.status();
  ASSERT_TRUE(tunables.ok()) << tunables.status();
  const CpuidTable& cpu = diagnostics->processors.at(0).cpuid;
  const GlibcBuild branch = GlibcBuild::BranchTip(41);
  const ReplayComparison same = CompareWithListings(
      branch, Predict(cpu, branch), *diagnostics, *tunables);
  EXPECT_THAT(same.differences, IsEmpty()) << Describe(same);
  EXPECT_GT(same.compared, 60);

  DiagnosticsListing changed = *diagnostics;
  ++changed.x86["rep_movsb_stop_threshold"];
  changed.preferred["Prefer_ERMS"] = true;
  changed.features[1].active[1].value() ^= 1 << 5;  // AVX2
  const ReplayComparison different =
      CompareWithListings(branch, Predict(cpu, branch), changed, *tunables);
  EXPECT_EQ(Describe(different),
            "active AVX2: model 0x1, loader 0x0\n"
            "preferred.Prefer_ERMS: model 0x0, loader 0x1\n"
            "rep_movsb_stop_threshold: model 0x8300000, loader 0x8300001\n");
}

}  // namespace
}  // namespace advisor
