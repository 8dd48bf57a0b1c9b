#include "advisor/host/rooted_file_reader.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <deque>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace advisor {
namespace {

// As the kernel's own limit.
constexpr int kMostLinks = 40;

using Parts = std::deque<std::string>;

void Prepend(absl::string_view path, Parts& parts) {
  const std::vector<std::string> words =
      absl::StrSplit(path, '/', absl::SkipEmpty());
  parts.insert(parts.begin(), words.begin(), words.end());
}

}  // namespace

RootedFileReader::RootedFileReader(absl::string_view root)
    : root_(absl::StripSuffix(root, "/")) {}

std::string RootedFileReader::Outside(absl::string_view resolved) const {
  return absl::StrCat(root_, resolved);
}

absl::StatusOr<std::string> RootedFileReader::Resolve(
    absl::string_view path) const {
  Parts left;
  Prepend(path, left);
  std::string done;  // Without links; "" is the root.
  int links = 0;
  while (!left.empty()) {
    const std::string part = left.front();
    left.pop_front();
    if (part == ".") continue;
    if (part == "..") {
      done.resize(done.empty() ? 0 : done.rfind('/'));
      continue;
    }
    const std::string next = absl::StrCat(done, "/", part);
    const std::string outside = Outside(next);
    char target[PATH_MAX];
    const ssize_t length = readlink(outside.c_str(), target, sizeof(target));
    if (length >= 0) {
      if (++links > kMostLinks || length == sizeof(target)) {
        return absl::NotFoundError(
            absl::StrCat(path, ": too many levels of symbolic links"));
      }
      const absl::string_view link(target, length);
      if (absl::StartsWith(link, "/")) done.clear();
      Prepend(link, left);
      continue;
    }
    if (errno != EINVAL) return absl::ErrnoToStatus(errno, path);
    done = next;
  }
  return done.empty() ? "/" : done;
}

absl::StatusOr<std::string> RootedFileReader::Read(
    absl::string_view path) const {
  const absl::StatusOr<std::string> resolved = Resolve(path);
  if (!resolved.ok()) return resolved.status();
  // No pipe or device of an image is waited for.
  struct stat status;
  if (stat(Outside(*resolved).c_str(), &status) != 0) {
    return absl::ErrnoToStatus(errno, path);
  }
  if (!S_ISREG(status.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": is not a regular file"));
  }
  return RealFileReader().Read(Outside(*resolved));
}

absl::StatusOr<std::string> RootedFileReader::ReadFront(absl::string_view path,
                                                        size_t limit) const {
  const absl::StatusOr<std::string> resolved = Resolve(path);
  if (!resolved.ok()) return resolved.status();
  return RealFileReader().ReadFront(Outside(*resolved), limit);
}

absl::StatusOr<std::vector<std::string>> RootedFileReader::List(
    absl::string_view path) const {
  const absl::StatusOr<std::string> resolved = Resolve(path);
  if (!resolved.ok()) return resolved.status();
  return RealFileReader().List(Outside(*resolved));
}

}  // namespace advisor
