#include "advisor/evidence/cache_truth.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::kernels::LatencyCurve;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint64_t kKiB = 1024;
constexpr uint64_t kMiB = 1024 * kKiB;

// Measured on a 2-CPU KVM guest of an Emerald Rapids (2.1 GHz time stamp
// counter, huge pages, machine quiet, November 2026): cycles a load. CPUID
// claims 48 KiB, 2 MiB, 260 MiB; the L3 is the neighbours'.
LatencyCurve CrowdedGuest() {
  LatencyCurve curve;
  curve.in_huge_pages = true;
  curve.memory_cycles = 300;
  curve.cycles_per_second = 2.1e9;
  curve.points = {
      {8 * kKiB, 3.9},       {11 * kKiB, 3.9},      {16 * kKiB, 3.9},
      {22 * kKiB, 3.9},      {32 * kKiB, 3.9},      {45 * kKiB, 4.3},
      {64 * kKiB, 12.3},     {90 * kKiB, 12.3},     {128 * kKiB, 12.3},
      {181 * kKiB, 12.3},    {256 * kKiB, 12.3},    {362 * kKiB, 12.4},
      {512 * kKiB, 13.7},    {724 * kKiB, 14.9},    {1024 * kKiB, 15.7},
      {1448 * kKiB, 24.8},   {2048 * kKiB, 42.7},   {2896 * kKiB, 142.1},
      {4096 * kKiB, 182.6},  {5792 * kKiB, 200.1},  {8192 * kKiB, 260.3},
      {9741 * kKiB, 197.0},  {11585 * kKiB, 277.1}, {16384 * kKiB, 281.5},
      {23170 * kKiB, 288.1}, {32768 * kKiB, 290.5}};
  return curve;
}

// Caches that hold what fits and nothing of what does not, as one copier alone
// on a machine sees them.
LatencyCurve IdealMachine(uint64_t l1, uint64_t l2, uint64_t l3,
                          uint64_t largest) {
  LatencyCurve curve;
  curve.memory_cycles = 250;
  curve.cycles_per_second = 2e9;
  for (const uint64_t bytes : kernels::WorkingSets(largest)) {
    curve.points.push_back({bytes, bytes <= l1   ? 5
                                   : bytes <= l2 ? 14
                                   : bytes <= l3 ? 60
                                                 : 245.0});
  }
  return curve;
}

std::vector<CacheSummary> Claims(uint64_t l1, uint64_t l2, uint64_t l3) {
  std::vector<CacheSummary> claims = {{"L1d", l1, {}, ""}, {"L2", l2, {}, ""}};
  if (l3 != 0) claims.push_back({"L3", l3, {}, ""});
  return claims;
}

TEST(CacheTruthTest, ContradictsTheL3OfACrowdedGuest) {
  const CacheTruth truth =
      JudgeCaches(CrowdedGuest(), Claims(48 * kKiB, 2 * kMiB, 260 * kMiB));
  ASSERT_THAT(truth.levels, SizeIs(3));
  EXPECT_EQ(truth.levels[0].measured, 45 * kKiB);
  EXPECT_FALSE(truth.levels[0].contradicted);
  EXPECT_EQ(truth.levels[1].measured, 2 * kMiB);
  EXPECT_FALSE(truth.levels[1].contradicted);
  EXPECT_EQ(truth.levels[2].measured, 4 * kMiB);
  EXPECT_TRUE(truth.levels[2].contradicted);
  EXPECT_EQ(LastLevelInsteadOfClaim(truth), 4 * kMiB);
  const std::vector<Finding> findings = CacheFindings(truth);
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_THAT(findings[0].title, HasSubstr("L3 of 260 MiB"));
  EXPECT_THAT(findings[0].title, HasSubstr("about 4 MiB"));
  EXPECT_THAT(findings[0].evidence[0], HasSubstr("138.3 ns at 32 MiB"));
}

TEST(CacheTruthTest, BelievesATrueClaim) {
  const CacheTruth truth =
      JudgeCaches(IdealMachine(32 * kKiB, kMiB, 16 * kMiB, 64 * kMiB),
                  Claims(32 * kKiB, kMiB, 16 * kMiB));
  ASSERT_THAT(truth.levels, SizeIs(3));
  EXPECT_EQ(truth.levels[0].measured, 32 * kKiB);
  EXPECT_EQ(truth.levels[1].measured, kMiB);
  EXPECT_EQ(truth.levels[2].measured, 16 * kMiB);
  EXPECT_THAT(CacheFindings(truth), IsEmpty());
  EXPECT_EQ(LastLevelInsteadOfClaim(truth), std::nullopt);
}

