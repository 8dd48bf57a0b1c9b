// The only door to other programs. No shell is involved: a program is named by
// its path and gets exactly the arguments and environment that are given.

#ifndef ADVISOR_HOST_SUBPROCESS_H_
#define ADVISOR_HOST_SUBPROCESS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "advisor/host/environment.h"

namespace advisor {

struct Command {
  // argv[0] is the path of the program; it is not looked up in PATH.
  std::vector<std::string> argv;
  Environment environment;
  // Past this the whole process group is killed.
  absl::Duration time_limit = absl::Seconds(10);
  // Bytes of stdout and of stderr that are kept; more ends the child.
  size_t output_limit = size_t{16} << 20;
  // Runs on this CPU only.
  std::optional<int> cpu;
};

struct CommandResult {
  // Set when the program ended by itself.
  std::optional<int> exit_status;
  // Set when a signal ended it (SIGKILL when the time limit did).
  std::optional<int> signal;
  bool timed_out = false;
  std::string standard_output;
  std::string standard_error;

  bool succeeded() const { return exit_status == 0; }
  // "exit status 3", "killed by SIGSEGV", "no answer within 10s".
  std::string Describe() const;
};

class Subprocess {
 public:
  virtual ~Subprocess() = default;

  // Runs the command to its end. An error means that it could not be started
  // at all; how it ended is in the result. The child has no standard input, no
  // descriptor but its three, its own process group, and dies with this
  // process.
  virtual absl::StatusOr<CommandResult> Run(const Command& command) const = 0;
};

class RealSubprocess : public Subprocess {
 public:
  absl::StatusOr<CommandResult> Run(const Command& command) const override;
};

}  // namespace advisor

#endif  // ADVISOR_HOST_SUBPROCESS_H_
