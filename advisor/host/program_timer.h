// Runs a user's program for its time, not for what it prints.

#ifndef ADVISOR_HOST_PROGRAM_TIMER_H_
#define ADVISOR_HOST_PROGRAM_TIMER_H_

#include <functional>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "advisor/host/subprocess.h"

namespace advisor {

struct TimedRun {
  // One of the two.
  std::optional<int> exit_status;
  std::optional<int> signal;
  absl::Duration wall;
  // User and system time, with that of the children that it waited for.
  absl::Duration cpu;

  bool SameEnd(const TimedRun& other) const {
    return exit_status == other.exit_status && signal == other.signal;
  }
};

class ProgramTimer {
 public:
  virtual ~ProgramTimer() = default;

  // Runs the command to its end, started as Subprocess::Run does: it has its
  // own process group, the three descriptors, all of which are /dev/null, and
  // no core file; but files it may write. NotFound, PermissionDenied: it cannot
  // be started; DeadlineExceeded: past the time limit; Cancelled after a signal
  // (interrupt.h). The group is gone then.
  virtual absl::StatusOr<TimedRun> Run(const Command& command) const = 0;
};

class RealProgramTimer : public ProgramTimer {
 public:
  absl::StatusOr<TimedRun> Run(const Command& command) const override;
};

class FakeProgramTimer : public ProgramTimer {
 public:
  using Function = std::function<absl::StatusOr<TimedRun>(const Command&)>;
  explicit FakeProgramTimer(Function function)
      : function_(std::move(function)) {}
  absl::StatusOr<TimedRun> Run(const Command& command) const override {
    return function_(command);
  }

 private:
  Function function_;
};

}  // namespace advisor

#endif  // ADVISOR_HOST_PROGRAM_TIMER_H_