// A factor of two either way, and its neighbours.
TEST(CacheTruthTest, ContradictsFromAFactorOfTwo) {
  const LatencyCurve curve =
      IdealMachine(32 * kKiB, kMiB, 16 * kMiB, 64 * kMiB);
  for (const auto& [claim, wrong] :
       std::vector<std::pair<uint64_t, bool>>{{32 * kMiB, false},
                                              {40 * kMiB, true},
                                              {8 * kMiB, false},
                                              {6 * kMiB, true}}) {
    const CacheTruth truth = JudgeCaches(curve, Claims(32 * kKiB, kMiB, claim));
    EXPECT_EQ(truth.levels[2].contradicted, wrong) << claim;
    EXPECT_EQ(CacheFindings(truth).size(), wrong ? 1u : 0u) << claim;
  }
}

TEST(CacheTruthTest, FindsAnL3ThatIsNotClaimed) {
  const CacheTruth truth =
      JudgeCaches(IdealMachine(32 * kKiB, kMiB, 16 * kMiB, 64 * kMiB),
                  Claims(32 * kKiB, kMiB, 0));
  ASSERT_THAT(truth.levels, SizeIs(3));
  EXPECT_EQ(truth.levels[2].claimed, std::nullopt);
  EXPECT_EQ(truth.levels[2].measured, 16 * kMiB);
  EXPECT_FALSE(truth.levels[2].contradicted);
  EXPECT_EQ(LastLevelInsteadOfClaim(truth), 16 * kMiB);
}

TEST(CacheTruthTest, ACpuWithoutL3HasNone) {
  const CacheTruth truth =
      JudgeCaches(IdealMachine(32 * kKiB, kMiB, kMiB, 64 * kMiB),
                  Claims(32 * kKiB, kMiB, 0));
  ASSERT_THAT(truth.levels, SizeIs(2));
  EXPECT_EQ(truth.levels[1].measured, kMiB);
  EXPECT_EQ(LastLevelInsteadOfClaim(truth), std::nullopt);
}

// A claim beyond the end of the curve is not contradicted by silence.
TEST(CacheTruthTest, AnEdgeThatWasNotReachedIsUnknown) {
  const CacheTruth truth =
      JudgeCaches(IdealMachine(32 * kKiB, kMiB, 256 * kMiB, 32 * kMiB),
                  Claims(32 * kKiB, kMiB, 256 * kMiB));
  EXPECT_EQ(truth.levels[2].measured, std::nullopt);
  EXPECT_FALSE(truth.levels[2].contradicted);
}

TEST(CacheTruthTest, OneDipDoesNotMoveAnEdge) {
  LatencyCurve curve = IdealMachine(32 * kKiB, kMiB, 16 * kMiB, 64 * kMiB);
  // An interrupt in the L2's time, a lucky placement beyond the L3.
  for (LatencyCurve::Point& point : curve.points) {
    if (point.bytes == 512 * kKiB) point.cycles = 90;
    if (point.bytes == 32 * kMiB) point.cycles = 70;
  }
  const CacheTruth truth =
      JudgeCaches(curve, Claims(32 * kKiB, kMiB, 16 * kMiB));
  EXPECT_EQ(truth.levels[0].measured, 32 * kKiB);
  EXPECT_EQ(truth.levels[1].measured, kMiB);
  EXPECT_EQ(truth.levels[2].measured, 16 * kMiB);
}

TEST(CacheTruthTest, SaysNothingOfACurveThatIsNoStaircase) {
  LatencyCurve curve = IdealMachine(32 * kKiB, kMiB, 16 * kMiB, 64 * kMiB);
  for (size_t i = 0; i < curve.points.size(); ++i) {
    curve.points[i].cycles = i % 2 == 0 ? 40 : 90;
  }
  const CacheTruth truth =
      JudgeCaches(curve, Claims(32 * kKiB, kMiB, 16 * kMiB));
  for (const MeasuredCache& cache : truth.levels) {
    EXPECT_EQ(cache.measured, std::nullopt) << cache.level;
  }
  EXPECT_THAT(CacheFindings(truth), IsEmpty());
}

}  // namespace
}  // namespace advisor
