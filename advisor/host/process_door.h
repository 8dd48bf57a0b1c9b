// The only door into other running processes: which program they run, and what
// is in their memory.

#ifndef ADVISOR_HOST_PROCESS_DOOR_H_
#define ADVISOR_HOST_PROCESS_DOOR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "advisor/host/subprocess.h"

namespace advisor {

class ProcessDoor {
 public:
  virtual ~ProcessDoor() = default;

  // The path of the program, as in the process's own root. NotFound: there is
  // no such process, or it is a kernel thread; PermissionDenied.
  virtual absl::StatusOr<std::string> Executable(int pid) const = 0;

  // Just `length` bytes. NotFound: no such process; PermissionDenied: its
  // memory may not be read (another user's, or the kernel's ptrace rules);
  // OutOfRange: nothing is mapped there.
  virtual absl::StatusOr<std::string> ReadMemory(int pid, uint64_t address,
                                                 size_t length) const = 0;

  // Runs `command` as Subprocess::Run does (but what it writes is dropped)
  // until it is about to exit, its memory still there, and then calls `at_exit`
  // with its process number. It is gone at the return. PermissionDenied:
  // tracing is not allowed here; Internal: it was killed by a signal;
  // DeadlineExceeded; Cancelled after a signal (interrupt.h); else why it could
  // not be started, or what `at_exit` returns.
  virtual absl::Status RunToExit(
      const Command& command,
      const std::function<absl::Status(int pid)>& at_exit) const = 0;
};

class RealProcessDoor : public ProcessDoor {
 public:
  absl::StatusOr<std::string> Executable(int pid) const override;
  absl::StatusOr<std::string> ReadMemory(int pid, uint64_t address,
                                         size_t length) const override;
  absl::Status RunToExit(
      const Command& command,
      const std::function<absl::Status(int pid)>& at_exit) const override;
};

// One program and a few pieces of memory for each process.
class FakeProcessDoor : public ProcessDoor {
 public:
  void AddExecutable(int pid, std::string path) {
    executables_[pid] = std::move(path);
  }
  void AddMemory(int pid, uint64_t address, std::string bytes) {
    memory_[{pid, address}] = std::move(bytes);
  }
  // RunToExit asks `function` for a process number, and is at its exit then.
  void SetRun(std::function<absl::StatusOr<int>(const Command&)> function) {
    run_ = std::move(function);
  }
  // Every read of that process's memory then fails so.
  void Refuse(int pid) { refused_[pid] = true; }

  absl::StatusOr<std::string> Executable(int pid) const override;
  absl::StatusOr<std::string> ReadMemory(int pid, uint64_t address,
                                         size_t length) const override;
  absl::Status RunToExit(
      const Command& command,
      const std::function<absl::Status(int pid)>& at_exit) const override;

 private:
  std::function<absl::StatusOr<int>(const Command&)> run_;
  std::map<int, std::string> executables_;
  std::map<std::pair<int, uint64_t>, std::string> memory_;
  std::map<int, bool> refused_;
};

}  // namespace advisor

#endif  // ADVISOR_HOST_PROCESS_DOOR_H_
