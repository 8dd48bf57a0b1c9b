#include "glibc_patches/coverage.h"

#include <string>

#include "absl/strings/match.h"
#include "advisor/glibc/build.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace glibc_patches {
namespace {

TEST(CoverageTest, RowsAreSortedAndSayWhatTheyAre) {
  absl::string_view last;
  for (const CoverageRow& row : CoverageRows()) {
    EXPECT_LT(last, row.pattern);
    last = row.pattern;
    EXPECT_EQ(row.coverage == Coverage::kNone,
              absl::StartsWith(row.what, "not judged: "))
        << row.pattern;
    EXPECT_FALSE(row.what.empty()) << row.pattern;
    EXPECT_GE(row.first_release, advisor::kFirstRelease) << row.pattern;
    EXPECT_LE(row.first_release, advisor::kLastRelease) << row.pattern;
    if (row.last_release != 0) {
      EXPECT_LE(row.first_release, row.last_release) << row.pattern;
      EXPECT_LT(row.last_release, advisor::kLastRelease) << row.pattern;
    }
  }
}

TEST(CoverageTest, KernelsThresholdsAndTheRest) {
  const std::string multiarch = "sysdeps/x86_64/multiarch/";
  for (const char* file :
       {"memmove-vec-unaligned-erms.S", "memset-evex-unaligned-erms.S",
        "memcpy-ssse3-back.S", "x86-evex-vecs-common.h", "x86-vec-macros.h",
        "x86-sse2-vecs.h", "memmove-shlib-compat.h"}) {
    EXPECT_EQ(CoverageOf(multiarch + file), Coverage::kKernel) << file;
  }
  EXPECT_EQ(CoverageOf("sysdeps/x86/dl-cacheinfo.h"), Coverage::kThreshold);
  EXPECT_EQ(CoverageOf(multiarch + "memmove.c"), Coverage::kThreshold);
  EXPECT_EQ(CoverageOf("sysdeps/x86/include/cpu-features.h"),
            Coverage::kThreshold);
  for (const char* file :
       {"ifunc-impl-list.c", "memmove-x.c", "memcmp-sse2.S", "strlen-avx2.S",
        "wmemset.c", "memmove-x/y.S", "ifunc-strcpy.h"}) {
    EXPECT_EQ(CoverageOf(multiarch + file), Coverage::kNone) << file;
  }
  for (const char* file :
       {"string/test-memcpy.c", "NEWS", "", "sysdeps/x86_64/memset.S.orig",
        "old/sysdeps/x86_64/memset.S"}) {
    EXPECT_EQ(CoverageOf(file), Coverage::kNone) << file;
  }
}

// What the preprocessor read for the variants of each release, 2.26 to 2.42.
TEST(CoverageTest, AllThatVariantsIncludeIsKernelCode) {
  for (const char* path :
       {"sysdeps/generic/asm-syntax.h", "sysdeps/generic/dwarf2.h",
        "sysdeps/generic/sysdep.h", "sysdeps/x86/isa-level.h",
        "sysdeps/x86/sysdep.h", "sysdeps/x86_64/memmove.S",
        "sysdeps/x86_64/memset.S",
        "sysdeps/x86_64/multiarch/memmove-shlib-compat.h",
        "sysdeps/x86_64/multiarch/memmove-vec-unaligned-erms.S",
        "sysdeps/x86_64/multiarch/memset-vec-unaligned-erms.S",
        "sysdeps/x86_64/multiarch/x86-avx-rtm-vecs.h",
        "sysdeps/x86_64/multiarch/x86-avx-vecs.h",
        "sysdeps/x86_64/multiarch/x86-evex-vecs-common.h",
        "sysdeps/x86_64/multiarch/x86-evex256-vecs.h",
        "sysdeps/x86_64/multiarch/x86-evex512-vecs.h",
        "sysdeps/x86_64/multiarch/x86-sse2-vecs.h",
        "sysdeps/x86_64/multiarch/x86-vec-macros.h", "sysdeps/x86_64/sysdep.h",
        "sysdeps/x86_64/x86-lp_size.h"}) {
    EXPECT_EQ(CoverageOf(path), Coverage::kKernel) << path;
  }
}

TEST(CoverageTest, TheListTellsReleases) {
  const std::string list = DescribeCoverage();
  for (const char* line :
       {"features of the CPU, until 2.32\n", "thresholds, 2.33 on\n",
        "copies, until 2.35\n", "glibc.cpu.hwcaps\n"}) {
    EXPECT_THAT(list, ::testing::HasSubstr(line));
  }
}

TEST(CoverageTest, TheListNamesEveryRow) {
  const std::string list = DescribeCoverage();
  for (const CoverageRow& row : CoverageRows()) {
    EXPECT_THAT(list, ::testing::HasSubstr(std::string(row.pattern) + " "));
  }
}

}  // namespace
}  // namespace glibc_patches
