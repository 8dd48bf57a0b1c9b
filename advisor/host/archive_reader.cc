#include "advisor/host/archive_reader.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <utility>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advisor/host/interrupt.h"

namespace advisor {
namespace {

constexpr size_t kBlock = 64 * 1024;
// Some hundred of them may be held at a time; an archive packs zeros well.
constexpr size_t kMaxFile = size_t{16} << 20;

}  // namespace

absl::StatusOr<std::unique_ptr<ArchiveReader>> ArchiveReader::Open(
    absl::string_view path) {
  archive* const reader = archive_read_new();
  if (reader == nullptr) return absl::ResourceExhaustedError("no memory");
  // Each of these may need another library at link time.
  archive_read_support_filter_gzip(reader);
  archive_read_support_filter_xz(reader);
  archive_read_support_format_tar(reader);
  archive_read_support_format_cpio(reader);
  archive_read_support_format_empty(reader);
  archive_read_support_format_raw(reader);
  auto result = absl::WrapUnique(new ArchiveReader(
      path == "-" ? "standard input" : std::string(path), reader));
  result->fd_ = path == "-"
                    ? fcntl(0, F_DUPFD_CLOEXEC, 3)
                    : open(std::string(path).c_str(), O_RDONLY | O_CLOEXEC);
  if (result->fd_ < 0) return absl::ErrnoToStatus(errno, result->path_);
  // libarchive's own reader goes on after a signal.
  if (archive_read_open(reader, result.get(), nullptr, &ReadBlock, nullptr) !=
      ARCHIVE_OK) {
    return result->Error();
  }
  return result;
}

ArchiveReader::~ArchiveReader() {
  archive_read_free(reader_);
  if (fd_ >= 0) close(fd_);
}

ssize_t ArchiveReader::ReadBlock(archive* reader, void* self,
                                 const void** block) {
  auto& me = *static_cast<ArchiveReader*>(self);
  me.block_.resize(kBlock);
  ssize_t got;
  do {
    got = read(me.fd_, me.block_.data(), me.block_.size());
  } while (got < 0 && errno == EINTR && !Interrupted().has_value());
  if (got < 0) archive_set_error(reader, errno, "%s", strerror(errno));
  *block = me.block_.data();
  return got;
}

absl::Status ArchiveReader::Error() const {
  const char* const why = archive_error_string(reader_);
  return absl::InvalidArgumentError(
      absl::StrCat(path_, ": expected an archive, found ",
                   why == nullptr ? "a damaged one" : why));
}

absl::StatusOr<std::optional<ArchiveReader::Entry>> ArchiveReader::Next() {
  archive_entry* entry = nullptr;
  while (true) {
    const int status = archive_read_next_header(reader_, &entry);
    if (status == ARCHIVE_EOF) return std::optional<Entry>();
    if (status == ARCHIVE_RETRY) continue;
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN) return Error();
    if (archive_entry_filetype(entry) == AE_IFREG) break;
  }
  const char* const name = archive_entry_pathname(entry);
  Entry result = {absl::StrCat(path_, ":", name == nullptr ? "?" : name),
                  std::string()};
  std::string content;
  char block[kBlock];
  while (true) {
    const la_ssize_t length = archive_read_data(reader_, block, sizeof block);
    if (length == 0) break;
    if (length == ARCHIVE_RETRY) continue;
    if (length == ARCHIVE_FATAL) return Error();
    if (length < 0) {
      const char* const why = archive_error_string(reader_);
      result.content = absl::InvalidArgumentError(absl::StrCat(
          result.name, ": ", why == nullptr ? "cannot be read" : why));
      return std::optional<Entry>(std::move(result));
    }
    if (content.size() + length > kMaxFile) {
      result.content = absl::InvalidArgumentError(
          absl::StrCat(result.name, ": more than 16 MiB"));
      return std::optional<Entry>(std::move(result));
    }
    content.append(block, length);
  }
  result.content = std::move(content);
  return std::optional<Entry>(std::move(result));
}

bool IsArchiveName(absl::string_view path) {
  for (const absl::string_view end :
       {".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".cpio"}) {
    if (absl::EndsWith(path, end)) return true;
  }
  return false;
}

}  // namespace advisor
