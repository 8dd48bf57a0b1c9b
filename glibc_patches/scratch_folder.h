// A private folder for the files of one run.

#ifndef GLIBC_PATCHES_SCRATCH_FOLDER_H_
#define GLIBC_PATCHES_SCRATCH_FOLDER_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace glibc_patches {

class ScratchFolder {
 public:
  // A new folder that only this user can read, in `parent` ("/tmp").
  static absl::StatusOr<ScratchFolder> Create(const std::string& parent);

  ScratchFolder(ScratchFolder&& other) noexcept
      : path_(std::exchange(other.path_, std::string())) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  // Removes it with all that is in it.
  ~ScratchFolder();

  const std::string& path() const { return path_; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// Writes a whole file, its folders too.
absl::Status WriteFile(const std::string& path, absl::string_view content);

// Copies a folder or a file with all that is in it; links are followed, so that
// nothing in the copy can lead to the original.
absl::Status CopyAll(const std::string& from, const std::string& to);

absl::Status RemoveFile(const std::string& path);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_SCRATCH_FOLDER_H_
