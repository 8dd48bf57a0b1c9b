#include "advisor/masks/coherence.h"

#include "advisor/masks/made_features.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ForbiddenNeedsTest, AreThoseThatAreHidden) {
  const GlibcBuild build = GlibcBuild::Tag(40);
  EXPECT_THAT(
      ForbiddenNeeds("avx_unaligned_erms", false, {Feature::kAvx}, build),
      ElementsAre(Feature::kAvx));
  EXPECT_THAT(
      ForbiddenNeeds("avx_unaligned_erms", false, {Feature::kAvx2}, build),
      IsEmpty());
}

TEST(ForbiddenNeedsTest, ErmsOfMemsetSaysNothingFrom241On) {
  for (const bool is_memset : {false, true}) {
    EXPECT_THAT(ForbiddenNeeds("sse2_unaligned_erms", is_memset,
                               {Feature::kErms}, GlibcBuild::Tag(40)),
                ElementsAre(Feature::kErms));
  }
  EXPECT_THAT(ForbiddenNeeds("sse2_unaligned_erms", false, {Feature::kErms},
                             GlibcBuild::Tag(41)),
              ElementsAre(Feature::kErms));
  EXPECT_THAT(ForbiddenNeeds("sse2_unaligned_erms", true, {Feature::kErms},
                             GlibcBuild::Tag(41)),
              IsEmpty());
}

TEST(IncoherenceTest, RanksWhatAMaskCanLeadTo) {
  const GlibcBuild build = GlibcBuild::Tag(38);
  const CpuFeatures features =
      With({Feature::kErms, Feature::kAvx, Feature::kAvx512vl});
  const CpuSelection cpu = {features, false, "evex_unaligned_erms"};
  const auto of = [&](absl::string_view variant) {
    return Incoherence(cpu, variant, {Feature::kAvx512vl}, build);
  };
  // From the best to the worst.
  EXPECT_GT(of("avx_unaligned_erms"), 0);
  EXPECT_LT(of("avx_unaligned_erms"), of("avx_unaligned"));
  EXPECT_LT(of("avx_unaligned"), of("sse2_unaligned_erms"));
  EXPECT_LT(of("sse2_unaligned"), of("ssse3"));
  EXPECT_LT(of("ssse3"), kDiffers);
  EXPECT_LT(kDiffers, of("evex_unaligned_erms"));
  EXPECT_EQ(Incoherence(cpu, "evex_unaligned_erms", {}, build), 0);
  EXPECT_GT(Incoherence(cpu, "avx512_unaligned_erms", {}, build), 0);
}

TEST(IncoherenceTest, TransactionsCountWhereTheyAreLeft) {
  const CpuFeatures features = With({Feature::kAvx, Feature::kRtm});
  const CpuSelection cpu = {features, false, "avx_unaligned_rtm"};
  const auto of = [&](absl::Span<const Feature> hidden, int release) {
    return Incoherence(cpu, "avx_unaligned", hidden, GlibcBuild::Tag(release));
  };
  EXPECT_GT(of({}, 36), 0);
  EXPECT_EQ(of({Feature::kRtm}, 36), 0);
  EXPECT_EQ(of({}, 32), 0);  // Has no variants for them.
}

}  // namespace
}  // namespace advisor
