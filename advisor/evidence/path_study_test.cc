#include "advisor/evidence/path_study.h"

#include <cmath>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::kernels::Alignment;
using ::kernels::Cell;
using ::kernels::Contrast;
using ::kernels::Regime;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

PathQuestions AllQuestions() {
  PathQuestions questions;
  questions.rep_movsb_from = 257;
  questions.rep_stosb_from = 257;
  questions.non_temporal_copy = true;
  questions.largest = uint64_t{32} << 20;
  questions.copiers = 2;
  return questions;
}

TEST(PathStudyTest, AsksOnlyWhatWasAsked) {
  PathQuestions questions;
  questions.largest = 1 << 20;
  EXPECT_THAT(PathContrasts(questions), ElementsAre());
  questions.rep_movsb_from = 600;
  for (const Contrast& contrast : PathContrasts(questions)) {
    EXPECT_FALSE(contrast.cell.is_memset);
    EXPECT_GT(contrast.cell.size, 600u);
    EXPECT_LE(contrast.cell.size, (1u << 20) + 1);
    EXPECT_NE(contrast.candidate, kNonTemporalSide);
  }
}

TEST(PathStudyTest, EverySizeHasAControlAndNonTemporalAnsweredInAllWays) {
  std::set<uint64_t> sizes, controls;
  bool contended = false, read_back = false;
  for (const Contrast& contrast : PathContrasts(AllQuestions())) {
    const Cell& cell = contrast.cell;
    EXPECT_EQ(contrast.base, kVectorsSide);
    EXPECT_GE(contrast.pairs, 3);
    if (cell.is_memset) continue;
    sizes.insert(cell.size);
    if (contrast.candidate == kVectorsAgainSide) controls.insert(cell.size);
    if (contrast.candidate == kNonTemporalSide) {
      contended |= cell.copiers == 2;
      read_back |= cell.regime == Regime::kReadBack;
    }
  }
  EXPECT_EQ(sizes, controls);
  // A non-temporal threshold is never judged by one copier alone, nor without
  // reading the destination.
  EXPECT_TRUE(contended);
  EXPECT_TRUE(read_back);
}

TEST(PathStudyTest, TunablesHaveTheReleasesNames) {
  const PathQuestions questions = AllQuestions();
  const auto old = PathTunables(questions, GlibcBuild::Tag(28), "");
  ASSERT_EQ(old.size(), static_cast<size_t>(kPathSides));
  EXPECT_EQ(old[kNonTemporalSide],
            "glibc.tune.x86_non_temporal_threshold=16449");
  const auto current =
      PathTunables(questions, GlibcBuild::Tag(36), "glibc.malloc.check=1");
  EXPECT_THAT(current[kRepStringSide],
              HasSubstr("glibc.malloc.check=1:glibc.cpu.x86_non_temporal"));
  EXPECT_THAT(current[kRepStringSide],
              HasSubstr("glibc.cpu.x86_rep_movsb_threshold=257"));
  EXPECT_THAT(current[kRepStringSide], Not(HasSubstr("memset_non_temporal")));
  EXPECT_EQ(current[kVectorsSide], current[kVectorsAgainSide]);
  EXPECT_THAT(PathTunables(questions, GlibcBuild::Tag(40), "")[0],
              HasSubstr("x86_memset_non_temporal_threshold="));
}

kernels::ContrastResult Result(uint64_t size, Alignment alignment, int side,
                               std::vector<double> ratios) {
  kernels::ContrastResult result;
  result.contrast = {{false, size, alignment, Regime::kHot, 1}, 0, side, 15};
  result.log_ratios = std::move(ratios);
  return result;
}

TEST(PathStudyTest, CurveAveragesConditionsAndKeepsTheWorst) {
  kernels::Study study;
  study.results = {
      Result(1025, Alignment::kAligned, kRepStringSide, {0.1, 0.12, 0.11}),
      Result(1025, Alignment::kMisalignedBoth, kRepStringSide,
             {0.3, 0.32, 0.31}),
      Result(2049, Alignment::kAligned, kRepStringSide, {-0.2, -0.22, -0.18}),
      Result(1025, Alignment::kAligned, kVectorsAgainSide, {0, 0.001, 0}),
  };
  const PathCurve curve = CurveOf(study, false);
  ASSERT_EQ(curve.sizes.size(), 2u);
  EXPECT_NEAR(curve.sizes[0].rep_string->log_ratio, 0.21, 1e-9);
  EXPECT_NEAR(curve.sizes[0].rep_string->worst.middle, 0.31, 1e-9);
  EXPECT_EQ(curve.sizes[0].rep_string->worst_cell.alignment,
            Alignment::kMisalignedBoth);
  EXPECT_FALSE(curve.sizes[0].non_temporal.has_value());
  EXPECT_TRUE(CurveOf(study, true).sizes.empty());

  EXPECT_EQ(curve.Cost(CopyPath::kVectors, 5), 0);
  EXPECT_NEAR(*curve.Cost(CopyPath::kRepString, 1025), 0.21, 1e-9);
  // Half way in octaves.
  EXPECT_NEAR(*curve.Cost(CopyPath::kRepString, 1449), 0.005, 1e-3);
  // Near the ends the end's cost; far from them nothing.
  EXPECT_NEAR(*curve.Cost(CopyPath::kRepString, 800), 0.21, 1e-9);
  EXPECT_FALSE(curve.Cost(CopyPath::kRepString, 500).has_value());
  EXPECT_FALSE(curve.Cost(CopyPath::kRepString, 5000).has_value());
  EXPECT_FALSE(curve.Cost(CopyPath::kNonTemporal, 1025).has_value());
}

}  // namespace
}  // namespace advisor
