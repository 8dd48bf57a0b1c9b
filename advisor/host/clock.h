// The only door to the time, so that time limits and dates can be tested.

#ifndef ADVISOR_HOST_CLOCK_H_
#define ADVISOR_HOST_CLOCK_H_

#include "absl/time/time.h"

namespace advisor {

class Clock {
 public:
  virtual ~Clock() = default;

  // Time since some fixed point; never goes back (CLOCK_MONOTONIC).
  virtual absl::Duration Monotonic() const = 0;

  // The date and time of day, for what is stored or printed.
  virtual absl::Time Wall() const = 0;
};

class RealClock : public Clock {
 public:
  absl::Duration Monotonic() const override;
  absl::Time Wall() const override;
};

// Stands still until it is told to move. Not synchronised.
class FakeClock : public Clock {
 public:
  explicit FakeClock(absl::Time wall = absl::UnixEpoch()) : wall_(wall) {}

  void Advance(absl::Duration step) {
    monotonic_ += step;
    wall_ += step;
  }

  absl::Duration Monotonic() const override { return monotonic_; }
  absl::Time Wall() const override { return wall_; }

 private:
  absl::Duration monotonic_ = absl::ZeroDuration();
  absl::Time wall_;
};

}  // namespace advisor

#endif  // ADVISOR_HOST_CLOCK_H_
