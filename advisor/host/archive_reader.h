// The files of an archive (tar or cpio; plain, gzip or xz), one after the
// other, without unpacking it.

#ifndef ADVISOR_HOST_ARCHIVE_READER_H_
#define ADVISOR_HOST_ARCHIVE_READER_H_

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

struct archive;

namespace advisor {

class ArchiveReader {
 public:
  struct Entry {
    std::string name;  // "ARCHIVE:NAME"
    // InvalidArgument "ARCHIVE:NAME: ..." for a file that cannot be read, and
    // for one of more than 16 MiB; the archive goes on after it.
    absl::StatusOr<std::string> content;
  };

  // "-" is standard input. What is no archive is one entry of the name "data".
  static absl::StatusOr<std::unique_ptr<ArchiveReader>> Open(
      absl::string_view path);
  ~ArchiveReader();

  // The next regular file; nullopt at the end. An error "PATH: ..." when the
  // archive is damaged: there is nothing more to be had of it.
  absl::StatusOr<std::optional<Entry>> Next();

 private:
  ArchiveReader(std::string path, archive* reader)
      : path_(std::move(path)), reader_(reader) {}

  absl::Status Error() const;
  // The next block of the file, for libarchive; -1 on an error.
  static ssize_t ReadBlock(archive* reader, void* self, const void** block);

  const std::string path_;
  archive* const reader_;
  int fd_ = -1;
  std::string block_;
};

// By its name: ".tar", ".tar.gz", ".tgz", ...
bool IsArchiveName(absl::string_view path);

}  // namespace advisor

#endif  // ADVISOR_HOST_ARCHIVE_READER_H_
