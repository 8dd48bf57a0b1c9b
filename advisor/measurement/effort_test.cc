#include "advisor/measurement/effort.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

constexpr uint64_t kMiB = 1 << 20;

FakeFileReader Memory(uint64_t kibibytes) {
  FakeFileReader files;
  files.Add("/proc/meminfo",
            "MemAvailable:   " + std::to_string(kibibytes) + " kB\n");
  return files;
}

// What else a run does (the start of processes, the loader's listings, the
// latency curve, masks) must fit into 20 s and 120 s as well.
TEST(EffortTest, BothModesEndInTime) {
  const Effort quick = EffortOf(MeasureMode::kQuick);
  EXPECT_LE(quick.path_limit + quick.proof_limit, absl::Seconds(13.5));
  const Effort full = EffortOf(MeasureMode::kFull);
  EXPECT_LE(full.path_limit + full.proof_limit, absl::Seconds(96));
  for (const Effort& effort : {quick, full}) {
    EXPECT_LE(effort.path_budget, effort.path_limit);
    EXPECT_LE(effort.proof_budget, effort.proof_limit);
  }
}

TEST(EffortTest, LargestCallTakesAQuarterOfTheMemoryAtMost) {
  // 2 copiers with 2 pairs of 64 MiB in one process are 512 MiB.
  EXPECT_EQ(LargestCall(64 * kMiB, 2, 1, Memory(2048 * 1024)), 64 * kMiB);
  EXPECT_EQ(LargestCall(64 * kMiB, 2, 1, Memory(2047 * 1024)), 32 * kMiB);
  EXPECT_EQ(LargestCall(64 * kMiB, 2, 4, Memory(2048 * 1024)), 16 * kMiB);
}

TEST(EffortTest, LargestCallHasAFloorAndNeedsNoMeminfo) {
  EXPECT_EQ(LargestCall(64 * kMiB, 8, 4, Memory(1024)), kMiB);
  EXPECT_EQ(LargestCall(64 * kMiB, 8, 4, FakeFileReader()), 64 * kMiB);
}

TEST(EffortTest, SomeCpuCanMeasure) {
  EXPECT_THAT(MeasurementCpus(), testing::Not(testing::IsEmpty()));
  EXPECT_LE(MeasurementCpus().size(), 8u);
}

}  // namespace
}  // namespace advisor
