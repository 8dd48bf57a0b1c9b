#include "advisor/masks/variant_traits.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(VariantTraitsTest, LevelsAreTheWidthsOfVectors) {
  EXPECT_EQ(TraitsOfVariant("sse2_unaligned_erms", false).level, 0);
  EXPECT_EQ(TraitsOfVariant("ssse3_back", false).level, 0);
  EXPECT_EQ(TraitsOfVariant("avx_unaligned", false).level, 1);
  EXPECT_EQ(TraitsOfVariant("avx2_unaligned_erms_rtm", true).level, 1);
  EXPECT_EQ(TraitsOfVariant("evex_unaligned", false).level, 2);
  EXPECT_EQ(TraitsOfVariant("avx512_unaligned_erms", true).level, 3);
  EXPECT_EQ(TraitsOfVariant("avx512_no_vzeroupper", false).level, 3);
}

TEST(VariantTraitsTest, NeedsAreThoseOfTheFunction) {
  EXPECT_THAT(TraitsOfVariant("sse2_unaligned", true).needs, IsEmpty());
  EXPECT_THAT(
      TraitsOfVariant("avx_unaligned_erms_rtm", false).needs,
      UnorderedElementsAre(Feature::kAvx, Feature::kErms, Feature::kRtm));
  EXPECT_THAT(TraitsOfVariant("avx2_unaligned", true).needs,
              UnorderedElementsAre(Feature::kAvx2));
  EXPECT_THAT(TraitsOfVariant("evex_unaligned", false).needs,
              UnorderedElementsAre(Feature::kAvx512vl));
  EXPECT_THAT(TraitsOfVariant("evex_unaligned", true).needs,
              UnorderedElementsAre(Feature::kAvx512vl, Feature::kAvx512bw));
  EXPECT_THAT(TraitsOfVariant("avx512_unaligned", false).needs,
              UnorderedElementsAre(Feature::kAvx512f, Feature::kAvx512vl));
  EXPECT_THAT(TraitsOfVariant("avx512_no_vzeroupper", false).needs,
              UnorderedElementsAre(Feature::kAvx512f));
}

TEST(VariantTraitsTest, SpecialOnesAreMadeForOtherCpus) {
  for (const char* const variant :
       {"erms", "ssse3", "ssse3_back", "avx512_no_vzeroupper"}) {
    EXPECT_TRUE(TraitsOfVariant(variant, false).is_special) << variant;
  }
  for (const char* const variant :
       {"sse2_unaligned_erms", "avx_unaligned_erms", "evex_unaligned_erms",
        "avx512_unaligned_erms"}) {
    EXPECT_FALSE(TraitsOfVariant(variant, false).is_special) << variant;
    EXPECT_TRUE(TraitsOfVariant(variant, false).is_erms) << variant;
  }
}

}  // namespace
}  // namespace advisor
