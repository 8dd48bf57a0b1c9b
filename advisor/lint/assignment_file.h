// Files that assign environment variables, each by the rules of what reads it.

#ifndef ADVISOR_LINT_ASSIGNMENT_FILE_H_
#define ADVISOR_LINT_ASSIGNMENT_FILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advisor/host/file_reader.h"

namespace advisor {

struct FileAssignment {
  std::string name;
  std::string value;
  int line;  // From 1: where the name stands.
  // A '$' or '`' stands in it that the reader expands, and this does not.
  bool expands = false;
};

// /etc/environment, as pam_env reads it (modules/pam_env/pam_env.c): a '#'
// ends a line wherever it stands, one pair of quotes is taken off.
std::vector<FileAssignment> ParsePamEnvironment(absl::string_view text);

// EnvironmentFile= of systemd and environment.d (systemd.exec(5),
// src/basic/env-file.c): quotes, backslashes, values over several lines. In
// environment.d '$' expands; `expands` says so for both.
std::vector<FileAssignment> ParseSystemdEnvironmentFile(absl::string_view text);

// The assignments of `name` in a shell script: where a line, or what follows
// "export", ';' or '&', begins with it. What the script decides at run time is
// not known.
std::vector<FileAssignment> FindShellAssignments(absl::string_view text,
                                                 absl::string_view name);

// A file that holds settings. No such file is larger than 1 MiB, and each is
// held several times over while it is understood: one that is larger is
// InvalidArgument.
absl::StatusOr<std::string> ReadSettingsFile(const FileReader& files,
                                             absl::string_view path);

}  // namespace advisor

#endif  // ADVISOR_LINT_ASSIGNMENT_FILE_H_
