#include "advisor/host/process_door.h"

#include <errno.h>
#include <limits.h>
#include <sys/uio.h>
#include <unistd.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace advisor {
namespace {

std::string Name(int pid) { return absl::StrCat("process ", pid); }

absl::Status NotMapped(int pid, uint64_t address) {
  return absl::OutOfRangeError(
      absl::StrFormat("process %d: nothing is mapped at 0x%x", pid, address));
}

}  // namespace

absl::StatusOr<std::string> RealProcessDoor::Executable(int pid) const {
  char target[PATH_MAX];
  const ssize_t length = readlink(absl::StrCat("/proc/", pid, "/exe").c_str(),
                                  target, sizeof(target));
  if (length < 0) return absl::ErrnoToStatus(errno, Name(pid));
  // Replaced by an update while it runs.
  return std::string(
      absl::StripSuffix(absl::string_view(target, length), " (deleted)"));
}

absl::StatusOr<std::string> RealProcessDoor::ReadMemory(int pid,
                                                        uint64_t address,
                                                        size_t length) const {
  std::string bytes(length, '\0');
  const iovec local = {bytes.data(), length};
  const iovec remote = {reinterpret_cast<void*>(address), length};
  const ssize_t got = process_vm_readv(pid, &local, 1, &remote, 1, 0);
  if (got < 0 && errno == EFAULT) return NotMapped(pid, address);
  if (got < 0 && errno == ESRCH) {
    return absl::NotFoundError(absl::StrCat(Name(pid), ": no such process"));
  }
  if (got < 0) return absl::ErrnoToStatus(errno, Name(pid));
  if (static_cast<size_t>(got) != length) return NotMapped(pid, address + got);
  return bytes;
}

absl::StatusOr<std::string> FakeProcessDoor::Executable(int pid) const {
  const auto executable = executables_.find(pid);
  if (executable == executables_.end()) {
    return absl::NotFoundError(Name(pid));
  }
  return executable->second;
}

absl::StatusOr<std::string> FakeProcessDoor::ReadMemory(int pid,
                                                        uint64_t address,
                                                        size_t length) const {
  if (refused_.count(pid) > 0) {
    return absl::PermissionDeniedError(Name(pid));
  }
  for (const auto& [place, bytes] : memory_) {
    if (place.first != pid || address < place.second) continue;
    const uint64_t offset = address - place.second;
    if (offset + length <= bytes.size()) return bytes.substr(offset, length);
  }
  return NotMapped(pid, address);
}

}  // namespace advisor
