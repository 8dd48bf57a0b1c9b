#include "advisor/glibc/copy_path.h"

#include "gtest/gtest.h"

namespace advisor {
namespace {

constexpr uint64_t kMiB = 1 << 20;

EffectiveThresholds Thresholds(uint64_t movsb, uint64_t stop, uint64_t nt) {
  EffectiveThresholds thresholds;
  thresholds.rep_movsb_threshold = movsb;
  thresholds.rep_movsb_stop_threshold = stop;
  thresholds.non_temporal_threshold = nt;
  return thresholds;
}

// The field report: 2.28 on a guest whose threshold came out 0.
TEST(CopyPathTest, ZeroThresholdBypassesTheCachesFromEightVectorsOn) {
  const GlibcBuild build = GlibcBuild::Tag(28);
  const CopyCode code = {build, true, 16};
  EffectiveThresholds thresholds;
  thresholds.non_temporal_threshold = 0;
  EXPECT_EQ(PathOfMemmove(code, thresholds, 128), CopyPath::kVectors);
  EXPECT_EQ(PathOfMemmove(code, thresholds, 129), CopyPath::kNonTemporal);
  EXPECT_EQ(PathOfMemmove(code, thresholds, 4096), CopyPath::kNonTemporal);
  // Its host: vectors, then rep movsb from the constant on.
  thresholds.non_temporal_threshold = 23592960;
  EXPECT_EQ(PathOfMemmove(code, thresholds, 1024), CopyPath::kVectors);
  EXPECT_EQ(PathOfMemmove(code, thresholds, 2048), CopyPath::kVectors);
  EXPECT_EQ(PathOfMemmove(code, thresholds, 2049), CopyPath::kRepString);
  EXPECT_EQ(PathOfMemmove(code, thresholds, 23592961), CopyPath::kNonTemporal);
}

TEST(CopyPathTest, StrictAtBothEndsOfTheRepMovsbZone) {
  const GlibcBuild build = GlibcBuild::Tag(36);
  const CopyCode code = {build, true, 32};
  const EffectiveThresholds thresholds = Thresholds(2112, kMiB, 4 * kMiB);
  EXPECT_EQ(PathOfMemmove(code, thresholds, 2112), CopyPath::kVectors);
  EXPECT_EQ(PathOfMemmove(code, thresholds, 2113), CopyPath::kRepString);
  EXPECT_EQ(PathOfMemmove(code, thresholds, kMiB - 1), CopyPath::kRepString);
  EXPECT_EQ(PathOfMemmove(code, thresholds, kMiB), CopyPath::kVectors);
  EXPECT_EQ(PathOfMemmove(code, thresholds, 4 * kMiB - 1), CopyPath::kVectors);
  EXPECT_EQ(PathOfMemmove(code, thresholds, 4 * kMiB), CopyPath::kNonTemporal);
  // Without ERMS the same size is compared strictly.
  const CopyCode plain = {build, false, 32};
  EXPECT_EQ(PathOfMemmove(plain, thresholds, 4 * kMiB), CopyPath::kVectors);
  EXPECT_EQ(PathOfMemmove(plain, thresholds, 4 * kMiB + 1),
            CopyPath::kNonTemporal);
}

// Reference section 1.3: how a raised non_temporal_threshold acts above the
// stop threshold, by release.
TEST(CopyPathTest, ReleasesDifferPastTheStop) {
  const EffectiveThresholds thresholds = Thresholds(2112, kMiB, 4 * kMiB);
  const GlibcBuild v34 = GlibcBuild::Tag(34);
  EXPECT_EQ(PathOfMemmove({v34, true, 32}, thresholds, 2 * kMiB),
            CopyPath::kVectors);
  const GlibcBuild v35 = GlibcBuild::Tag(35);
  EXPECT_EQ(PathOfMemmove({v35, true, 32}, thresholds, 2 * kMiB),
            CopyPath::kNonTemporal);
  // The only knob there: sizes up to rep_movsb_threshold take the plain test.
  EXPECT_EQ(PathOfMemmove({v35, true, 32}, Thresholds(3 * kMiB, kMiB, 4 * kMiB),
                          2 * kMiB),
            CopyPath::kVectors);
}

// AMD from 2.40: raising only non_temporal_threshold opens rep movsb between
// the old and the new value.
TEST(CopyPathTest, RaisingOneOfTwoEqualThresholdsOpensRepMovsb) {
  const GlibcBuild build = GlibcBuild::Tag(40);
  const CopyCode code = {build, true, 64};
  EXPECT_EQ(PathOfMemmove(code, Thresholds(kMiB, 4 * kMiB, 4 * kMiB), 2 * kMiB),
            CopyPath::kRepString);
  EXPECT_EQ(
      PathOfMemmove(code, Thresholds(4 * kMiB, 4 * kMiB, 4 * kMiB), 2 * kMiB),
      CopyPath::kVectors);
}

TEST(CopyPathTest, Memset) {
  EffectiveThresholds thresholds;
  thresholds.rep_stosb_threshold = 2048;
  thresholds.memset_non_temporal_threshold = kMiB;
  thresholds.non_temporal_threshold = 4 * kMiB;
  const GlibcBuild v36 = GlibcBuild::Tag(36);
  EXPECT_EQ(PathOfMemset({v36, true, 32}, thresholds, 2048),
            CopyPath::kVectors);
  EXPECT_EQ(PathOfMemset({v36, true, 32}, thresholds, 2049),
            CopyPath::kRepString);
  EXPECT_EQ(PathOfMemset({v36, true, 32}, thresholds, 64 * kMiB),
            CopyPath::kRepString);
  EXPECT_EQ(PathOfMemset({v36, false, 32}, thresholds, 64 * kMiB),
            CopyPath::kVectors);
  const GlibcBuild v40 = GlibcBuild::Tag(40);
  EXPECT_EQ(PathOfMemset({v40, true, 32}, thresholds, kMiB - 1),
            CopyPath::kRepString);
  EXPECT_EQ(PathOfMemset({v40, true, 32}, thresholds, kMiB),
            CopyPath::kNonTemporal);
  // The branch of 2.38 has no threshold of its own for memset.
  const GlibcBuild branch = GlibcBuild::BranchTip(38);
  EXPECT_EQ(PathOfMemset({branch, true, 32}, thresholds, 2 * kMiB),
            CopyPath::kRepString);
  EXPECT_EQ(PathOfMemset({branch, true, 32}, thresholds, 4 * kMiB),
            CopyPath::kNonTemporal);
}

// The variants without vzeroupper have the same zones as those they stand for.
TEST(CopyPathTest, ByTheVariantsName) {
  EffectiveThresholds thresholds;
  thresholds.rep_movsb_threshold = 2048;
  thresholds.rep_movsb_stop_threshold = kMiB;
  thresholds.rep_stosb_threshold = 2048;
  thresholds.non_temporal_threshold = kMiB;
  const GlibcBuild v36 = GlibcBuild::Tag(36);
  for (const bool is_memset : {false, true}) {
    for (const char* variant :
         {"avx_unaligned_erms", "avx_unaligned_erms_rtm", "erms"}) {
      EXPECT_EQ(PathOfVariant(v36, variant, is_memset, thresholds, 4096),
                CopyPath::kRepString)
          << variant;
    }
    EXPECT_EQ(PathOfVariant(v36, "erms", is_memset, thresholds, 16),
              CopyPath::kRepString);
    EXPECT_EQ(
        PathOfVariant(v36, "avx_unaligned_rtm", is_memset, thresholds, 4096),
        CopyPath::kVectors);
    EXPECT_EQ(
        PathOfVariant(v36, "avx_unaligned_erms_rtm", is_memset, thresholds, 16),
        CopyPath::kVectors);
  }
}

}  // namespace
}  // namespace advisor
