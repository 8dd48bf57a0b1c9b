#include "advisor/glibc/replay_sites.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ReplaySites Find(const std::string& code) {
  ElfFile file;
  file.code.push_back({0x1000, code});
  return FindReplaySites(file);
}

TEST(ReplaySitesTest, FindsBothInstructions) {
  const ReplaySites found = Find("\x90\x0f\xa2\x0f\x01\xd0\x0f\xa2\xc3");
  ASSERT_EQ(found.sites.size(), 3);
  EXPECT_EQ(found.sites[0].address, 0x1001);
  EXPECT_EQ(found.sites[0].instruction, ReplayedInstruction::kCpuid);
  EXPECT_EQ(found.sites[1].address, 0x1003);
  EXPECT_EQ(found.sites[1].instruction, ReplayedInstruction::kXgetbv);
  EXPECT_EQ(found.sites[2].address, 0x1006);
  EXPECT_THAT(found.uncertain, IsEmpty());
}

TEST(ReplaySitesTest, LeavesBytesOfOtherInstructionsAlone) {
  // mov $0x90a20f90, %eax; xsetbv (0f 01 d1); nop
  const ReplaySites found = Find("\xb8\x90\x0f\xa2\x90\x0f\x01\xd1\x90");
  EXPECT_THAT(found.sites, IsEmpty());
  EXPECT_THAT(found.uncertain, ElementsAre(0x1002));
}

TEST(ReplaySitesTest, GoesOnAfterBytesThatAreNoInstruction) {
  // 06 (push %es) does not exist in 64-bit mode.
  const ReplaySites found = Find("\x06\x06\x0f\xa2");
  ASSERT_EQ(found.sites.size(), 1);
  EXPECT_EQ(found.sites[0].address, 0x1002);
}

TEST(ReplaySitesTest, StopsAtTheEndOfTheCode) {
  EXPECT_THAT(Find("\x90\x0f").sites, IsEmpty());
  EXPECT_THAT(Find("").sites, IsEmpty());
}

}  // namespace
}  // namespace advisor
