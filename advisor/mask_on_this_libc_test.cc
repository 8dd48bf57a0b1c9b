// The masks do to this machine's libc what is said of them: the loader lists
// the features as hidden, and the variants that are selected are the predicted
// ones.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "advisor/cpu/cpuid_dump.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/cpu_features.h"
#include "advisor/glibc/installed_libc.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/subprocess.h"
#include "advisor/masks/mask.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

constexpr char kProgram[] = "advisor/glibc/selected_variant";

struct Here {
  InstalledLibc libc;
  GlibcBuild build;
};

absl::StatusOr<Here> FindHere() {
  const auto libc =
      FindInstalledLibc(RealFileReader(), Environment(), kProgram);
  if (!libc.ok()) return libc.status();
  if (!libc->banner.has_value()) return absl::NotFoundError("no banner");
  const auto build =
      ParseGlibcBuild(libc->banner->revision.value_or(libc->banner->release));
  if (!build.ok()) return build.status();
  return Here{*libc, *build};
}

MaskCpu Fixture(absl::string_view name) {
  const std::string path = absl::StrCat("testdata/cpuid/", name, ".txt");
  return {path, ParseCpuidDump(*RealFileReader().Read(path), path)->cpus[0]};
}

absl::StatusOr<Mask> MaskFor(absl::string_view purpose, const Here& here) {
  MaskQuestion question = {FindPurpose(purpose),
                           here.build,
                           here.libc.isa_level,
                           {{"this machine", ReadNativeCpuid()}},
                           ""};
  if (question.purpose->least_cpus > 1) {
    question.cpus.push_back(
        Fixture("amd_17-31-00_epyc-rome_qemu-tcg_qemu72-tcg-epyc-rome"));
  }
  return ComposeMask(question);
}

// The bit of a feature in a listing, by the group that glibc lists its leaf in.
std::optional<bool> ListedBit(const DiagnosticsListing& listing,
                              Feature feature, bool active) {
  // "7:0:EBX[31]"
  const std::vector<std::string> parts =
      absl::StrSplit(FeatureSource(feature), absl::ByAnyChar(":[]"));
  const std::string leaf = absl::StrCat(parts[0], ":", parts[1]);
  const std::vector<std::string> groups = {"1:0", "7:0", "80000001:0", "d:1"};
  const std::vector<std::string> registers = {"EAX", "EBX", "ECX", "EDX"};
  const size_t group =
      std::find(groups.begin(), groups.end(), leaf) - groups.begin();
  const size_t reg = std::find(registers.begin(), registers.end(), parts[2]) -
                     registers.begin();
  int bit = 0;
  const auto words = listing.features.find(group);
  if (words == listing.features.end() || !absl::SimpleAtoi(parts[3], &bit)) {
    return std::nullopt;
  }
  const auto& word =
      active ? words->second.active[reg] : words->second.cpuid[reg];
  if (!word.has_value()) return std::nullopt;
  return ((*word >> bit) & 1) != 0;
}

class MaskOnThisLibcTest : public testing::TestWithParam<PurposeRow> {};

TEST_P(MaskOnThisLibcTest, TheLoaderHidesTheFeatures) {
  const auto here = FindHere();
  if (!here.ok()) GTEST_SKIP() << here.status();
  const auto mask = MaskFor(GetParam().name, *here);
  ASSERT_TRUE(mask.ok()) << mask.status();
  if (mask->settings.empty()) GTEST_SKIP() << "nothing to hide on this CPU";
  const auto plain =
      AskLoader(RealSubprocess(), here->libc.loader_path, Environment());
  const auto masked =
      AskLoader(RealSubprocess(), here->libc.loader_path,
                Environment().With("GLIBC_TUNABLES", mask->glibc_tunables));
  if (!plain.ok()) GTEST_SKIP() << plain.status();
  ASSERT_TRUE(masked.ok()) << masked.status();
  EXPECT_EQ(masked->warnings, "");
  if (!masked->diagnostics.has_value()) GTEST_SKIP() << "no diagnostics";
  int hidden = 0;
  for (absl::string_view word : absl::StrSplit(mask->items, ',')) {
    if (!absl::ConsumePrefix(&word, "-")) continue;
    const std::optional<Feature> feature = FeatureByName(word);
    if (!feature.has_value()) continue;
    const auto before = ListedBit(*plain->diagnostics, *feature, true);
    const auto after = ListedBit(*masked->diagnostics, *feature, true);
    ASSERT_TRUE(before.has_value() && after.has_value()) << word;
    EXPECT_FALSE(*after) << word;
    EXPECT_EQ(ListedBit(*masked->diagnostics, *feature, false),
              ListedBit(*plain->diagnostics, *feature, false))
        << word;
    if (*before) ++hidden;
  }
  EXPECT_GT(hidden, 0) << mask->items;
  // The thresholds that were set, as the loader has them.
  for (const TunableValue& setting : mask->settings) {
    uint64_t value = 0;
    if (!absl::SimpleAtoi(setting.second, &value)) continue;
    EXPECT_EQ(masked->tunables.Size(setting.first), value) << setting.first;
  }
}

TEST_P(MaskOnThisLibcTest, ThePredictedVariantsAreSelected) {
  const auto here = FindHere();
  if (!here.ok()) GTEST_SKIP() << here.status();
  const auto mask = MaskFor(GetParam().name, *here);
  ASSERT_TRUE(mask.ok()) << mask.status();
  Command command;
  command.argv = {kProgram};
  command.environment =
      Environment().With("GLIBC_TUNABLES", mask->glibc_tunables);
  const auto result = RealSubprocess().Run(command);
  ASSERT_TRUE(result.ok()) << result.status();
  if (result->exit_status == 2) GTEST_SKIP() << "no glibc source here";
  ASSERT_TRUE(result->succeeded()) << result->Describe();
  const std::string source =
      absl::StrCat("source ", here->libc.banner->revision.value_or("?"), "\n");
  if (!absl::StartsWith(result->standard_output, source)) {
    GTEST_SKIP() << "the source is not that of the installed libc: "
                 << result->standard_output;
  }
  const MaskedChoice& after = mask->cpus[0].after;
  EXPECT_EQ(
      result->standard_output,
      absl::StrCat(source, "memmove __memmove_", after.memmove,
                   "\nmemcpy __memcpy_", after.memmove, "\nmempcpy __mempcpy_",
                   after.memmove, "\nmemset __memset_", after.memset, "\n"))
      << mask->glibc_tunables;
}

INSTANTIATE_TEST_SUITE_P(Purposes, MaskOnThisLibcTest,
                         testing::ValuesIn(AllPurposes().begin(),
                                           AllPurposes().end()),
                         [](const testing::TestParamInfo<PurposeRow>& info) {
                           std::string name(info.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace advisor
