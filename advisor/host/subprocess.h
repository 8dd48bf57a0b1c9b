// The only door to other programs. No shell is involved: a program is named by
// its path and gets exactly the arguments and environment that are given.

#ifndef ADVISOR_HOST_SUBPROCESS_H_
#define ADVISOR_HOST_SUBPROCESS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "advisor/host/environment.h"

namespace advisor {

// Command::file_limit of compilers and of what unpacks archives.
inline constexpr uint64_t kBuildFileLimit = uint64_t{1} << 30;

struct Command {
  // argv[0] is the path of the program; it is not looked up in PATH.
  std::vector<std::string> argv;
  Environment environment;
  // Past this the whole process group is killed.
  absl::Duration time_limit = absl::Seconds(10);
  // Bytes of stdout and of stderr that are kept; more kills the process group.
  size_t output_limit = size_t{16} << 20;
  // Runs on this CPU only.
  std::optional<int> cpu;
  // The longest file that it may write, in bytes (RLIMIT_FSIZE).
  uint64_t file_limit = 0;
};

struct CommandResult {
  // Set when the program ended by itself.
  std::optional<int> exit_status;
  // Set when a signal ended it (SIGKILL when the time limit did).
  std::optional<int> signal;
  bool timed_out = false;
  // Killed because it wrote more than the output limit.
  bool too_much_output = false;
  // The command's limits, for Describe().
  absl::Duration time_limit = absl::InfiniteDuration();
  size_t output_limit = 0;
  std::string standard_output;
  std::string standard_error;

  bool succeeded() const { return exit_status == 0; }
  // "exit status 3", "killed by SIGSEGV", "no answer within 10s", "more than
  // 16777216 bytes of output".
  std::string Describe() const;
  // Of standard error, without spaces around it: what one line of ours has room
  // for. "" where there is none.
  absl::string_view FirstErrorLine() const;
};

class Subprocess {
 public:
  virtual ~Subprocess() = default;

  // Runs the command to its end. An error means that it could not be started
  // (NotFound, PermissionDenied, ... with argv[0]; InvalidArgument for a CPU
  // that it may not run on), or Cancelled after a signal (interrupt.h). How it
  // ended is in the result. The child reads /dev/null, has no descriptor but
  // its three, its own process group, default signal actions, writes no core
  // file, and dies with the calling thread. What it left running in its group
  // is killed when it ends; what left the group has no more than the CPU time
  // that all CPUs give within the time limit. Safe to call from several
  // threads.
  virtual absl::StatusOr<CommandResult> Run(const Command& command) const = 0;
};

class RealSubprocess : public Subprocess {
 public:
  absl::StatusOr<CommandResult> Run(const Command& command) const override;
};

}  // namespace advisor

#endif  // ADVISOR_HOST_SUBPROCESS_H_
