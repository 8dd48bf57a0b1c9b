#include "advisor/host/program_timer.h"

#include <sys/resource.h>
#include <sys/wait.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "advisor/host/child_process.h"
#include "advisor/host/clock.h"
#include "advisor/host/interrupt.h"

namespace advisor {
namespace {

constexpr absl::Duration kLookAround = absl::Milliseconds(100);

}  // namespace

absl::StatusOr<TimedRun> RealProgramTimer::Run(const Command& command) const {
  Command own = command;
  own.file_limit = RLIM_INFINITY;
  ChildOptions options;
  options.cpu_time = CpuTimeWithin(command.time_limit);
  const RealClock clock;
  const absl::Duration start = clock.Monotonic();
  absl::StatusOr<ChildProcess> child = StartProcess(own, options);
  if (!child.ok()) return child.status();
  while (!child->EndsWithin(kLookAround)) {
    if (Interrupted().has_value()) return absl::CancelledError("interrupted");
    if (clock.Monotonic() - start > command.time_limit) {
      return absl::DeadlineExceededError(
          absl::StrCat(command.argv[0], ": took more than ",
                       absl::FormatDuration(command.time_limit)));
    }
  }
  const absl::Duration end = clock.Monotonic();
  const int status = child->KillAndReap();
  TimedRun run;
  if (WIFEXITED(status)) run.exit_status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) run.signal = WTERMSIG(status);
  run.wall = end - start;
  run.cpu = absl::DurationFromTimeval(child->usage().ru_utime) +
            absl::DurationFromTimeval(child->usage().ru_stime);
  return run;
}

}  // namespace advisor
