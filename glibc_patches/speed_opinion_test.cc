#include "glibc_patches/speed_opinion.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace glibc_patches {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Two classes of calls, of which only the first is called.
class SpeedOpinionTest : public testing::Test {
 protected:
  SpeedOpinionTest() {
    for (const uint64_t size : {96, 3072}) {
      SpeedCellResult cell;
      cell.cell = {
          "__memmove_evex_unaligned",
          kMachineThresholds,
          {false, size, kernels::Alignment::kAligned, kernels::Regime::kHot, 1},
          0};
      cell.judgement = SpeedJudgement::kSame;
      cell.excludes_regression = true;
      cell.processes = 12;
      speed_.cells.push_back(cell);
    }
    weighed_.workload = "mine";
    weighed_.cells = {{1, true}, {0, false}};
    WorkloadChange change;
    change.kind = "evex_unaligned";
    change.calls = "copies";
    change.judgement = SpeedJudgement::kSame;
    change.interval = {-0.002, 0, 0.002};
    change.measured = 1;
    change.processes = 12;
    weighed_.changes = {change};
  }

  void MakeSlower(size_t cell, double change) {
    speed_.cells[cell].judgement = SpeedJudgement::kSlower;
    speed_.cells[cell].excludes_regression = false;
    speed_.cells[cell].interval = {std::log1p(change - 0.01),
                                   std::log1p(change),
                                   std::log1p(change + 0.01)};
  }

  SpeedOpinion Opinion() const {
    return OpinionOf(speed_, weighed_, SpeedOptions());
  }

  SpeedResult speed_;
  WeighedSpeed weighed_;
};

TEST_F(SpeedOpinionTest, ASlowClassWithWeightIsAgainstThePatch) {
  MakeSlower(0, 0.12);
  const SpeedOpinion opinion = Opinion();
  EXPECT_THAT(opinion.against,
              ElementsAre("the patched code is slower: 1 cell of 2 by more "
                          "than 5 %, the worst by +12.0 %"));
  EXPECT_THAT(opinion.evidence, ElementsAre(HasSubstr("96 bytes")));
  EXPECT_THAT(opinion.slower_without_weight, IsEmpty());
}

TEST_F(SpeedOpinionTest, ItsNeighbourWithoutWeightIsOnlyNamed) {
  MakeSlower(1, 0.12);
  const SpeedOpinion opinion = Opinion();
  EXPECT_THAT(opinion.against, IsEmpty());
  EXPECT_THAT(opinion.open, IsEmpty());
  EXPECT_THAT(opinion.slower_without_weight,
              ElementsAre(HasSubstr("3072 bytes, aligned, hot: +12.0 % [+11.0 "
                                    "%, +13.0 %]")));
  EXPECT_THAT(opinion.praise,
              HasSubstr("none of 1 cell that matters for the workload mine"));
}

TEST_F(SpeedOpinionTest, ALittleSlowerIsTolerated) {
  MakeSlower(0, 0.04);
  MakeSlower(1, 0.04);
  const SpeedOpinion opinion = Opinion();
  EXPECT_THAT(opinion.against, IsEmpty());
  EXPECT_THAT(opinion.slower_without_weight, IsEmpty());
}

// Who names a workload has said what matters.
TEST_F(SpeedOpinionTest, ACliffMattersAnywhereWhereNobodySaidWhatDoes) {
  MakeSlower(1, 1.2);
  EXPECT_THAT(Opinion().against, IsEmpty());
  EXPECT_THAT(Opinion().slower_without_weight, SizeIs(1));
  weighed_.is_default = true;
  EXPECT_THAT(Opinion().against, SizeIs(1));
  EXPECT_THAT(Opinion().slower_without_weight, IsEmpty());
  MakeSlower(1, 0.9);
  EXPECT_THAT(Opinion().against, IsEmpty());
}

TEST_F(SpeedOpinionTest, TheWholeMixCanBeSlowerWithoutASingleSlowCell) {
  weighed_.changes[0].judgement = SpeedJudgement::kSlower;
  weighed_.changes[0].interval = {0.055, 0.06, 0.065};
  EXPECT_THAT(Opinion().against, ElementsAre(HasSubstr("all copies")));
  // Slower, but by less than is tolerated.
  weighed_.changes[0].interval = {0.02, 0.03, 0.04};
  EXPECT_THAT(Opinion().against, IsEmpty());
  EXPECT_THAT(Opinion().open, IsEmpty());
  weighed_.changes[0].judgement = SpeedJudgement::kCannotTell;
  weighed_.changes[0].interval = {-0.03, 0.02, 0.07};
  weighed_.changes[0].bound = 0.03;
  EXPECT_THAT(Opinion().open, IsEmpty());
  weighed_.changes[0].bound = 0.06;
  EXPECT_THAT(Opinion().open, ElementsAre(HasSubstr("too noisy: for all")));
}

TEST_F(SpeedOpinionTest, OnlyNoiseThatMattersLeavesItOpen) {
  for (SpeedCellResult& cell : speed_.cells) {
    cell.judgement = SpeedJudgement::kCannotTell;
  }
  speed_.cells[1].excludes_regression = false;
  EXPECT_THAT(Opinion().open, IsEmpty());
  speed_.cells[0].excludes_regression = false;
  EXPECT_THAT(Opinion().open,
              ElementsAre(HasSubstr("in 1 of 1 cells that matter")));
}

TEST_F(SpeedOpinionTest, SizesThatWereNotMeasuredLeaveItOpen) {
  weighed_.changes[0].measured = 0.96;
  EXPECT_THAT(Opinion().open, IsEmpty());
  weighed_.changes[0].measured = 0.94;
  EXPECT_THAT(Opinion().open, ElementsAre(HasSubstr("6.0 % of the time in")));
  weighed_.changes[0].measured = std::nullopt;
  EXPECT_THAT(Opinion().open, ElementsAre(HasSubstr("there are no copies")));
}

}  // namespace
}  // namespace glibc_patches
