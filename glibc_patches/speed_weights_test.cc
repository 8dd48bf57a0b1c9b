#include "glibc_patches/speed_weights.h"

#include <cmath>
#include <string>
#include <vector>

#include "advisor/host/file_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace glibc_patches {
namespace {

using ::advisor::Workload;
using ::kernels::Alignment;
using ::kernels::Regime;
using ::testing::DoubleNear;
using ::testing::HasSubstr;

constexpr char kVariant[] = "__memmove_evex_unaligned_erms";

SpeedCellResult CellOf(uint64_t size, double cycles, Regime regime,
                       const std::string& thresholds = kMachineThresholds,
                       int copiers = 1) {
  SpeedCellResult result;
  result.cell = {kVariant,
                 thresholds,
                 {false, size, Alignment::kAligned, regime, copiers},
                 0};
  result.base_cycles = cycles;
  return result;
}

// Sets each process's change, as a share of the time.
void SetSamples(SpeedCellResult& cell, const std::vector<double>& changes) {
  for (const double change : changes) {
    cell.patched_samples.push_back(std::log1p(change));
    cell.control_samples.push_back(0);
  }
}

Workload Calls(std::vector<advisor::SizeCount> sizes) {
  Workload workload;
  workload.name = "calls";
  workload.functions = {{"memcpy", std::move(sizes)}};
  return workload;
}

CallMix MixOf(std::vector<Workload> workloads) {
  CallMix mix;
  mix.name = "mine";
  mix.workloads = std::move(workloads);
  return mix;
}

// 300 calls of 10 cycles, 10 of 100: three quarters of the time and one.
TEST(SpeedWeightsTest, SharesAreThoseOfTheTime) {
  SpeedResult speed;
  speed.cells = {CellOf(16, 10, Regime::kHot), CellOf(1024, 100, Regime::kHot),
                 CellOf(8192, 400, Regime::kHot)};
  const WeighedSpeed weighed =
      Weigh(MixOf({Calls({{16, 300, 4800}, {1024, 10, 10240}})}), speed);
  EXPECT_THAT(weighed.cells[0].share, DoubleNear(0.75, 1e-12));
  EXPECT_THAT(weighed.cells[1].share, DoubleNear(0.25, 1e-12));
  EXPECT_EQ(weighed.cells[2].share, 0);
  EXPECT_TRUE(weighed.cells[0].matters);
  EXPECT_TRUE(weighed.cells[1].matters);
  EXPECT_FALSE(weighed.cells[2].matters);
}

// A class that carries just enough of the time, and its neighbour.
TEST(SpeedWeightsTest, AClassMattersFromAShareOn) {
  SpeedResult speed;
  speed.cells = {CellOf(16, 10, Regime::kHot), CellOf(1024, 100, Regime::kHot)};
  // One call of 100 cycles among as many small ones as give it that share.
  for (const double share : {kLeastShare * 1.01, kLeastShare * 0.99}) {
    const auto small = static_cast<uint64_t>(10 * (1 / share - 1));
    const WeighedSpeed weighed = Weigh(
        MixOf({Calls({{16, small, 16 * small}, {1024, 1, 1024}})}), speed);
    EXPECT_THAT(weighed.cells[1].share, DoubleNear(share, 1e-6));
    EXPECT_EQ(weighed.cells[1].matters, share > kLeastShare) << share;
  }
}

// Nothing is known of the regime: three to one (advisor/workload/weights.h).
TEST(SpeedWeightsTest, AClassIsDividedByConditions) {
  SpeedResult speed;
  speed.cells = {CellOf(16, 10, Regime::kHot),
                 CellOf(16, 30, Regime::kRotating)};
  Workload workload = Calls({{16, 100, 1600}});
  WeighedSpeed weighed = Weigh(MixOf({workload}), speed);
  EXPECT_THAT(weighed.cells[0].share, DoubleNear(0.75, 1e-12));
  EXPECT_THAT(weighed.cells[1].share, DoubleNear(0.25, 1e-12));
  // What the workload says it never does does not matter.
  workload.conditions = advisor::WorkloadConditions{0, 1, 0, 0, {}};
  weighed = Weigh(MixOf({workload}), speed);
  EXPECT_FALSE(weighed.cells[0].matters);
  EXPECT_TRUE(weighed.cells[1].matters);
  EXPECT_THAT(weighed.cells[1].share, DoubleNear(1, 1e-12));
}

// Other thresholds and all CPUs: the share of the class that they are for, once
// more, and nothing in the sum of all calls.
TEST(SpeedWeightsTest, OtherThresholdsAndCopiersAreBesideTheMix) {
  SpeedResult speed;
  speed.cells = {CellOf(16, 10, Regime::kHot), CellOf(1024, 100, Regime::kHot),
                 CellOf(1536, 300, Regime::kHot, "never rep movsb"),
                 CellOf(1024, 200, Regime::kHot, kMachineThresholds, 2),
                 CellOf(65536, 9000, Regime::kHot, "never rep movsb")};
  for (SpeedCellResult& cell : speed.cells) {
    SetSamples(cell, {0, 0, 0, 0, 0, 0});
  }
  speed.cells[2].patched_samples.assign(6, std::log(3));
  speed.cells[3].patched_samples.assign(6, std::log(3));
  const WeighedSpeed weighed =
      Weigh(MixOf({Calls({{16, 300, 4800}, {1024, 10, 10240}})}), speed);
  EXPECT_THAT(weighed.cells[2].share, DoubleNear(0.25, 1e-12));
  EXPECT_THAT(weighed.cells[3].share, DoubleNear(0.25, 1e-12));
  EXPECT_TRUE(weighed.cells[2].matters);
  EXPECT_TRUE(weighed.cells[3].matters);
  EXPECT_FALSE(weighed.cells[4].matters);
  ASSERT_EQ(weighed.changes.size(), 1u);
  EXPECT_EQ(weighed.changes[0].interval.middle, 0);
}

// 0.75 of the time by 4 %, 0.25 by -8 %: 1 %. And so on: 1.75 %, 2.5 %, ...
TEST(SpeedWeightsTest, TheWholeMixIsTheSumOfItsParts) {
  SpeedResult speed;
  speed.cells = {CellOf(16, 10, Regime::kHot), CellOf(1024, 100, Regime::kHot)};
  // In random order, and one process that was disturbed.
  SetSamples(speed.cells[0],
             {0.06, 0.04, 0.05, 0.08, 0.07, 0.09, 0.10, 0.11, 3.00});
  SetSamples(speed.cells[1], std::vector<double>(9, -0.08));
  speed.cells[0].interval.high = std::log(1.12);
  speed.cells[1].interval.high = std::log(0.96);
  const WeighedSpeed weighed =
      Weigh(MixOf({Calls({{16, 300, 4800}, {1024, 10, 10240}})}), speed);
  ASSERT_EQ(weighed.changes.size(), 1u);
  const WorkloadChange& change = weighed.changes[0];
  EXPECT_EQ(change.kind, "evex_unaligned_erms");
  EXPECT_EQ(change.calls, "copies");
  EXPECT_EQ(change.processes, 9);
  EXPECT_THAT(change.measured.value_or(0), DoubleNear(1, 1e-12));
  // The fifth of nine: 0.75 * 0.08 - 0.25 * 0.08. At least 95 %: from the
  // second to the eighth (binomial distribution: 96.1 %).
  EXPECT_THAT(change.interval.middle, DoubleNear(std::log(1.04), 1e-12));
  EXPECT_THAT(change.interval.low, DoubleNear(std::log(1.0175), 1e-12));
  EXPECT_THAT(change.interval.high, DoubleNear(std::log(1.0625), 1e-12));
  EXPECT_EQ(change.control.middle, 0);
  // 0.75 * 0.12 - 0.25 * 0.04.
  EXPECT_THAT(change.bound, DoubleNear(std::log(1.08), 1e-12));
}

SpeedJudgement JudgementOf(double change) {
  SpeedResult speed;
  speed.cells = {CellOf(16, 10, Regime::kHot)};
  SetSamples(speed.cells[0], {change - 0.001, change, change + 0.001, change,
                              change - 0.001, change + 0.001});
  return Weigh(MixOf({Calls({{16, 1, 16}})}), speed).changes[0].judgement;
}

TEST(SpeedWeightsTest, ASpeedUpIsJudgedAsASlowdownIs) {
  EXPECT_EQ(JudgementOf(0.03), SpeedJudgement::kSlower);
  EXPECT_EQ(JudgementOf(-0.03), SpeedJudgement::kFaster);
  EXPECT_EQ(JudgementOf(0.003), SpeedJudgement::kSame);
  EXPECT_EQ(JudgementOf(-0.003), SpeedJudgement::kSame);
}

TEST(SpeedWeightsTest, WhatTheControlDiffersByIsNoChange) {
  SpeedResult speed;
  speed.cells = {CellOf(16, 10, Regime::kHot)};
  SetSamples(speed.cells[0], {0.03, 0.031, 0.03, 0.029, 0.03, 0.03});
  speed.cells[0].control_samples = speed.cells[0].patched_samples;
  const WeighedSpeed weighed = Weigh(MixOf({Calls({{16, 1, 16}})}), speed);
  EXPECT_EQ(weighed.changes[0].judgement, SpeedJudgement::kCannotTell);
}

// Twice the time in calls of 1 MiB as in those of 16 bytes; 16 is measured.
TEST(SpeedWeightsTest, TimeInSizesThatWereNotMeasuredIsTold) {
  SpeedResult speed;
  speed.cells = {CellOf(16, 10, Regime::kHot), CellOf(4096, 100, Regime::kHot)};
  SetSamples(speed.cells[0], {0.1, 0.1});
  SetSamples(speed.cells[1], {0, 0});
  const WeighedSpeed weighed =
      Weigh(MixOf({Calls({{16, 1280, 20480}, {1 << 20, 1, 1 << 20}})}), speed);
  // 12800 cycles, and 100 * 2^20 / 4096.
  EXPECT_THAT(weighed.changes[0].measured.value_or(0),
              DoubleNear(12800.0 / (12800 + 25600), 1e-12));
  EXPECT_THAT(weighed.changes[0].interval.middle,
              DoubleNear(std::log(1.1), 1e-12));
}

TEST(SpeedWeightsTest, WorkloadsOfAMixCountTheSame) {
  SpeedResult speed;
  speed.cells = {CellOf(16, 10, Regime::kHot), CellOf(1024, 100, Regime::kHot)};
  // A thousand times as many calls are no more weight; no copies are none.
  Workload sets;
  sets.functions = {{"memset", {{16, 5, 80}}}};
  const WeighedSpeed weighed =
      Weigh(MixOf({Calls({{16, 1000000, 16000000}}),
                   Calls({{16, 10, 160}, {1024, 3, 3072}}), sets}),
            speed);
  EXPECT_THAT(weighed.cells[0].share, DoubleNear((1 + 0.25) / 2, 1e-12));
  EXPECT_THAT(weighed.cells[1].share, DoubleNear(0.75 / 2, 1e-12));
  EXPECT_FALSE(Weigh(MixOf({sets}), speed).changes[0].measured.has_value());
}

TEST(SpeedWeightsTest, TheDefaultIsAllThatWasRecorded) {
  const advisor::RealFileReader files;
  const auto mix = LoadCallMix(files, std::nullopt);
  ASSERT_TRUE(mix.ok()) << mix.status();
  EXPECT_TRUE(mix->is_default);
  EXPECT_GE(mix->workloads.size(), 5u);
  for (const Workload& workload : mix->workloads) {
    EXPECT_TRUE(workload.provenance.is_recorded) << workload.name;
  }
  EXPECT_THAT(mix->provenance, HasSubstr("compiler, database, "));
  const auto named = LoadCallMix(files, "device-staging");
  ASSERT_TRUE(named.ok()) << named.status();
  EXPECT_FALSE(named->is_default);
  EXPECT_EQ(named->name, "device-staging");
}

}  // namespace
}  // namespace glibc_patches
