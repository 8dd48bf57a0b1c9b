// A private folder for the files of one run.

#ifndef ADVISOR_HOST_SCRATCH_FOLDER_H_
#define ADVISOR_HOST_SCRATCH_FOLDER_H_

#include <sys/types.h>

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace advisor {

class ScratchFolder {
 public:
  // A new folder that only this user can read, "PARENT/PREFIX.XXXXXX", in
  // `parent` ("/tmp").
  static absl::StatusOr<ScratchFolder> Create(
      absl::string_view parent, absl::string_view prefix = "glibc_patch");

  ScratchFolder(ScratchFolder&& other) noexcept
      : path_(std::exchange(other.path_, std::string())),
        guard_(std::exchange(other.guard_, -1)),
        guard_pipe_(std::exchange(other.guard_pipe_, -1)) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  // Removes it with all that is in it. Where this process ends without getting
  // here (a signal, a crash), a second process does it.
  ~ScratchFolder();

  const std::string& path() const { return path_; }

 private:
  ScratchFolder(std::string path, pid_t guard, int guard_pipe)
      : path_(std::move(path)), guard_(guard), guard_pipe_(guard_pipe) {}

  std::string path_;
  pid_t guard_;     // -1: none could be started
  int guard_pipe_;  // its end tells the guard that this process ended
};

}  // namespace advisor

#endif  // ADVISOR_HOST_SCRATCH_FOLDER_H_
