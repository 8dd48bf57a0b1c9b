#include "advisor/host/scratch_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace advisor {
namespace {

void RemoveInChild(char* path) {
  const pid_t child = fork();
  if (child == 0) {
    char name[] = "rm", options[] = "-rf", end[] = "--";
    char* const argv[] = {name, options, end, path, nullptr};
    char* const environment[] = {nullptr};
    execve("/bin/rm", argv, environment);
    _exit(127);
  }
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

// Waits until the pipe says that all is done (a byte) or ends without it. Only
// async-signal-safe calls: the parent may have threads.
[[noreturn]] void Guard(char* path, int pipe_end) {
  // Away from signals to the process group, and from everything that is open.
  setpgid(0, 0);
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int pipe = fcntl(pipe_end, F_DUPFD, 3);
  const int null = open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) dup2(null, fd);
  dup2(pipe, 3);
  if (syscall(SYS_close_range, 4U, ~0U, 0U) != 0) {
    for (int fd = 4; fd < 1024; ++fd) close(fd);
  }
  char byte;
  ssize_t got;
  do {
    got = read(3, &byte, 1);
  } while (got < 0 && errno == EINTR);
  if (got == 0) {
    RemoveInChild(path);
    // What the process had started may have written once more.
    sleep(2);
    RemoveInChild(path);
  }
  _exit(0);
}

}  // namespace

absl::StatusOr<ScratchFolder> ScratchFolder::Create(absl::string_view parent,
                                                    absl::string_view prefix) {
  std::string path = absl::StrCat(parent, "/", prefix, ".XXXXXX");
  if (mkdtemp(path.data()) == nullptr) return absl::ErrnoToStatus(errno, path);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return ScratchFolder(std::move(path), -1, -1);
  }
  const pid_t guard = fork();
  if (guard == 0) {
    close(ends[1]);
    Guard(path.data(), ends[0]);
  }
  // Here as well: a signal to the group may come before the guard has run.
  if (guard > 0) setpgid(guard, guard);
  close(ends[0]);
  if (guard < 0) close(ends[1]);
  return ScratchFolder(std::move(path), guard, guard < 0 ? -1 : ends[1]);
}

ScratchFolder::~ScratchFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  if (guard_ < 0) return;
  // Into a pipe whose reader was killed: no reason to end.
  struct sigaction ignore = {}, before;
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);
  while (write(guard_pipe_, "", 1) < 0 && errno == EINTR) {
  }
  sigaction(SIGPIPE, &before, nullptr);
  close(guard_pipe_);
  while (waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace advisor
