// The tree's own code, as a probe runs it, against everything else that says
// what it computes: this machine's loader, and the model.

#include "glibc_patches/thresholds/probe.h"

#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/installed_libc.h"
#include "advisor/glibc/prediction.h"
#include "advisor/host/environment.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/subprocess.h"
#include "glibc_patches/thresholds/model_comparison.h"
#include "glibc_patches/thresholds/testing.h"
#include "gtest/gtest.h"

namespace glibc_patches {
namespace {

using ::advisor::CpuidTable;
using ::advisor::RealFileReader;

// Of the source that the probe was built from; "" where there is none.
std::string SourceRevision() {
  const char* const text = std::getenv("GLIBC_SOURCE_REVISION");
  return text == nullptr ? "" : text;
}

class BaseProbe : public testing::Test {
 protected:
  void SetUp() override {
    if (!RealFileReader().Read(kBaseProbe).ok()) {
      GTEST_SKIP() << "no glibc source on this machine";
    }
    probe_ = Probe::Load(kBaseProbe);
    ASSERT_TRUE(probe_.ok()) << probe_.status();
  }

  absl::StatusOr<Probe> probe_ = absl::UnknownError("not loaded");
};

// A tunable, then masks: the values that the list's bounds and the run-time
// bounds (0x4040, 8 vectors) let through, and those that they do not.
const std::vector<ProbeTunables>& Settings() {
  static auto& settings = *new std::vector<ProbeTunables>{
      {},
      {{"x86_non_temporal_threshold", "16448"}},
      {{"x86_non_temporal_threshold", "0x4041"}},
      {{"x86_non_temporal_threshold", "0xfffffffffffffff"}},
      {{"x86_non_temporal_threshold", "0x1000000000000000"}},
      {{"x86_rep_movsb_threshold", "0"}},
      {{"x86_rep_movsb_threshold", "256"}},
      {{"x86_rep_movsb_threshold", "257"}},
      {{"x86_rep_movsb_threshold", "513"}},
      {{"x86_rep_movsb_threshold", "4294967296"}},
      {{"x86_rep_stosb_threshold", "0"}},
      {{"x86_rep_stosb_threshold", "1"}},
      {{"x86_data_cache_size", "300"}},
      {{"x86_data_cache_size", "255"}},
      {{"x86_shared_cache_size", "5000000"}},
      {{"x86_memset_non_temporal_threshold", "16449"}},
      {{"hwcaps", "-AVX512F,-AVX2,-ERMS"}},
      {{"hwcaps", "-AVX_Fast_Unaligned_Load,-AVX512VL"}},
      {{"hwcaps", "Prefer_ERMS"}},
      {{"hwcaps", "-XSAVEC,-XSAVE,-HTT"}},
      {{"hwcaps", "-SSSE3,-RTM,Prefer_No_VZEROUPPER"}},
  };
  return settings;
}

std::string TextOf(const ProbeTunables& tunables,
                   const advisor::GlibcBuild& build) {
  return absl::StrJoin(tunables, ":",
                       [&](std::string* out, const auto& tunable) {
                         absl::StrAppend(out, build.tunable_namespace(),
                                         tunable.first, "=", tunable.second);
                       });
}

// On every dump and setting; adds to `compared`.
void ExpectModelAgrees(const Probe& probe, const advisor::GlibcBuild& build,
                       int& compared) {
  int differing = 0;
  for (const auto& [path, cpu] : AllDumps()) {
    for (const ProbeTunables& tunables : Settings()) {
      const std::string text = TextOf(tunables, build);
      const ModelComparison comparison = CompareWithModel(
          build,
          advisor::Predict(cpu, build, text, advisor::Reasoning::kOmitted),
          probe.Run(cpu, tunables));
      compared += comparison.compared;
      if (!comparison.differences.empty() && ++differing > 20) {
        FAIL() << build.name() << ": more than 20 runs differ";
      }
      EXPECT_EQ(absl::StrJoin(comparison.differences, "; "), "")
          << build.name() << ", " << path << ", " << text;
    }
  }
}

TEST_F(BaseProbe, AgreesWithTheModelOnEveryDump) {
  const auto build = advisor::ParseGlibcBuild(SourceRevision());
  if (!build.ok()) GTEST_SKIP() << build.status().message();
  if (!build->certain()) {
    GTEST_SKIP() << "the model only guesses " << build->name();
  }
  int compared = 0;
  ExpectModelAgrees(*probe_, *build, compared);
  std::cout << compared << " values compared with the model of "
            << build->name() << "\n";
  EXPECT_GT(compared, 10000);
}

// The loader that runs this test, with the CPUID of this processor: every
// tunable, size, threshold and flag that it lists.
TEST_F(BaseProbe, AgreesWithThisMachinesLoader) {
  const RealFileReader files;
  const auto libc =
      advisor::FindInstalledLibc(files, advisor::Environment::OfThisProcess());
  ASSERT_TRUE(libc.ok()) << libc.status();
  const std::string installed =
      libc->banner ? libc->banner->revision.value_or("") : "";
  if (installed.empty() || installed != SourceRevision()) {
    GTEST_SKIP() << "the source is " << SourceRevision()
                 << ", the installed libc is " << installed;
  }
  const auto answer = advisor::AskLoader(
      advisor::RealSubprocess(), libc->loader_path,
      advisor::Environment::OfThisProcess().Without("GLIBC_TUNABLES"));
  ASSERT_TRUE(answer.ok()) << answer.status();
  ASSERT_TRUE(answer->diagnostics.has_value());
  const ProbeRun run = probe_->Run(advisor::ReadNativeCpuid(), {});
  ASSERT_EQ(run.end, ProbeEnd::kAnswered) << run.what;
  int compared = 0;
  for (const auto& [name, value] : ParseProbeLines(run.lines)) {
    std::optional<uint64_t> listed;
    absl::string_view key = name;
    if (absl::ConsumePrefix(&key, "tunable.")) {
      absl::string_view part;
      for (const char* suffix : {".min", ".max"}) {
        if (absl::ConsumeSuffix(&key, suffix)) part = suffix;
      }
      const auto& all = answer->tunables.tunables;
      const auto row = all.find(absl::StrCat("glibc.cpu.", key));
      const auto* const size =
          row == all.end() ? nullptr
                           : std::get_if<advisor::SizeTunable>(&row->second);
      if (size == nullptr) continue;
      listed = part.empty()     ? size->value
               : part == ".min" ? size->min
                                : size->max;
    } else if (absl::ConsumePrefix(&key, "preferred.")) {
      const auto& all = answer->diagnostics->preferred;
      const auto flag = all.find(std::string(key));
      if (flag != all.end()) listed = flag->second ? 1 : 0;
    } else {
      listed = answer->diagnostics->X86(name);
    }
    if (!listed.has_value()) continue;
    ++compared;
    EXPECT_EQ(value, absl::StrCat(*listed)) << name;
  }
  std::cout << compared << " values compared with " << libc->loader_path
            << "\n";
  EXPECT_GE(compared, 40);
}

advisor::CommandResult RunCommand(std::vector<std::string> argv) {
  advisor::Command command;
  command.argv = std::move(argv);
  command.environment = advisor::Environment::OfThisProcess();
  command.time_limit = absl::Minutes(5);
  command.output_limit = size_t{64} << 20;
  command.file_limit = advisor::kBuildFileLimit;
  const auto result = advisor::RealSubprocess().Run(command);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *result : advisor::CommandResult();
}

// Puts the files of a tag into `folder`, of the clone of glibc that the history
// is. False without that tag.
bool CheckOut(const std::string& history, const std::string& tag,
              const std::string& folder) {
  const std::string tar = folder + ".tar";
  return RunCommand({"/usr/bin/env", "git", "-C", history, "archive",
                     "--format=tar", "--output=" + tar, tag, "version.h",
                     "sysdeps/x86", "sysdeps/x86_64", "sysdeps/generic"})
             .succeeded() &&
         RunCommand({"/usr/bin/env", "mkdir", "-p", folder}).succeeded() &&
         RunCommand({"/usr/bin/env", "tar", "--extract", "--file=" + tar,
                     "--directory=" + folder})
             .succeeded();
}

// Built of `source` with `environment` ("NAME=VALUE") in `out`.
absl::StatusOr<Probe> BuildAndLoad(const std::string& source,
                                   const std::string& out,
                                   const std::string& environment) {
  const auto built = RunCommand(
      {"/usr/bin/env", environment, "glibc_patches/thresholds/build_probe.sh",
       source, out, "glibc_patches/thresholds/probe"});
  if (!built.succeeded()) return absl::InternalError(built.standard_error);
  return Probe::Load(out + "/probe.so");
}

// On every dump, all values but whether CET itself is usable; adds to
// `compared`.
void ExpectCetChangesNothing(const Probe& without, const Probe& with,
                             const std::string& release, int& compared) {
  for (const auto& [path, cpu] : AllDumps()) {
    const ProbeValues before = ParseProbeLines(without.Run(cpu, {}).lines);
    const ProbeValues after = ParseProbeLines(with.Run(cpu, {}).lines);
    EXPECT_EQ(before.size(), after.size()) << release << ", " << path;
    for (const auto& [name, value] : before) {
      if (name == "usable.IBT" || name == "usable.SHSTK") continue;
      const auto other = after.find(name);
      ASSERT_NE(other, after.end()) << release << ", " << path << ", " << name;
      EXPECT_EQ(value, other->second)
          << release << ", " << path << ", " << name;
      ++compared;
    }
  }
}

TEST(Releases, AgreeWithTheModelOnEveryDump) {
  const auto history =
      advisor::Environment::OfThisProcess().Get("GLIBC_HISTORY");
  if (!history.has_value() || history->empty()) {
    GTEST_SKIP() << "no $GLIBC_HISTORY names a clone of glibc";
  }
  const std::string scratch = testing::TempDir();
  int with_cet = 0;
  int compared = 0, releases = 0;
  for (int number = advisor::kFirstRelease; number <= advisor::kLastRelease;
       ++number) {
    const auto build = advisor::GlibcBuild::Tag(number);
    const std::string source = absl::StrCat(scratch, "/source_", build.name());
    if (!CheckOut(*history, "glibc-" + build.name(), source)) {
      GTEST_SKIP() << *history << " has no tag glibc-" << build.name();
    }
    const std::string out = absl::StrCat(scratch, "/probe_", build.name());
    const auto probe = BuildAndLoad(source, out, "PROBE_CET=");
    ASSERT_TRUE(probe.ok()) << probe.status();
    ExpectModelAgrees(*probe, build, compared);
    // CET and the kernel's word that both parts of it are on.
    const auto cet = BuildAndLoad(source, out + "_cet", "PROBE_CET=3");
    ASSERT_TRUE(cet.ok()) << cet.status();
    ExpectCetChangesNothing(*probe, *cet, build.name(), with_cet);
    ++releases;
  }
  std::cout << compared << " values of " << releases
            << " releases compared with the model, " << with_cet
            << " with a build with CET\n";
}

TEST_F(BaseProbe, AnEndlessLeafIsAHang) {
  // Zhaoxin with HTT and a leaf 4 that never tells of level 2.
  CpuidTable cpu;
  cpu.Set(0, 0, {7, 0x746e6543, 0x736c7561, 0x48727561});  // CentaurHauls
  cpu.Set(1, 0, {0x6f0, 0x00040000, 0, uint32_t{1} << 28});
  cpu.Set(4, 0, {0x21, 0x01c0003f, 63, 0});
  const ProbeRun run = probe_->Run(cpu, {});
  EXPECT_EQ(run.end, ProbeEnd::kHung) << run.lines;
  EXPECT_EQ(run.what, "asks CPUID without end (leaf 0x4)");
  // With level 2 it ends.
  cpu.Set(4, 1, {0x43, 0x01c0003f, 1023, 0});
  EXPECT_EQ(probe_->Run(cpu, {}).end, ProbeEnd::kAnswered);
}

TEST(ProbeTest, WhatIsNoProbeIsSaid) {
  EXPECT_FALSE(Probe::Load("no/such/file").ok());
}

TEST(ProbeTest, LinesBecomeValues) {
  const ProbeValues values =
      ParseProbeLines("a 18446744073709551615\nvariant.memset __memset_erms\n");
  EXPECT_EQ(ProbeNumber(values, "a"), ~uint64_t{0});
  EXPECT_EQ(ProbeNumber(values, "variant.memset"), std::nullopt);
  EXPECT_EQ(ProbeNumber(values, "b"), std::nullopt);
  EXPECT_EQ(values.at("variant.memset"), "__memset_erms");
}

}  // namespace
}  // namespace glibc_patches
