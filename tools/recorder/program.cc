#include "tools/recorder/program.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <optional>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "advisor/glibc/elf_file.h"
#include "advisor/host/child_process.h"

namespace recorder {
namespace {

constexpr size_t kMostScriptLine = 256;

std::string ErrnoText() {
  return std::error_code(errno, std::generic_category()).message();
}

bool MayRun(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

// "#!/bin/sh -e" -> "/bin/sh"; nullopt for no script, or one of env's.
std::optional<std::string> Interpreter(absl::string_view front) {
  if (!absl::StartsWith(front, "#!")) return std::nullopt;
  const std::vector<std::string> words = absl::StrSplit(
      front.substr(2, front.find('\n') - 2), ' ', absl::SkipEmpty());
  if (words.empty()) return std::nullopt;
  return words[0];
}

std::atomic<pid_t> running_child{0};
// A signal that came before the child's number was known.
std::atomic<int> early_signal{0};

void PassOn(int signal) {
  const int saved = errno;
  const pid_t child = running_child.load();
  if (child > 0) {
    kill(child, signal);
  } else {
    early_signal.store(signal);
  }
  errno = saved;
}

void DoNothing(int) {}

// Sets what signals do while the program runs, and sets it back. The program
// itself does not have these handlers, as it would SIG_IGN.
class SignalsOfParent {
 public:
  SignalsOfParent() {
    for (Previous& previous : previous_) {
      struct sigaction action = {};
      action.sa_handler = previous.passed_on ? &PassOn : &DoNothing;
      sigemptyset(&action.sa_mask);
      sigaction(previous.signal, nullptr, &previous.action);
      // What was ignored (nohup) stays so.
      if (previous.action.sa_handler == SIG_IGN) continue;
      sigaction(previous.signal, &action, nullptr);
    }
  }
  ~SignalsOfParent() {
    for (const Previous& previous : previous_) {
      sigaction(previous.signal, &previous.action, nullptr);
    }
  }

 private:
  struct Previous {
    int signal;
    bool passed_on;
    struct sigaction action;
  };
  Previous previous_[4] = {{SIGINT, false, {}},
                           {SIGQUIT, false, {}},
                           {SIGTERM, true, {}},
                           {SIGHUP, true, {}}};
};

}  // namespace

absl::StatusOr<std::string> FindProgram(
    absl::string_view word, const advisor::Environment& environment) {
  if (absl::StrContains(word, '/')) {
    const std::string path(word);
    if (MayRun(path)) return path;
    return absl::NotFoundError(
        absl::StrCat(word, ": expected a program, found none to execute"));
  }
  const std::string folders =
      environment.Get("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
  for (const absl::string_view folder : absl::StrSplit(folders, ':')) {
    std::string path = absl::StrCat(folder.empty() ? "." : folder, "/", word);
    if (MayRun(path)) return path;
  }
  return absl::NotFoundError(
      absl::StrCat(word, ": expected a program in PATH, found none"));
}

absl::Status CanBeSeen(const advisor::FileReader& files,
                       const std::string& path, int interpreters) {
  const auto refuse = [&](absl::string_view what) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": ", what));
  };
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return refuse(ErrnoText());
  if (((status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid()) ||
      ((status.st_mode & S_ISGID) != 0 && status.st_gid != getegid())) {
    return refuse(
        "expected an ordinary program, found a set-uid or set-gid one, for "
        "which the loader ignores LD_PRELOAD");
  }
  const absl::StatusOr<std::string> front =
      files.ReadFront(path, kMostScriptLine);
  if (!front.ok()) return front.status();
  if (const std::optional<std::string> interpreter = Interpreter(*front)) {
    return MayRun(*interpreter) && interpreters > 0
               ? CanBeSeen(files, *interpreter, interpreters - 1)
               : absl::OkStatus();
  }
  // No magic number: a shell runs it as its own script.
  if (!absl::StartsWith(*front, "\177ELF")) return absl::OkStatus();
  const absl::StatusOr<std::string> content = files.Read(path);
  if (!content.ok()) return content.status();
  const absl::StatusOr<advisor::ElfFile> elf =
      advisor::ParseElfFile(*content, path);
  if (!elf.ok()) return absl::FailedPreconditionError(elf.status().message());
  if (!elf->interpreter.has_value()) {
    return refuse(
        "expected a dynamically linked program, found a statically linked one, "
        "whose calls cannot be seen");
  }
  return absl::OkStatus();
}

absl::StatusOr<ProgramEnd> RunProgram(const std::string& path,
                                      const std::vector<std::string>& argv,
                                      const advisor::Environment& environment) {
  advisor::Command command;
  command.argv = argv;
  command.environment = environment;
  advisor::ChildOptions options;
  options.in_place = true;
  options.path = path.c_str();
  const SignalsOfParent signals;
  absl::StatusOr<advisor::ChildProcess> child =
      advisor::StartProcess(command, options);
  if (!child.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": cannot be started: ", child.status().message()));
  }
  running_child.store(child->pid());
  if (const int signal = early_signal.exchange(0); signal != 0) PassOn(signal);
  absl::StatusOr<int> status;
  do {
    status = child->WaitForChange();
  } while (absl::IsUnavailable(status.status()));
  running_child.store(0);
  if (!status.ok()) return status.status();
  return ProgramEnd{WIFEXITED(*status) ? WEXITSTATUS(*status)
                                       : 128 + WTERMSIG(*status)};
}

absl::StatusOr<advisor::ScratchFolder> MakePrivateFolder(
    const advisor::Environment& environment, uint64_t bytes) {
  const std::string parent = environment.Get("TMPDIR").value_or("/tmp");
  struct statvfs space;
  if (statvfs(parent.c_str(), &space) != 0) {
    return absl::NotFoundError(absl::StrCat(parent, ": ", ErrnoText()));
  }
  const uint64_t free = uint64_t{space.f_bavail} * space.f_frsize;
  if (free < bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat(parent, ": expected ", bytes >> 20,
                     " MiB of free space, found ", free >> 20, " MiB"));
  }
  return advisor::ScratchFolder::Create(parent, "record_sizes");
}

}  // namespace recorder
