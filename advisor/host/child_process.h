// A started child and its pipes: what running a command to its end
// (subprocess.h), talking with a worker (dialogue.h) and tracing a loader
// (advisor/glibc/replay.h) have in common.

#ifndef ADVISOR_HOST_CHILD_PROCESS_H_
#define ADVISOR_HOST_CHILD_PROCESS_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "advisor/host/subprocess.h"

namespace advisor {

// An open file descriptor, closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { Close(); }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  void Close();

 private:
  int fd_;
};

// Its process group is killed and the child reaped, at the latest here.
class ChildProcess {
 public:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}
  ChildProcess(ChildProcess&& other)
      : pid_(std::exchange(other.pid_, -1)), status_(other.status_) {}
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess() { KillAndReap(); }

  bool HasEnded() const;
  // The wait status of its next stop (of a traced child), or of its end.
  // Unavailable when a signal handler ran meanwhile.
  absl::StatusOr<int> WaitForChange();
  // The wait status. While the zombie is there, nobody else can get its group.
  int KillAndReap();

  // -1 when it was reaped.
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
  int status_ = 0;
};

struct StartedChild {
  ChildProcess process;
  // Not open unless asked for: the child then reads /dev/null.
  Descriptor standard_input;
  Descriptor standard_output;
  Descriptor standard_error;
};

enum class ChildInput { kNothing, kPipe };

// What a child is started with, besides the command.
struct ChildOptions {
  // Descriptors of this process; -1 stands for /dev/null.
  int standard_input = -1;
  int standard_output = -1;
  int standard_error = -1;
  // Of each of its processes (RLIMIT_CPU), so that what a killed parent leaves
  // behind ends, too.
  absl::Duration cpu_time = absl::InfiniteDuration();
  // Is traced by this thread, and stops with SIGTRAP when it has become the
  // program; its addresses are not randomised where the system lets it.
  bool traced = false;
};

// As execve takes them, with the null at the end; good while `strings` is.
std::vector<char*> CStrings(const std::vector<std::string>& strings);

// Starts `command` under the conditions that Subprocess::Run promises; its
// limits of time and output are left to the caller. Unavailable where the child
// may not be traced.
absl::StatusOr<ChildProcess> StartProcess(const Command& command,
                                          const ChildOptions& options);

// The same with pipes.
absl::StatusOr<StartedChild> StartChild(
    const Command& command, ChildInput input,
    absl::Duration cpu_time = absl::InfiniteDuration());

}  // namespace advisor

#endif  // ADVISOR_HOST_CHILD_PROCESS_H_
