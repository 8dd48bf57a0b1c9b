// The only door to the file system. Everything above reads through it, so that
// a test or a saved machine can stand in for the real one.

#ifndef ADVISOR_HOST_FILE_READER_H_
#define ADVISOR_HOST_FILE_READER_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace advisor {

// What Read() takes of a file.
inline constexpr size_t kMostFileBytes = size_t{256} << 20;

class FileReader {
 public:
  virtual ~FileReader() = default;

  // The whole content. NotFound when there is no such file, PermissionDenied
  // or another error (with errno's words, never Internal) when it cannot be
  // read, InvalidArgument for a directory and for a file of more than 256 MiB.
  // A pipe is waited for, until a signal comes (interrupt.h).
  virtual absl::StatusOr<std::string> Read(absl::string_view path) const = 0;

  // At most `limit` bytes from the front of a regular file, without reading on;
  // InvalidArgument for a folder, pipe or device, which is not waited for.
  virtual absl::StatusOr<std::string> ReadFront(absl::string_view path,
                                                size_t limit) const = 0;

  // Names (without the folder) in `path`, sorted, "." and ".." left out.
  virtual absl::StatusOr<std::vector<std::string>> List(
      absl::string_view path) const = 0;

  // The canonical path behind `path`, all links resolved.
  virtual absl::StatusOr<std::string> Resolve(absl::string_view path) const = 0;
};

// The machine's own files.
class RealFileReader : public FileReader {
 public:
  absl::StatusOr<std::string> Read(absl::string_view path) const override;
  absl::StatusOr<std::string> ReadFront(absl::string_view path,
                                        size_t limit) const override;
  absl::StatusOr<std::vector<std::string>> List(
      absl::string_view path) const override;
  absl::StatusOr<std::string> Resolve(absl::string_view path) const override;
};

// A map from path to content.
class FakeFileReader : public FileReader {
 public:
  explicit FakeFileReader(std::map<std::string, std::string> files = {})
      : files_(std::move(files)) {}

  void Add(std::string path, std::string content) {
    files_[std::move(path)] = std::move(content);
  }

  absl::StatusOr<std::string> Read(absl::string_view path) const override;
  absl::StatusOr<std::string> ReadFront(absl::string_view path,
                                        size_t limit) const override;
  absl::StatusOr<std::vector<std::string>> List(
      absl::string_view path) const override;
  absl::StatusOr<std::string> Resolve(absl::string_view path) const override;

 private:
  std::map<std::string, std::string> files_;
};

}  // namespace advisor

#endif  // ADVISOR_HOST_FILE_READER_H_
