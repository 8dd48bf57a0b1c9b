#include "advisor/host/clock.h"

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

TEST(RealClockTest, Runs) {
  const RealClock clock;
  const absl::Duration start = clock.Monotonic();
  absl::SleepFor(absl::Milliseconds(2));
  EXPECT_GE(clock.Monotonic() - start, absl::Milliseconds(2));
  EXPECT_LT(absl::AbsDuration(clock.Wall() - absl::Now()), absl::Minutes(1));
}

TEST(FakeClockTest, MovesOnlyWhenTold) {
  FakeClock clock(absl::FromUnixSeconds(1000));
  const absl::Duration start = clock.Monotonic();
  EXPECT_EQ(clock.Monotonic(), start);
  clock.Advance(absl::Seconds(5));
  EXPECT_EQ(clock.Monotonic() - start, absl::Seconds(5));
  EXPECT_EQ(clock.Wall(), absl::FromUnixSeconds(1005));
}

}  // namespace
}  // namespace advisor
