#include "advisor/masks/purpose_items.h"

#include "advisor/masks/made_features.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(PurposeItemsTest, NamesWhatIsThere) {
  const GlibcBuild build = GlibcBuild::Tag(36);
  const PurposeItems items(*FindPurpose("no-avx"), build,
                           {With({Feature::kAvx, Feature::kFma})});
  const std::vector<Feature> hidden = items.FeaturesToHide();
  EXPECT_THAT(hidden, Contains(Feature::kAvx2));
  EXPECT_THAT(hidden, Not(Contains(Feature::kErms)));
  EXPECT_THAT(items.ItemsFor(hidden), ElementsAre("-AVX", "-FMA"));
  EXPECT_TRUE(items.SomeHave(Feature::kFma));
  EXPECT_FALSE(items.SomeHave(Feature::kAvx2));
}

TEST(PurposeItemsTest, APoolHidesWhatNotAllHave) {
  const GlibcBuild build = GlibcBuild::Tag(36);
  const PurposeItems items(*FindPurpose("pool"), build,
                           {With({Feature::kAvx2, Feature::kErms}),
                            With({Feature::kAvx2, Feature::kSsse3})});
  EXPECT_THAT(items.FeaturesToHide(),
              ElementsAre(Feature::kSsse3, Feature::kErms));
}

TEST(PurposeItemsTest, ToPinOneHostNamesAllThatAnotherMayHave) {
  const GlibcBuild build = GlibcBuild::Tag(36);
  const PurposeItems items(*FindPurpose("pin"), build, {With({})});
  const std::vector<Feature> hidden = items.FeaturesToHide();
  EXPECT_EQ(hidden.size(), AboveBaseline().size());
  EXPECT_THAT(items.ItemsFor(hidden), Contains("-AVX512F"));
  EXPECT_THAT(items.ItemsFor(hidden), Contains("-AVX_Fast_Unaligned_Load"));
  // That flag is another matter where AVX stays.
  EXPECT_THAT(items.ItemsFor({}), Not(Contains("-AVX_Fast_Unaligned_Load")));
  EXPECT_THAT(items.ItemsFor({}), Contains("-Slow_BSF"));
}

TEST(PurposeItemsTest, XsaveIsHiddenWhereTheLoaderCanDoWithout) {
  const CpuFeatures with = With({Feature::kXsave, Feature::kXsavec});
  const GlibcBuild can = GlibcBuild::Tag(36);
  const PurposeItems items(*FindPurpose("checkpoint"), can, {with, With({})});
  EXPECT_THAT(items.ItemsFor({}), ElementsAre("-XSAVE", "-XSAVEC"));
  EXPECT_FALSE(items.UnhiddenXsave().has_value());

  const GlibcBuild cannot = GlibcBuild::Tag(33);
  const PurposeItems old(*FindPurpose("checkpoint"), cannot, {with, With({})});
  EXPECT_THAT(old.ItemsFor({}), IsEmpty());
  ASSERT_TRUE(old.UnhiddenXsave().has_value());
  EXPECT_EQ(old.UnhiddenXsave()->name, "XSAVE");

  const PurposeItems alike(*FindPurpose("checkpoint"), cannot, {with, with});
  EXPECT_FALSE(alike.UnhiddenXsave().has_value());
}

TEST(PurposeItemsTest, XsavecStaysWhereProgramsCrashWithoutIt) {
  const CpuFeatures with = With({Feature::kXsave, Feature::kXsavec});
  const CpuFeatures without = With({Feature::kXsave});
  const GlibcBuild crashes = GlibcBuild::Tag(40);
  const PurposeItems items(*FindPurpose("checkpoint"), crashes,
                           {with, without});
  EXPECT_THAT(items.ItemsFor({}), IsEmpty());
  ASSERT_TRUE(items.UnhiddenXsave().has_value());
  EXPECT_TRUE(items.UnhiddenXsave()->used);
  EXPECT_THAT(items.UnhiddenXsave()->why, HasSubstr("32810"));

  const GlibcBuild sound = GlibcBuild::Tag(39);
  const PurposeItems other(*FindPurpose("checkpoint"), sound, {with, without});
  EXPECT_THAT(other.ItemsFor({}), ElementsAre("-XSAVEC"));
  EXPECT_FALSE(other.UnhiddenXsave().has_value());
}

}  // namespace
}  // namespace advisor
