// Files below a folder that stands for "/": an unpacked container image, or
// another process's root (/proc/N/root).

#ifndef ADVISOR_HOST_ROOTED_FILE_READER_H_
#define ADVISOR_HOST_ROOTED_FILE_READER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advisor/host/child_process.h"
#include "advisor/host/file_reader.h"

namespace advisor {

// Paths are as inside the root: "/lib64/ld-linux-x86-64.so.2". Links are
// followed as a program in there would see them, and never lead out of it, also
// when its owner changes it meanwhile. Only regular files of ordinary file
// systems are read: nothing else is opened, since that may wait or act. A path
// that is in the root but cannot be followed (a loop) is NotFound.
class RootedFileReader : public FileReader {
 public:
  explicit RootedFileReader(absl::string_view root);

  absl::StatusOr<std::string> Read(absl::string_view path) const override;
  absl::StatusOr<std::string> ReadFront(absl::string_view path,
                                        size_t limit) const override;
  absl::StatusOr<std::vector<std::string>> List(
      absl::string_view path) const override;
  absl::StatusOr<std::string> Resolve(absl::string_view path) const override;

  // Where a path of Resolve() is outside.
  std::string Outside(absl::string_view resolved) const;

 private:
  // What the path names, held with O_PATH.
  absl::StatusOr<Descriptor> Hold(absl::string_view path) const;

  std::string root_;  // Without a '/' at its end.
};

}  // namespace advisor

#endif  // ADVISOR_HOST_ROOTED_FILE_READER_H_
