#include "advisor/evidence/proof_study.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::kernels::Cell;
using ::kernels::Contrast;
using ::kernels::Regime;
using ::testing::HasSubstr;

constexpr uint64_t kMiB = 1 << 20;

CopyPath RepFrom(uint64_t size, uint64_t threshold) {
  return size > threshold ? CopyPath::kRepString : CopyPath::kVectors;
}

// rep movsb from 2113 on against from 24577 on.
ProofSubject RepMovsbSubject() {
  return {false, [](uint64_t size) { return RepFrom(size, 2112); },
          [](uint64_t size) { return RepFrom(size, 24576); }};
}

ProofSubject NonTemporalSubject() {
  return {false, [](uint64_t) { return CopyPath::kRepString; },
          [](uint64_t size) {
            return size > 8 * kMiB ? CopyPath::kNonTemporal
                                   : CopyPath::kRepString;
          }};
}

std::set<uint64_t> SizesOf(const std::vector<Contrast>& contrasts) {
  std::set<uint64_t> sizes;
  for (const Contrast& contrast : contrasts) sizes.insert(contrast.cell.size);
  return sizes;
}

TEST(ProofStudyTest, AsksTouchedSizesAndTheirNeighbours) {
  const auto contrasts = ProofContrasts({{RepMovsbSubject()}, 32 * kMiB, 2});
  const std::set<uint64_t> sizes = SizesOf(contrasts);
  int touched = 0;
  for (const uint64_t size : sizes) touched += size > 2112 && size <= 24576;
  EXPECT_EQ(touched, static_cast<int>(sizes.size()) - 2);
  EXPECT_GE(touched, 6);
  EXPECT_LT(*sizes.begin(), 2112u);
  EXPECT_GT(*sizes.rbegin(), 24576u);
  const bool controlled = std::any_of(
      contrasts.begin(), contrasts.end(), [](const Contrast& contrast) {
        return contrast.candidate == kControlAgainSide;
      });
  EXPECT_TRUE(controlled);
}

TEST(ProofStudyTest, NonTemporalIsProvedContendedAndReadBack) {
  bool contended = false, read_back = false;
  for (const Contrast& contrast :
       ProofContrasts({{NonTemporalSubject()}, 32 * kMiB, 2})) {
    if (contrast.cell.size <= 8 * kMiB) continue;
    contended |= contrast.cell.copiers == 2;
    read_back |= contrast.cell.regime == Regime::kReadBack;
  }
  EXPECT_TRUE(contended);
  EXPECT_TRUE(read_back);
}

// A study in which touched cells have `effect` and all have `noise`; log
// ratios.
kernels::Study Simulate(double effect, double noise, uint32_t seed,
                        double bad_cell_effect = 0) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, noise);
  const ProofSubject subject = RepMovsbSubject();
  kernels::Study study;
  study.processes = 8;
  bool bad_given = false;
  for (const Contrast& contrast : ProofContrasts({{subject}, 32 * kMiB, 1})) {
    kernels::ContrastResult result;
    result.contrast = contrast;
    const uint64_t size = contrast.cell.size;
    double mean = 0;
    if (contrast.candidate == kWithSide &&
        subject.before(size) != subject.after(size)) {
      mean = effect;
      if (bad_cell_effect != 0 && !bad_given) mean = bad_cell_effect;
      bad_given = true;
    }
    for (int i = 0; i < study.processes; ++i) {
      result.log_ratios.push_back(mean + normal(random));
    }
    study.results.push_back(result);
  }
  return study;
}

TEST(ProofStudyTest, HoldsForARealGain) {
  const Proof proof = JudgeProof(Simulate(-0.3, 0.01, 1), RepMovsbSubject());
  EXPECT_TRUE(proof.holds) << proof.summary;
  EXPECT_NEAR(proof.touched_ratio, std::exp(-0.3), 0.01);
  EXPECT_GT(proof.all_ratio, proof.touched_ratio);
  EXPECT_EQ(proof.cells[0].function, "memcpy");
}

TEST(ProofStudyTest, HoldsAlmostNeverWhenNothingChanges) {
  int held = 0;
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    held += JudgeProof(Simulate(0, 0.03, seed), RepMovsbSubject()).holds;
  }
  // One per cent by design, less by the noise floor.
  EXPECT_LE(held, 10);
}

TEST(ProofStudyTest, FindsASmallGainAlmostAlways) {
  int held = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    held += JudgeProof(Simulate(-0.06, 0.01, seed), RepMovsbSubject()).holds;
  }
  EXPECT_GE(held, 190);
}

