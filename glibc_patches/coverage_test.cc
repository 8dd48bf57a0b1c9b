#include "glibc_patches/coverage.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace glibc_patches {
namespace {

TEST(CoverageTest, RowsAreSortedAndSayWhatTheyAre) {
  absl::string_view last;
  for (const CoverageRow& row : CoverageRows()) {
    EXPECT_LT(last, row.pattern);
    last = row.pattern;
    EXPECT_NE(row.coverage, Coverage::kNone) << row.pattern;
    EXPECT_FALSE(row.what.empty()) << row.pattern;
  }
}

TEST(CoverageTest, KernelsThresholdsAndTheRest) {
  const std::string multiarch = "sysdeps/x86_64/multiarch/";
  for (const char* file :
       {"memmove-vec-unaligned-erms.S", "memset-evex-unaligned-erms.S",
        "memcpy-ssse3-back.S", "x86-evex-vecs-common.h"}) {
    EXPECT_EQ(CoverageOf(multiarch + file), Coverage::kKernel) << file;
  }
  EXPECT_EQ(CoverageOf("sysdeps/x86/dl-cacheinfo.h"), Coverage::kThreshold);
  for (const char* file : {"memmove.c", "memcmp-sse2.S", "strlen-avx2.S",
                           "wmemset.c", "memmove-x/y.S", "ifunc-strcpy.h"}) {
    EXPECT_EQ(CoverageOf(multiarch + file), Coverage::kNone) << file;
  }
  for (const char* file :
       {"string/test-memcpy.c", "NEWS", "", "sysdeps/x86_64/memset.S.orig",
        "old/sysdeps/x86_64/memset.S"}) {
    EXPECT_EQ(CoverageOf(file), Coverage::kNone) << file;
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
