#include "kernels/measure/cell_runner.h"

#include <string.h>

#include <atomic>
#include <memory>
#include <random>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "kernels/measure/cycle_counter.h"

namespace kernels {
namespace {

std::atomic<uint64_t> copies{0};
std::atomic<uint64_t> copied_bytes{0};

void* CountingCopy(void* destination, const void* source, size_t size) {
  ++copies;
  copied_bytes += size;
  return memcpy(destination, source, size);
}

void* SlowCopy(void* destination, const void* source, size_t size) {
  for (int i = 0; i < 200; ++i) asm volatile("pause");
  return memcpy(destination, source, size);
}

std::unique_ptr<CellRunner> Make(const Cell& cell) {
  static std::vector<ArenaPool>& pools = *new std::vector<ArenaPool>;
  std::mt19937_64 random(1);
  return *CellRunner::Create(cell, {0, 1}, pools, random);
}

TEST(CellRunnerTest, MakesOneCallMoreThanItTimes) {
  const auto runner =
      Make({false, 4096, Alignment::kAligned, Regime::kRotating, 1});
  copies = 0;
  copied_bytes = 0;
  EXPECT_GT(runner->Run({&CountingCopy, nullptr}, 9), 0);
  EXPECT_EQ(copies, 10u);
  EXPECT_EQ(copied_bytes, 40960u);
}

TEST(CellRunnerTest, WarmsEveryBuffer) {
  const auto runner =
      Make({false, 100000, Alignment::kAligned, Regime::kRotating, 1});
  copies = 0;
  runner->WarmUp({&CountingCopy, nullptr});
  EXPECT_GE(copies, (4u << 20) / (2 * 102400));
}

TEST(CellRunnerTest, RunsEveryCopier) {
  const auto runner = Make({false, 100, Alignment::kAligned, Regime::kHot, 2});
  for (int round = 0; round < 50; ++round) {
    copies = 0;
    EXPECT_GT(runner->Run({&CountingCopy, nullptr}, 3), 0);
    EXPECT_EQ(copies, 8u);
  }
}

TEST(CellRunnerTest, RunsMemset) {
  const auto runner =
      Make({true, 100, Alignment::kAligned, Regime::kReadBack, 1});
  EXPECT_GT(runner->Run({nullptr, &memset}, 3), 0);
}

TEST(CellRunnerTest, SeesASlowRoutine) {
  const auto runner = Make({false, 64, Alignment::kAligned, Regime::kHot, 1});
  EXPECT_GT(runner->Run({&SlowCopy, nullptr}, 50),
            2 * runner->Run({&memcpy, nullptr}, 50));
}

TEST(CellRunnerTest, FillsABatch) {
  const auto runner = Make({false, 64, Alignment::kAligned, Regime::kHot, 1});
  EXPECT_GT(runner->CallsToFill({&memcpy, nullptr}, 100000), 100u);
  EXPECT_EQ(runner->CallsToFill({&memcpy, nullptr}, 1), 1u);
}

TEST(CellRunnerTest, RefusesMoreCopiersThanCpus) {
  std::mt19937_64 random(1);
  std::vector<ArenaPool> pools;
  EXPECT_TRUE(absl::IsInvalidArgument(
      CellRunner::Create({false, 64, Alignment::kAligned, Regime::kHot, 3},
                         {0, 1}, pools, random)
          .status()));
}

TEST(CycleCounterTest, TicksAtAPlausibleRate) {
  EXPECT_GT(CyclesPerSecond(), 2e8);
  EXPECT_LT(CyclesPerSecond(), 2e10);
}

}  // namespace
}  // namespace kernels
