// A child process that answers lines: one line to it, one line back.

#ifndef ADVISOR_HOST_DIALOGUE_H_
#define ADVISOR_HOST_DIALOGUE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "advisor/host/subprocess.h"

namespace advisor {

class Dialogue {
 public:
  virtual ~Dialogue() = default;

  // Sends `line` (without its end) and returns the line that comes back.
  // DeadlineExceeded when there is none within the command's time limit,
  // Unavailable with how the child ended and its last words on stderr when it
  // is gone, Cancelled after a signal (interrupt.h).
  virtual absl::StatusOr<std::string> Ask(absl::string_view line) = 0;
};

// Starts dialogues; a seam for tests.
class DialogueStarter {
 public:
  virtual ~DialogueStarter() = default;

  // The child is started as Subprocess::Run does, but with a pipe as standard
  // input; it and its process group are killed when the dialogue is destroyed.
  virtual absl::StatusOr<std::unique_ptr<Dialogue>> Start(
      const Command& command) const = 0;
};

class RealDialogueStarter : public DialogueStarter {
 public:
  absl::StatusOr<std::unique_ptr<Dialogue>> Start(
      const Command& command) const override;
};

}  // namespace advisor

#endif  // ADVISOR_HOST_DIALOGUE_H_
