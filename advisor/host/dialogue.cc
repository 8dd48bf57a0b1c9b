#include "advisor/host/dialogue.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "advisor/host/child_process.h"
#include "advisor/host/clock.h"
#include "advisor/host/interrupt.h"

namespace advisor {
namespace {

// A signal may have gone to another thread: look for it this often.
constexpr absl::Duration kLookAround = absl::Milliseconds(50);
constexpr size_t kMaxLine = size_t{16} << 20;

std::string LastWords(int standard_error) {
  fcntl(standard_error, F_SETFL, O_NONBLOCK);
  char buffer[4096];
  const ssize_t got = read(standard_error, buffer, sizeof(buffer));
  if (got <= 0) return "";
  CommandResult words;
  words.standard_error.assign(buffer, got);
  return absl::StrCat(": ", words.FirstErrorLine());
}

// write() to a child that is gone must fail, not end this process.
class IgnoredPipeSignal {
 public:
  IgnoredPipeSignal() {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &previous_);
  }
  ~IgnoredPipeSignal() { sigaction(SIGPIPE, &previous_, nullptr); }

 private:
  struct sigaction previous_;
};

class RealDialogue : public Dialogue {
 public:
  RealDialogue(std::string program, absl::Duration time_limit,
               StartedChild child)
      : program_(std::move(program)),
        time_limit_(time_limit),
        child_(std::move(child)) {}

  absl::StatusOr<std::string> Ask(absl::string_view line) override {
    if (absl::Status status = Send(absl::StrCat(line, "\n")); !status.ok()) {
      return status;
    }
    return Receive();
  }

 private:
  absl::Status Send(absl::string_view text) {
    const IgnoredPipeSignal ignored;
    while (!text.empty()) {
      const ssize_t sent =
          write(child_.standard_input.get(), text.data(), text.size());
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) return Gone();
      text.remove_prefix(sent);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> Receive() {
    const RealClock clock;
    const absl::Duration deadline = clock.Monotonic() + time_limit_;
    while (true) {
      const size_t end = received_.find('\n');
      if (end != std::string::npos) {
        std::string line = received_.substr(0, end);
        received_.erase(0, end + 1);
        return line;
      }
      if (const std::optional<int> signal = Interrupted()) {
        return absl::CancelledError(
            absl::StrCat(program_, ": interrupted by signal ", *signal));
      }
      const absl::Duration left = deadline - clock.Monotonic();
      if (left <= absl::ZeroDuration() || received_.size() > kMaxLine) {
        return absl::DeadlineExceededError(
            absl::StrCat(program_, ": no answer within ",
                         absl::FormatDuration(time_limit_)));
      }
      struct pollfd waiting = {child_.standard_output.get(), POLLIN, 0};
      const struct timespec timeout =
          absl::ToTimespec(std::min(left, kLookAround));
      if (ppoll(&waiting, 1, &timeout, nullptr) <= 0) continue;
      char buffer[4096];
      const ssize_t got =
          read(child_.standard_output.get(), buffer, sizeof(buffer));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return Gone();
      received_.append(buffer, got);
    }
  }

  absl::Status Gone() {
    // An output is closed a moment before the child can be waited for.
    for (int i = 0; i < 100 && !child_.process.HasEnded(); ++i) {
      absl::SleepFor(absl::Milliseconds(1));
    }
    const int status = child_.process.KillAndReap();
    CommandResult result;
    if (WIFEXITED(status)) result.exit_status = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    return absl::UnavailableError(
        absl::StrCat(program_, ": ", result.Describe(),
                     LastWords(child_.standard_error.get())));
  }

  const std::string program_;
  const absl::Duration time_limit_;
  StartedChild child_;
  std::string received_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Dialogue>> RealDialogueStarter::Start(
    const Command& command) const {
  absl::StatusOr<StartedChild> child = StartChild(command, ChildInput::kPipe);
  if (!child.ok()) return child.status();
  return std::unique_ptr<Dialogue>(
      new RealDialogue(command.argv[0], command.time_limit, *std::move(child)));
}

}  // namespace advisor
