#include "advisor/measurement/conclusion.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::kernels::Alignment;
using ::kernels::Contrast;
using ::kernels::Regime;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ConclusionTest : public ::testing::Test {
 protected:
  ConclusionTest() {
    libc_.now.rep_movsb_threshold = 2048;
    libc_.now.rep_movsb_stop_threshold = 1 << 20;
    libc_.now.non_temporal_threshold = 1 << 20;
    Part part = {{{libc_.build, true, 64},
                  false,
                  false,
                  libc_.now,
                  {},
                  513,
                  std::nullopt},
                 {},
                 {},
                 {},
                 {}};
    part.answer.rep_string = 16384;
    part.settings = {
        {"glibc.cpu.x86_rep_movsb_threshold", 16384, 2048, "measured"}};
    part.proposed = part.after();
    parts_.push_back(part);
  }

  void Add(uint64_t size, ProofSide side, double ratio) {
    kernels::ContrastResult result;
    const int base = side == kWithSide ? kWithoutSide : kControlSide;
    result.contrast = Contrast{
        {false, size, Alignment::kAligned, Regime::kHot, 1}, base, side, 6};
    result.log_ratios = {ratio - 0.001, ratio, ratio, ratio + 0.001};
    study_.results.push_back(result);
  }

  // The setting takes log time `ratio` from 2 to 16 KiB, `last` at the largest.
  void Measure(double ratio, double last) {
    study_.processes = 4;
    for (const uint64_t size : {2049, 4097, 8193, 12289, 16384}) {
      Add(size, kWithSide, size == 16384 ? last : ratio);
      Add(size, kControlAgainSide, 0);
    }
  }

  MeasuredLibc libc_{GlibcBuild::Tag(36)};
  std::vector<Part> parts_;
  kernels::Study study_;
};

TEST_F(ConclusionTest, KeepsWhatHolds) {
  Measure(-0.2, -0.2);
  const Conclusion conclusion = Conclude(study_, parts_);
  ASSERT_EQ(conclusion.proved.size(), 1u);
  EXPECT_EQ(conclusion.proved[0].value, 16384u);
  EXPECT_TRUE(conclusion.proof.holds);
  ASSERT_EQ(conclusion.findings.size(), 1u);
  EXPECT_EQ(conclusion.findings[0].id,
            "measured-x86-rep-movsb-threshold-too-low");
  EXPECT_THAT(conclusion.reason, HasSubstr("take 0.82 of the time"));
}

TEST_F(ConclusionTest, DropsWhatDoesNot) {
  Measure(0, 0);
  const Conclusion conclusion = Conclude(study_, parts_);
  EXPECT_THAT(conclusion.proved, IsEmpty());
  EXPECT_THAT(conclusion.findings, IsEmpty());
  EXPECT_FALSE(conclusion.proof.holds);
  EXPECT_THAT(conclusion.reason, HasSubstr("x86_rep_movsb_threshold=16384"));
}

TEST_F(ConclusionTest, MovesBackFromTheSizeThatIsHarmed) {
  Measure(-0.2, 0.2);
  const Conclusion conclusion = Conclude(study_, parts_);
  ASSERT_EQ(conclusion.proved.size(), 1u) << conclusion.reason;
  EXPECT_GE(conclusion.proved[0].value, 12289u);
  EXPECT_LT(conclusion.proved[0].value, 16384u);
  EXPECT_EQ(parts_[0].answer.rep_string, conclusion.proved[0].value);
}

TEST_F(ConclusionTest, OneProcessTellsNothing) {
  Measure(-0.2, -0.2);
  study_.processes = 1;
  const Conclusion conclusion = Conclude(study_, parts_);
  EXPECT_THAT(conclusion.proved, IsEmpty());
  EXPECT_THAT(conclusion.reason, HasSubstr("too busy"));
}

}  // namespace
}  // namespace advisor
