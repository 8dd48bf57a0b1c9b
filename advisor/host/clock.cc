#include "advisor/host/clock.h"

#include <time.h>

#include "absl/time/clock.h"

namespace advisor {

absl::Duration RealClock::Monotonic() const {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return absl::DurationFromTimespec(now);
}

absl::Time RealClock::Wall() const { return absl::Now(); }

}  // namespace advisor
