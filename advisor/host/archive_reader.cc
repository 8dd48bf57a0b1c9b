#include "advisor/host/archive_reader.h"

#include <archive.h>
#include <archive_entry.h>

#include <utility>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace advisor {
namespace {

constexpr size_t kBlock = 64 * 1024;
constexpr size_t kMaxFile = size_t{256} << 20;

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
  const int status = path == "-"
                         ? archive_read_open_fd(reader, 0, kBlock)
                         : archive_read_open_filename(
                               reader, std::string(path).c_str(), kBlock);
  if (status != ARCHIVE_OK) return result->Error();
  return result;
}

ArchiveReader::~ArchiveReader() { archive_read_free(reader_); }

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
          absl::StrCat(result.name, ": more than 256 MiB"));
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
