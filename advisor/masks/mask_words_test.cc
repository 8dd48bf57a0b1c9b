#include "advisor/masks/mask_words.h"

#include "advisor/masks/purpose_table.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

TEST(HidingItemTest, IsSpeltAsTheReleaseKnowsIt) {
  const GlibcBuild old_build = GlibcBuild::Tag(31);
  const GlibcBuild new_build = GlibcBuild::Tag(32);
  EXPECT_EQ(HidingItem(Feature::kAvx2, old_build), "-AVX2_Usable");
  EXPECT_EQ(HidingItem(Feature::kAvx2, new_build), "-AVX2");
  EXPECT_EQ(HidingItem(Feature::kErms, old_build), "-ERMS");
  EXPECT_EQ(HidingItem(Feature::kErms, new_build), "-ERMS");
  // AVX512VL_Usable is no word of any release.
  EXPECT_EQ(HidingItem(Feature::kAvx512vl, old_build), "");
  EXPECT_EQ(HidingItem(Feature::kAvx512vl, new_build), "-AVX512VL");
  EXPECT_EQ(HidingItem(Feature::kFsrm, new_build), "");
  EXPECT_EQ(HidingItem(Feature::kXsave, GlibcBuild::Tag(33)), "");
  EXPECT_EQ(HidingItem(Feature::kXsave, GlibcBuild::Tag(34)), "-XSAVE");
}

TEST(HidingItemTest, HidesAllAboveTheBaselineFrom232On) {
  for (const GlibcBuild& build : UpstreamBuilds()) {
    if (!build.Has(Change::kUsableBits)) continue;
    for (const Feature feature : AboveBaseline()) {
      EXPECT_NE(HidingItem(feature, build), "")
          << FeatureName(feature) << " " << build.name();
    }
  }
}

TEST(JoinMasksTest, KeepsWhatIsNotDecided) {
  EXPECT_EQ(JoinMasks("", {}), "");
  EXPECT_EQ(JoinMasks("Prefer_ERMS,-AVX2,,AVX512F", {"-AVX512F", "-AVX2"}),
            "Prefer_ERMS,-AVX512F,-AVX2");
}

}  // namespace
}  // namespace advisor
