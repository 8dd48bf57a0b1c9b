// What the model says this CPU's libc selects is what it did select.

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/installed_libc.h"
#include "advisor/glibc/prediction.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/subprocess.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

constexpr char kProgram[] = "advisor/glibc/selected_variant";

class SelectedVariantTest : public testing::TestWithParam<const char*> {};

TEST_P(SelectedVariantTest, IsThePredictedOne) {
  const std::string glibc_tunables = GetParam();
  const auto libc =
      FindInstalledLibc(RealFileReader(), Environment(), kProgram);
  if (!libc.ok()) GTEST_SKIP() << libc.status();
  if (!libc->banner.has_value()) GTEST_SKIP() << "libc.so.6 has no banner";
  const auto build =
      ParseGlibcBuild(libc->banner->revision.value_or(libc->banner->release));
  if (!build.ok()) GTEST_SKIP() << build.status();
  Command command;
  command.argv = {kProgram};
  command.environment = Environment().With("GLIBC_TUNABLES", glibc_tunables);
  const auto result = RealSubprocess().Run(command);
  ASSERT_TRUE(result.ok()) << result.status();
  if (result->exit_status == 2) GTEST_SKIP() << "no glibc source here";
  ASSERT_TRUE(result->succeeded()) << result->Describe();
  const std::string source =
      absl::StrCat("source ", libc->banner->revision.value_or("?"), "\n");
  if (!absl::StartsWith(result->standard_output, source)) {
    GTEST_SKIP() << "the source is not that of the installed libc: "
                 << result->standard_output;
  }
  const Prediction prediction =
      Predict(ReadNativeCpuid(), *build, glibc_tunables);
  EXPECT_EQ(result->standard_output,
            absl::StrCat(source, "memmove __memmove_", prediction.memmove,
                         "\nmemcpy __memcpy_", prediction.memmove,
                         "\nmempcpy __mempcpy_", prediction.memmove,
                         "\nmemset __memset_", prediction.memset, "\n"));
}

INSTANTIATE_TEST_SUITE_P(
    Masks, SelectedVariantTest,
    testing::Values("", "glibc.cpu.hwcaps=-ERMS", "glibc.cpu.hwcaps=-AVX512VL",
                    "glibc.cpu.hwcaps=-AVX512VL,-RTM",
                    "glibc.cpu.hwcaps=-AVX512VL,-AVX2",
                    "glibc.cpu.hwcaps=-AVX_Fast_Unaligned_Load,-AVX512VL",
                    "glibc.cpu.hwcaps=-AVX_Fast_Unaligned_Load,-AVX512VL,"
                    "-AVX512F,-AVX2,-ERMS",
                    "glibc.cpu.hwcaps=-Prefer_No_AVX512",
                    "glibc.cpu.hwcaps=Prefer_ERMS"));

}  // namespace
}  // namespace advisor
