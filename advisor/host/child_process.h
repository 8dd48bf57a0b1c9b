// A started child and its pipes: what running a command to its end
// (subprocess.h), talking with a worker (dialogue.h), timing a user's program
// (program_timer.h) and tracing one (process_door.h, advisor/glibc/replay.h)
// have in common. Nothing else starts another program.

#ifndef ADVISOR_HOST_CHILD_PROCESS_H_
#define ADVISOR_HOST_CHILD_PROCESS_H_

#include <sys/resource.h>
#include <sys/types.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/synchronization/notification.h"
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
      : pid_(std::exchange(other.pid_, -1)),
        status_(other.status_),
        usage_(other.usage_) {}
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess() { KillAndReap(); }

  bool HasEnded() const;
  // Whether it ended within that time, of which less passes where a signal
  // handler ran.
  bool EndsWithin(absl::Duration time) const;
  // The wait status of its next stop (of a traced child), or of its end.
  // Unavailable when a signal handler ran meanwhile.
  absl::StatusOr<int> WaitForChange();
  // The wait status. While the zombie is there, nobody else can get its group.
  // A traced one is to be killed by the thread that traces it.
  int KillAndReap();
  // When it was reaped: of it and of those that it waited for.
  const struct rusage& usage() const { return usage_; }

  // -1 when it was reaped.
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
  int status_ = 0;
  struct rusage usage_ = {};
};

// Kills a process when the time is over: for a thread that waits for its stops.
class Watchdog {
 public:
  Watchdog(pid_t pid, absl::Duration limit);
  ~Watchdog();

  bool fired() const { return fired_; }

 private:
  const pid_t pid_;
  // Where the kernel has them (5.3): it can never mean another process.
  const Descriptor process_;
  std::atomic<bool> fired_ = false;
  absl::Notification ended_;
  std::thread thread_;
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
  // A user's own program in this process's place: it keeps its descriptors,
  // process group, signal actions and limits, of which nothing else here, in
  // Command or in Subprocess::Run's promises is then taken.
  bool in_place = false;
  // The file, where argv[0] is not its path.
  const char* path = nullptr;
};

// What all CPUs together give within that time: a process with a thread on each
// uses up time that much faster.
absl::Duration CpuTimeWithin(absl::Duration time);

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
