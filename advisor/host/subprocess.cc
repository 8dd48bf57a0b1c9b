#include "advisor/host/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "advisor/host/child_process.h"
#include "advisor/host/clock.h"
#include "advisor/host/interrupt.h"

namespace advisor {
namespace {

// How long a wait goes on before it looks whether the child has ended with its
// outputs still open (a grandchild has them), or a signal went to another
// thread.
constexpr absl::Duration kLookAround = absl::Milliseconds(50);

// One of the child's outputs, and where it goes.
struct Output {
  Descriptor fd;
  std::string* text;
};

enum class Reading { kGoesOn, kTooMuch };

// Takes what is there now.
Reading Drain(Output& output, size_t limit) {
  char buffer[1 << 16];
  while (output.fd.is_open()) {
    const ssize_t got = read(output.fd.get(), buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) break;
    if (got <= 0) {
      output.fd.Close();
      break;
    }
    const size_t room = limit - output.text->size();
    output.text->append(buffer, std::min<size_t>(got, room));
    if (static_cast<size_t>(got) > room) return Reading::kTooMuch;
  }
  return Reading::kGoesOn;
}

// Sleeps until there is output, or `limit` has passed, or a signal came.
void WaitForOutput(const Output (&outputs)[2], absl::Duration limit) {
  struct pollfd waiting[2];
  nfds_t count = 0;
  for (const Output& output : outputs) {
    if (output.fd.is_open()) waiting[count++] = {output.fd.get(), POLLIN, 0};
  }
  const struct timespec timeout = absl::ToTimespec(limit);
  ppoll(waiting, count, &timeout, nullptr);
}

absl::Status Follow(const Command& command, ChildProcess& child,
                    Output (&outputs)[2], CommandResult& result) {
  const RealClock clock;
  const absl::Duration deadline = clock.Monotonic() + command.time_limit;
  absl::Duration pause = absl::Microseconds(50);
  while (true) {
    // Asked first, so that the reading after it sees all that was written.
    const bool ended = child.HasEnded();
    for (Output& output : outputs) {
      if (Drain(output, command.output_limit) == Reading::kTooMuch) {
        result.too_much_output = true;
        return absl::OkStatus();
      }
    }
    if (ended) return absl::OkStatus();
    if (const std::optional<int> signal = Interrupted()) {
      return absl::CancelledError(
          absl::StrCat(command.argv[0], ": interrupted by signal ", *signal));
    }
    const absl::Duration left = deadline - clock.Monotonic();
    if (left <= absl::ZeroDuration()) {
      result.timed_out = true;
      return absl::OkStatus();
    }
    // Outputs are closed a moment before the child can be waited for.
    const bool silent = !outputs[0].fd.is_open() && !outputs[1].fd.is_open();
    WaitForOutput(outputs, std::min(left, silent ? pause : kLookAround));
    if (silent) pause = std::min(pause * 2, kLookAround);
  }
}

std::string SignalName(int signal) {
  const char* const name = sigabbrev_np(signal);
  return name != nullptr ? absl::StrCat("SIG", name)
                         : absl::StrCat("signal ", signal);
}

}  // namespace

std::string CommandResult::Describe() const {
  if (timed_out) {
    return absl::StrCat("no answer within ", absl::FormatDuration(time_limit));
  }
  if (too_much_output) {
    return absl::StrCat("more than ", output_limit, " bytes of output");
  }
  if (signal.has_value()) return "killed by " + SignalName(*signal);
  if (exit_status.has_value()) {
    return absl::StrCat("exit status ", *exit_status);
  }
  return "not run";
}

absl::string_view CommandResult::FirstErrorLine() const {
  const absl::string_view text = absl::StripAsciiWhitespace(standard_error);
  return absl::StripTrailingAsciiWhitespace(text.substr(0, text.find('\n')));
}

absl::StatusOr<CommandResult> RealSubprocess::Run(
    const Command& command) const {
  absl::StatusOr<StartedChild> child = StartChild(
      command, ChildInput::kNothing, CpuTimeWithin(command.time_limit));
  if (!child.ok()) return child.status();
  CommandResult result;
  result.time_limit = command.time_limit;
  result.output_limit = command.output_limit;
  Output outputs[2] = {
      {std::move(child->standard_output), &result.standard_output},
      {std::move(child->standard_error), &result.standard_error}};
  for (const Output& output : outputs) {
    fcntl(output.fd.get(), F_SETFL, O_NONBLOCK);
  }
  if (absl::Status status = Follow(command, child->process, outputs, result);
      !status.ok()) {
    return status;
  }
  const int status = child->process.KillAndReap();
  if (WIFEXITED(status)) result.exit_status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

}  // namespace advisor
