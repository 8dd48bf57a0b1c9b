#include <sys/mman.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advisor/host/archive_reader.h"
#include "tools/fuzzing/fuzzing.h"

namespace advisor {
namespace {

// A file in memory with that content; the same one each time.
const std::string& FileOf(absl::string_view content) {
  static const int fd = memfd_create("fuzzed", 0);
  static const auto* const path =
      new std::string(absl::StrCat("/proc/self/fd/", fd));
  const auto size = static_cast<ssize_t>(content.size());
  fuzzing::Require(ftruncate(fd, 0) == 0 &&
                       pwrite(fd, content.data(), content.size(), 0) == size,
                   "a file in memory");
  return *path;
}

void TestOne(absl::string_view content) {
  const std::string& path = FileOf(content);
  absl::StatusOr<std::unique_ptr<ArchiveReader>> reader =
      ArchiveReader::Open(path);
  if (!reader.ok()) return fuzzing::RequireInputError(reader.status(), path);
  while (true) {
    const absl::StatusOr<std::optional<ArchiveReader::Entry>> entry =
        (*reader)->Next();
    if (!entry.ok()) return fuzzing::RequireInputError(entry.status(), path);
    if (!entry->has_value()) return;
    fuzzing::Require(absl::StartsWith((*entry)->name, path + ":"),
                     "the archive's name before the file's");
  }
}

}  // namespace
}  // namespace advisor

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  advisor::TestOne(fuzzing::Text(data, size));
  return 0;
}
