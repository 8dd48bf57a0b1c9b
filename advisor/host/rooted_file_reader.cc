#include "advisor/host/rooted_file_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
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

// Its files say that they are regular, and wait, or act, when they are read
// (/proc/kmsg).
bool IsOfTheKernel(const struct statfs& system) {
  switch (static_cast<uint64_t>(system.f_type)) {
    case PROC_SUPER_MAGIC:
    case SYSFS_MAGIC:
    case DEBUGFS_MAGIC:
    case TRACEFS_MAGIC:
    case SECURITYFS_MAGIC:
    case CGROUP_SUPER_MAGIC:
    case CGROUP2_SUPER_MAGIC:
      return true;
    default:
      return false;
  }
}

// Opens what the descriptor holds, whatever its path leads to now.
std::string NameOf(const Descriptor& held) {
  return absl::StrCat("/proc/self/fd/", held.get());
}

// Errors name the file as the caller does.
template <typename Value>
absl::StatusOr<Value> Renamed(absl::StatusOr<Value> result,
                              absl::string_view name, absl::string_view path) {
  if (result.ok()) return result;
  return absl::Status(
      result.status().code(),
      absl::StrCat(path, absl::StripPrefix(result.status().message(), name)));
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

// Link by link anew, since Resolve() was told of another's files.
absl::StatusOr<Descriptor> RootedFileReader::Hold(
    absl::string_view path) const {
  const absl::StatusOr<std::string> resolved = Resolve(path);
  if (!resolved.ok()) return resolved.status();
  const std::string root = root_.empty() ? "/" : root_;
  Descriptor held(open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (const absl::string_view part :
       absl::StrSplit(*resolved, '/', absl::SkipEmpty())) {
    if (held.get() < 0) break;
    held = Descriptor(openat(held.get(), std::string(part).c_str(),
                             O_PATH | O_NOFOLLOW | O_CLOEXEC));
  }
  if (held.get() < 0) return absl::ErrnoToStatus(errno, path);
  return held;
}

absl::StatusOr<std::string> RootedFileReader::ReadFront(absl::string_view path,
                                                        size_t limit) const {
  const absl::StatusOr<Descriptor> held = Hold(path);
  if (!held.ok()) return held.status();
  struct stat status;
  struct statfs system;
  if (fstat(held->get(), &status) != 0 || fstatfs(held->get(), &system) != 0) {
    return absl::ErrnoToStatus(errno, path);
  }
  if (!S_ISREG(status.st_mode) || IsOfTheKernel(system)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": is not a regular file"));
  }
  const std::string name = NameOf(*held);
  return Renamed(RealFileReader().ReadFront(name, limit), name, path);
}

absl::StatusOr<std::string> RootedFileReader::Read(
    absl::string_view path) const {
  absl::StatusOr<std::string> content = ReadFront(path, kMostFileBytes + 1);
  if (content.ok() && content->size() > kMostFileBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": larger than 256 MiB"));
  }
  return content;
}

absl::StatusOr<std::vector<std::string>> RootedFileReader::List(
    absl::string_view path) const {
  const absl::StatusOr<Descriptor> held = Hold(path);
  if (!held.ok()) return held.status();
  const std::string name = NameOf(*held);
  return Renamed(RealFileReader().List(name), name, path);
}

}  // namespace advisor
