#include "advisor/masks/masked_choice.h"

#include "gtest/gtest.h"

namespace advisor {
namespace {

TEST(IsaLevelTest, FixesWhatTheLevelHasFrom236On) {
  EXPECT_TRUE(IsFixedByIsa(Feature::kAvx2, GlibcBuild::Tag(36), 3));
  EXPECT_FALSE(IsFixedByIsa(Feature::kAvx2, GlibcBuild::Tag(35), 3));
  EXPECT_FALSE(IsFixedByIsa(Feature::kAvx2, GlibcBuild::Tag(36), 2));
  EXPECT_TRUE(IsFixedByIsa(Feature::kSsse3, GlibcBuild::Tag(36), 2));
  EXPECT_FALSE(IsFixedByIsa(Feature::kAvx512vl, GlibcBuild::Tag(36), 3));
  EXPECT_TRUE(IsFixedByIsa(Feature::kAvx512vl, GlibcBuild::Tag(36), 4));
  // Selectors always ask for it.
  EXPECT_FALSE(IsFixedByIsa(Feature::kErms, GlibcBuild::Tag(36), 4));
}

TEST(VariantsOfTest, ALevelIsWhatNoMaskTakesAway) {
  const CpuFeatures nothing;
  EXPECT_EQ(VariantsOf(nothing, GlibcBuild::Tag(38), 1).memmove,
            "sse2_unaligned");
  EXPECT_EQ(VariantsOf(nothing, GlibcBuild::Tag(38), 3).memmove,
            "avx_unaligned");
  EXPECT_EQ(VariantsOf(nothing, GlibcBuild::Tag(38), 3).memset,
            "avx2_unaligned");
  // Releases without levels in their selectors.
  EXPECT_TRUE(VariantsOf(nothing, GlibcBuild::Tag(35), 3)
                  .SameVariants(VariantsOf(nothing, GlibcBuild::Tag(35), 1)));
}

}  // namespace
}  // namespace advisor
