#include "advisor/host/file_reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "advisor/host/interrupt.h"

namespace advisor {
namespace {

absl::Status FileError(int error, absl::string_view path) {
  return absl::ErrnoToStatus(error, path);
}

}  // namespace

absl::StatusOr<std::string> RealFileReader::Read(absl::string_view path) const {
  const std::string name(path);
  const int fd = open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return FileError(errno, path);
  absl::Cleanup close_fd = [fd] { close(fd); };
  struct stat status;
  if (fstat(fd, &status) != 0) return FileError(errno, path);
  if (S_ISDIR(status.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is a directory"));
  }
  // Files of /proc and /sys say that they are empty: read to the end.
  std::string content;
  char buffer[1 << 16];
  while (true) {
    const ssize_t got = read(fd, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR && !Interrupted().has_value()) continue;
    if (got < 0) return FileError(errno, path);
    if (got == 0) return content;
    content.append(buffer, got);
    if (content.size() > kMostFileBytes) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": larger than 256 MiB"));
    }
  }
}

absl::StatusOr<std::string> RealFileReader::ReadFront(absl::string_view path,
                                                      size_t limit) const {
  const std::string name(path);
  const int fd = open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return FileError(errno, path);
  absl::Cleanup close_fd = [fd] { close(fd); };
  struct stat status;
  if (fstat(fd, &status) != 0) return FileError(errno, path);
  if (!S_ISREG(status.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": is not a regular file"));
  }
  std::string content;
  char buffer[1 << 16];
  while (content.size() < limit) {
    const ssize_t got =
        read(fd, buffer, std::min(sizeof(buffer), limit - content.size()));
    if (got < 0 && errno == EINTR && !Interrupted().has_value()) continue;
    if (got < 0) return FileError(errno, path);
    if (got == 0) break;
    content.append(buffer, got);
  }
  return content;
}

absl::StatusOr<std::vector<std::string>> RealFileReader::List(
    absl::string_view path) const {
  DIR* const dir = opendir(std::string(path).c_str());
  if (dir == nullptr) return FileError(errno, path);
  absl::Cleanup close_dir = [dir] { closedir(dir); };
  std::vector<std::string> names;
  while (const dirent* entry = readdir(dir)) {
    const absl::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<std::string> RealFileReader::Resolve(
    absl::string_view path) const {
  std::unique_ptr<char, decltype(&free)> resolved(
      realpath(std::string(path).c_str(), nullptr), &free);
  if (resolved == nullptr) return FileError(errno, path);
  return std::string(resolved.get());
}

absl::StatusOr<std::string> FakeFileReader::Read(absl::string_view path) const {
  const auto file = files_.find(std::string(path));
  if (file != files_.end()) return file->second;
  if (List(path).ok()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is a directory"));
  }
  return FileError(ENOENT, path);
}

absl::StatusOr<std::string> FakeFileReader::ReadFront(absl::string_view path,
                                                      size_t limit) const {
  absl::StatusOr<std::string> content = Read(path);
  if (content.ok() && content->size() > limit) content->resize(limit);
  return content;
}

absl::StatusOr<std::vector<std::string>> FakeFileReader::List(
    absl::string_view path) const {
  const std::string folder = absl::StrCat(absl::StripSuffix(path, "/"), "/");
  std::vector<std::string> names;
  for (const auto& [name, content] : files_) {
    absl::string_view rest = name;
    if (!absl::ConsumePrefix(&rest, folder)) continue;
    rest = rest.substr(0, rest.find('/'));
    if (names.empty() || names.back() != rest) names.emplace_back(rest);
  }
  if (names.empty()) return FileError(ENOENT, path);
  return names;
}

absl::StatusOr<std::string> FakeFileReader::Resolve(
    absl::string_view path) const {
  if (files_.count(std::string(path)) == 0 && !List(path).ok()) {
    return FileError(ENOENT, path);
  }
  return std::string(path);
}

}  // namespace advisor
