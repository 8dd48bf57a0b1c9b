#include "advisor/evidence/time_curves.h"

#include "advisor/evidence/path_study.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::kernels::Alignment;
using ::kernels::Regime;
using ::testing::IsEmpty;

void Add(kernels::Study& study, const kernels::Cell& cell, int candidate,
         double base_cycles, double candidate_cycles) {
  kernels::ContrastResult result;
  result.contrast = {cell, kVectorsSide, candidate, 5};
  result.base_cycles = base_cycles;
  result.candidate_cycles = candidate_cycles;
  study.results.push_back(result);
}

TEST(TimeCurvesTest, ALineForEachPathAndRegime) {
  kernels::Study study;
  for (const uint64_t size : {4097, 1025, 2049}) {
    const double cycles = static_cast<double>(size) / 32;
    Add(study, {false, size, Alignment::kAligned, Regime::kHot, 1},
        kRepStringSide, cycles, 2 * cycles);
    Add(study, {false, size, Alignment::kAligned, Regime::kHot, 1},
        kVectorsAgainSide, cycles, cycles);
    Add(study, {true, size, Alignment::kAligned, Regime::kRotating, 1},
        kRepStringSide, cycles, 3 * cycles);
    // Neither of these is drawn.
    Add(study, {false, size, Alignment::kMisalignedBoth, Regime::kHot, 1},
        kRepStringSide, 1, 1);
    Add(study, {false, size, Alignment::kAligned, Regime::kHot, 2},
        kRepStringSide, 1, 1);
  }
  const std::vector<TimeCurve> curves = TimeCurves(study);
  ASSERT_EQ(curves.size(), 4u);
  EXPECT_EQ(curves[0].function, "memcpy");
  EXPECT_EQ(curves[0].label, "rep movsb");
  EXPECT_EQ(curves[0].regime, "hot");
  ASSERT_EQ(curves[0].points.size(), 3u);
  EXPECT_EQ(curves[0].points[0].size, 1025u);
  EXPECT_EQ(curves[0].points[2].cycles, 2 * 4097.0 / 32);
  EXPECT_EQ(curves[1].label, "vectors");
  EXPECT_EQ(curves[1].points[0].cycles, 1025.0 / 32);
  EXPECT_EQ(curves[2].label, "rep stosb");
  EXPECT_EQ(curves[2].regime, "rotating");
}

TEST(TimeCurvesTest, OnePointIsNoLine) {
  kernels::Study study;
  Add(study, {false, 1025, Alignment::kAligned, Regime::kHot, 1},
      kRepStringSide, 30, 60);
  EXPECT_THAT(TimeCurves(study), IsEmpty());
}

}  // namespace
}  // namespace advisor
