#include "advisor/host/load.h"

#include <optional>

#include "gtest/gtest.h"

namespace advisor {
namespace {

FakeFileReader Stat(const char* text) {
  FakeFileReader files;
  files.Add("/proc/stat", text);
  return files;
}

TEST(LoadTest, ThisThreadMayRunSomewhere) {
  EXPECT_FALSE(AllowedCpus().empty());
  EXPECT_GE(AllowedCpus()[0], 0);
}

TEST(LoadTest, ReadsStealAndBusyTime) {
  const FakeFileReader files =
      Stat("cpu  10 1 20 500 30 2 3 40 7 0\ncpu0 1 1 1 1\n");
  const std::optional<CpuTimes> times = ReadCpuTimes(files);
  ASSERT_TRUE(times.has_value());
  EXPECT_EQ(times->busy, 76u);
  EXPECT_EQ(times->steal, 40u);
}

TEST(LoadTest, OldKernelsHaveNoSteal) {
  const FakeFileReader files = Stat("cpu 10 1 20 500 30\n");
  EXPECT_EQ(ReadCpuTimes(files)->steal, 0u);
}

TEST(LoadTest, UnknownTimesStealNothing) {
  EXPECT_EQ(ReadCpuTimes(FakeFileReader()), std::nullopt);
  EXPECT_EQ(ReadCpuTimes(Stat("cpu 1 x\n")), std::nullopt);
  EXPECT_EQ(ReadCpuTimes(Stat("intr 1 2 3\n")), std::nullopt);
  EXPECT_EQ(ReadCpuTimes(Stat("cpu 18446744073709551615 1 1 1 1 1 1 9\n")),
            std::nullopt);
  EXPECT_EQ(StealShare(std::nullopt, CpuTimes{10, 5}), 0);
}

TEST(LoadTest, StealShareIsOfBusyTime) {
  EXPECT_EQ(StealShare(CpuTimes{100, 10}, CpuTimes{200, 35}), 0.25);
  EXPECT_EQ(StealShare(CpuTimes{100, 10}, CpuTimes{100, 10}), 0);
  // A counter that went back (seen after live migration).
  EXPECT_EQ(StealShare(CpuTimes{100, 10}, CpuTimes{200, 5}), 0);
}

TEST(LoadTest, MemoryIsTheLesserOfMachineAndCgroup) {
  FakeFileReader files;
  files.Add("/proc/meminfo", "MemTotal: 9 kB\nMemAvailable:   2048 kB\n");
  EXPECT_EQ(AvailableMemory(files), 2097152u);
  files.Add("/sys/fs/cgroup/memory.max", "max\n");
  files.Add("/sys/fs/cgroup/memory.current", "1000\n");
  EXPECT_EQ(AvailableMemory(files), 2097152u);
  files.Add("/sys/fs/cgroup/memory.max", "1001000\n");
  EXPECT_EQ(AvailableMemory(files), 1000000u);
  files.Add("/sys/fs/cgroup/memory.current", "2000000\n");
  EXPECT_EQ(AvailableMemory(files), 0u);
  EXPECT_EQ(AvailableMemory(FakeFileReader()), std::nullopt);
  // No machine has so much: not a small number by wrapping around.
  FakeFileReader huge;
  huge.Add("/proc/meminfo", "MemAvailable: 18014398509481985 kB\n");
  EXPECT_EQ(AvailableMemory(huge), std::nullopt);
}

}  // namespace
}  // namespace advisor
