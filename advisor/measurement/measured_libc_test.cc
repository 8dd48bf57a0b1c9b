#include "advisor/measurement/measured_libc.h"

#include "gtest/gtest.h"

namespace advisor {
namespace {

constexpr uint64_t kMiB = 1 << 20;

MeasuredLibc Broken(const GlibcBuild& build) {
  MeasuredLibc libc{build};
  libc.tunables_in_environment = "glibc.malloc.check=1";
  libc.now.non_temporal_threshold = 0;
  libc.now.rep_movsb_threshold = 2048;
  libc.now.rep_movsb_stop_threshold = 0;
  libc.repairs = {{"glibc.cpu.x86_non_temporal_threshold", 64 * kMiB, 0, ""}};
  return libc;
}

TEST(MeasuredLibcTest, AZeroThresholdCrashesFromThePagedCopyOn) {
  EXPECT_FALSE(WouldCrash(Broken(GlibcBuild::Tag(28))));
  EXPECT_TRUE(WouldCrash(Broken(GlibcBuild::Tag(34))));
  MeasuredLibc healthy = Broken(GlibcBuild::Tag(34));
  healthy.now.non_temporal_threshold = 0x4040;
  EXPECT_FALSE(WouldCrash(healthy));
}

TEST(MeasuredLibcTest, TheRepairIsInForceThen) {
  const MeasuredLibc repaired = WithoutCrashes(Broken(GlibcBuild::Tag(34)));
  EXPECT_EQ(repaired.now.non_temporal_threshold, 64 * kMiB);
  EXPECT_EQ(repaired.now.rep_movsb_threshold, 2048u);
  EXPECT_EQ(repaired.tunables_in_environment,
            "glibc.malloc.check=1:"
            "glibc.cpu.x86_non_temporal_threshold=67108864");
  const MeasuredLibc old = WithoutCrashes(Broken(GlibcBuild::Tag(28)));
  EXPECT_EQ(old.now.non_temporal_threshold, 0u);
}

TEST(MeasuredLibcTest, TheStopFollowsWhereTunablesMoveIt) {
  // It does from 2.36 on, but not on AMD.
  MeasuredLibc libc = Broken(GlibcBuild::Tag(37));
  EXPECT_EQ(WithoutCrashes(libc).now.rep_movsb_stop_threshold, 64 * kMiB);
  libc.is_amd = true;
  EXPECT_EQ(WithoutCrashes(libc).now.rep_movsb_stop_threshold, 0u);
}

}  // namespace
}  // namespace advisor
