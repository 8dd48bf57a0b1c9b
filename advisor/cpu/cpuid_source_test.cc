#include "advisor/cpu/cpuid_source.h"

#include <sched.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::Optional;

TEST(CpuidTableTest, AbsentIsAnotherFactThanZero) {
  CpuidTable table;
  table.Set(2, 0, {});
  EXPECT_THAT(table.Query(2), Optional(CpuidRegisters{}));
  EXPECT_EQ(table.Query(4), std::nullopt);
  EXPECT_EQ(table.Execute(4), CpuidRegisters{});
}

TEST(CpuidTableTest, OnlyLeavesWithSubleavesDependOnEcx) {
  CpuidTable table;
  table.Set(1, 0, {1, 2, 3, 4});
  table.Set(4, 0, {5, 6, 7, 8});
  EXPECT_THAT(table.Query(1, 9), Optional(CpuidRegisters{1, 2, 3, 4}));
  EXPECT_EQ(table.Query(4, 9), std::nullopt);
}

TEST(CpuidTableTest, RemovesALeafWithItsSubleaves) {
  CpuidTable table;
  table.Set(3, 0, {1, 0, 0, 0});
  table.Set(4, 0, {2, 0, 0, 0});
  table.Set(4, ~uint32_t{0}, {3, 0, 0, 0});
  table.Set(5, 0, {4, 0, 0, 0});
  table.Remove(4);
  EXPECT_EQ(table.entries().size(), 2);
  EXPECT_EQ(table.Query(4), std::nullopt);
  EXPECT_NE(table.Query(5), std::nullopt);
}

TEST(ReadNativeCpuidTest, HasEveryAnnouncedLeaf) {
  const CpuidTable table = ReadNativeCpuid();
  ASSERT_NE(table.Query(0), std::nullopt);
  for (const uint32_t base : {0u, 0x80000000u}) {
    const uint32_t last = table.Execute(base).eax;
    ASSERT_GE(last, base);
    for (uint32_t leaf = base; leaf <= last; ++leaf) {
      EXPECT_NE(table.Query(leaf), std::nullopt) << std::hex << leaf;
    }
  }
  // x86-64 implies SSE2 and CMPXCHG8B.
  EXPECT_NE(table.Execute(1).edx & 1u << 26, 0);
  EXPECT_NE(table.Execute(1).edx & 1u << 8, 0);
}

TEST(ReadNativeCpuidTest, HasXcr0ExactlyWithOsxsave) {
  const CpuidTable table = ReadNativeCpuid();
  const bool osxsave = (table.Execute(1).ecx >> 27 & 1) != 0;
  EXPECT_EQ(table.Xcr0().has_value(), osxsave);
  // x87 and SSE states are always on.
  EXPECT_EQ(table.Xcr0().value_or(1) & 1, 1);
}

TEST(ReadNativeCpuidTest, RestoresTheAffinity) {
  cpu_set_t before, after;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  ReadNativeCpuid();
  ASSERT_EQ(sched_getaffinity(0, sizeof(after), &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

}  // namespace
}  // namespace advisor
