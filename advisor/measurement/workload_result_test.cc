#include "advisor/measurement/workload_result.h"

#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::kernels::Alignment;
using ::kernels::Cell;
using ::kernels::Regime;

class WorkloadResultTest : public ::testing::Test {
 protected:
  WorkloadResultTest() {
    workload_.name = "mix";
    workload_.functions = {
        {"memcpy", {{64, 70, 4480}, {4096, 20, 81920}, {65536, 5, 327680}}},
        {"memset", {{4096, 5, 20480}}}};
    // rep movsb from 2 KiB on, against from 16 KiB on.
    subject_.before = [](uint64_t size) {
      return size > 2048 ? CopyPath::kRepString : CopyPath::kVectors;
    };
    subject_.after = [](uint64_t size) {
      return size > 16384 ? CopyPath::kRepString : CopyPath::kVectors;
    };
    proof_.processes = 4;
  }

  void Add(uint64_t size, Regime regime, int copiers, double ratio,
           int candidate = kWithSide) {
    kernels::ContrastResult result;
    result.contrast = {
        {false, size, Alignment::kAligned, regime, copiers}, 0, candidate, 5};
    const double log_ratio = std::log(ratio);
    result.log_ratios = {log_ratio - 0.01, log_ratio, log_ratio,
                         log_ratio + 0.01};
    proof_.results.push_back(result);
  }

  WorkloadSummary Summary() const {
    return SummariseWorkload(workload_, mix_, {subject_}, &proof_);
  }

  Workload workload_;
  std::vector<SizeShare> mix_ = {{false, 64, 0.3},
                                 {false, 4096, 0.4},
                                 {false, 65536, 0.2},
                                 {true, 4096, 0.1}};
  ProofSubject subject_;
  kernels::Study proof_;
};

TEST_F(WorkloadResultTest, TheWholeMixGainsItsTouchedShare) {
  Add(4097, Regime::kHot, 1, 0.5);
  // Not touched, and no comparison with the setting: neither counts.
  Add(65537, Regime::kHot, 1, 3);
  Add(4097, Regime::kHot, 1, 3, kControlAgainSide);
  const WorkloadSummary summary = Summary();
  EXPECT_EQ(summary.calls, 100u);
  EXPECT_DOUBLE_EQ(summary.touched_calls, 0.2);
  EXPECT_DOUBLE_EQ(summary.touched_bytes, 81920.0 / 434560);
  ASSERT_TRUE(summary.one_copier.has_value());
  EXPECT_NEAR(summary.one_copier->ratio, 1 - 0.4 * 0.5, 0.001);
  EXPECT_LT(summary.one_copier->low, summary.one_copier->ratio);
  EXPECT_GT(summary.one_copier->high, summary.one_copier->ratio);
  EXPECT_LT(summary.one_copier->high, 0.82);
  EXPECT_FALSE(summary.several_copiers.has_value());
}

TEST_F(WorkloadResultTest, SeveralCopiersAreAFigureOfTheirOwn) {
  Add(4097, Regime::kHot, 1, 0.5);
  Add(4097, Regime::kHot, 2, 0.9);
  const WorkloadSummary summary = Summary();
  EXPECT_NEAR(summary.one_copier->ratio, 0.8, 0.001);
  EXPECT_NEAR(summary.several_copiers->ratio, 1 - 0.4 * 0.1, 0.001);
  EXPECT_THAT(
      summary.worst_cell,
      testing::HasSubstr("memcpy 4097 bytes, hot, aligned, 2 copiers: 0.90 ["));
}

TEST_F(WorkloadResultTest, ConditionsAreWeighed) {
  subject_.weight = [](const Cell& cell) {
    return cell.regime == Regime::kHot        ? 3.0
           : cell.regime == Regime::kRotating ? 1.0
                                              : 0.0;
  };
  Add(4097, Regime::kHot, 1, 0.5);
  Add(4097, Regime::kRotating, 1, 1);
  Add(4097, Regime::kReadBack, 1, 9);
  EXPECT_NEAR(Summary().one_copier->ratio,
              1 + 0.4 * (std::exp(0.75 * std::log(0.5)) - 1), 0.001);
}

TEST_F(WorkloadResultTest, WhatHasNoProofNearbyIsNotClaimed) {
  Add(12289, Regime::kHot, 1, 0.5);
  EXPECT_FALSE(Summary().one_copier.has_value());
  EXPECT_DOUBLE_EQ(Summary().touched_calls, 0.2);
  // What another setting did while it was measured is no proof either.
  proof_.results.clear();
  Add(4097, Regime::kHot, 1, 0.5);
  subject_.measured = [](uint64_t) { return CopyPath::kNonTemporal; };
  EXPECT_FALSE(Summary().one_copier.has_value());
  EXPECT_EQ(Summary().worst_cell, "");
}

TEST_F(WorkloadResultTest, NothingRecommendedTouchesNothing) {
  const WorkloadSummary summary =
      SummariseWorkload(workload_, mix_, {}, nullptr);
  EXPECT_EQ(summary.touched_calls, 0);
  EXPECT_EQ(summary.touched_bytes, 0);
  EXPECT_FALSE(summary.one_copier.has_value());
}

}  // namespace
}  // namespace advisor