TEST(ProofStudyTest, OneHarmedCellForbids) {
  const Proof proof =
      JudgeProof(Simulate(-0.3, 0.01, 1, 0.2), RepMovsbSubject());
  EXPECT_FALSE(proof.holds);
  EXPECT_THAT(proof.summary, HasSubstr("harmful: memcpy/"));
}

// In the mean of all it pays; what reads the result loses, at every size a
// little, and at none for certain.
TEST(ProofStudyTest, OneHarmedConditionForbids) {
  int refuted = 0;
  int held = 0;
  for (uint32_t seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, 0.03);
    const ProofSubject subject = NonTemporalSubject();
    for (const double read_back : {0.06, -0.2}) {
      kernels::Study study;
      study.processes = 4;
      for (const Contrast& contrast :
           ProofContrasts({{subject}, 32 * kMiB, 2})) {
        kernels::ContrastResult result;
        result.contrast = contrast;
        const Cell& cell = contrast.cell;
        const bool touched =
            contrast.candidate == kWithSide && cell.size > 8 * kMiB;
        const double mean = !touched                           ? 0
                            : cell.regime == Regime::kReadBack ? read_back
                                                               : -0.2;
        for (int i = 0; i < study.processes; ++i) {
          result.log_ratios.push_back(mean + normal(random));
        }
        study.results.push_back(result);
      }
      const Proof proof = JudgeProof(study, subject);
      if (read_back > 0) {
        refuted += proof.doubt == ProofDoubt::kHarmful;
      } else {
        held += proof.holds;
      }
    }
  }
  // 39 by single sizes and cells alone.
  EXPECT_GE(refuted, 60);
  EXPECT_GE(held, 95);
}

TEST(ProofStudyTest, AControlThatDiffersProvesNothing) {
  kernels::Study study = Simulate(-0.3, 0.01, 1);
  for (kernels::ContrastResult& result : study.results) {
    if (result.contrast.candidate != kControlAgainSide) continue;
    for (double& ratio : result.log_ratios) ratio += 0.1;
  }
  EXPECT_THAT(JudgeProof(study, RepMovsbSubject()).summary,
              HasSubstr("the defaults against themselves"));
}

TEST(ProofStudyTest, ADisturbedRunProvesNothing) {
  kernels::Study study = Simulate(-0.3, 0.01, 1);
  study.steal = 0.5;
  EXPECT_THAT(JudgeProof(study, RepMovsbSubject()).summary,
              HasSubstr("cannot tell"));
  EXPECT_FALSE(JudgeProof(Simulate(-0.05, 0.4, 1), RepMovsbSubject()).holds);
}

// The setting was moved back from 24576 to 12288 after the measurement.
TEST(ProofStudyTest, CellsThatTookAnotherPathSayNothing) {
  ProofSubject subject = RepMovsbSubject();
  subject.measured = subject.after;
  subject.after = [](uint64_t size) { return RepFrom(size, 12288); };
  const Proof proof = JudgeProof(Simulate(-0.3, 0.01, 1), subject);
  EXPECT_TRUE(proof.holds) << proof.summary;
  for (const ProofCell& cell : proof.cells) {
    EXPECT_TRUE(cell.size <= 12288 || cell.size > 24576) << cell.size;
  }
}

TEST(ProofStudyTest, JoinsProofs) {
  const Proof good = JudgeProof(Simulate(-0.3, 0.01, 1), RepMovsbSubject());
  const Proof bad = JudgeProof(Simulate(0, 0.01, 1), RepMovsbSubject());
  EXPECT_TRUE(JoinProofs({good, good}).holds);
  EXPECT_FALSE(JoinProofs({good, bad}).holds);
  EXPECT_EQ(JoinProofs({good, bad}).cells.size(), good.cells.size());
}

// A workload of 8000-byte copies between aligned buffers in use.
TEST(ProofStudyTest, AWorkloadProvesWhatItDoes) {
  ProofSubject subject = RepMovsbSubject();
  subject.weight = [](const Cell& cell) {
    return cell.size > 6000 && cell.size < 11000 && cell.regime == Regime::kHot
               ? 1.0
               : 0.0;
  };
  subject.sizes = {8000};
  bool several = false;
  std::set<uint64_t> touched;
  for (const Contrast& contrast : ProofContrasts({{subject}, 32 * kMiB, 2})) {
    if (contrast.candidate != kWithSide) continue;
    const uint64_t size = contrast.cell.size;
    if (size <= 2112 || size > 24576) continue;
    EXPECT_EQ(contrast.cell.regime, Regime::kHot) << size;
    touched.insert(size);
    several |= size == 8000 && contrast.cell.copiers == 2;
  }
  EXPECT_THAT(touched, testing::ElementsAre(6145, 7169, 8000, 8193, 10241));
  EXPECT_TRUE(several);
}

}  // namespace
}  // namespace advisor
