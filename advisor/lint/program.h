// Which glibc a program, a process or an image has.

#ifndef ADVISOR_LINT_PROGRAM_H_
#define ADVISOR_LINT_PROGRAM_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/installed_libc.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/process_door.h"

namespace advisor {

// The build that an installed libc is: by its banner's revision, else by its
// package (Fedora, RHEL and SUSE leave the revision out), else by its release.
// `files` must be those that the libc was found with.
absl::StatusOr<GlibcBuild> BuildOf(const FileReader& files,
                                   const InstalledLibc& libc);

// "2.34-100.el9" of the package glibc in RPM's data base (SQLite's, ndb or
// Berkeley DB: the header's strings are looked for); nullopt: none is there.
std::optional<std::string> FindRpmLibcVersion(absl::string_view data_base);

struct ProgramFacts {
  std::string path;
  bool is_static = false;
  // Of its own glibc, or of the libc that its loader finds.
  std::optional<GlibcBuild> build;
  // Why `build` is not known. One line.
  std::string problem;
};

ProgramFacts ExamineProgram(const FileReader& files, absl::string_view path);

struct ProcessFacts {
  std::string program;
  // Its environment when it was started; nullopt: not set.
  std::optional<std::string> glibc_tunables;
  // AT_SECURE of its auxiliary vector; nullopt: cannot be read.
  std::optional<bool> secure;
};

// `files` are this machine's. Errors are one line: NotFound,
// PermissionDenied.
absl::StatusOr<ProcessFacts> ReadProcess(const FileReader& files,
                                         const ProcessDoor& door, int pid);

// GLIBC_TUNABLES in the text of /proc/N/environ. Loaders up to 2.38 write a NUL
// behind each tunable that they know, in this very memory (the program's own
// environment is a copy): pieces that begin with "glibc.", or are empty, are
// put together again. nullopt: not set.
std::optional<std::string> FindTunablesInEnviron(
    absl::string_view environ_text);

}  // namespace advisor

#endif  // ADVISOR_LINT_PROGRAM_H_
