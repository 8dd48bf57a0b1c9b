// The program that is to be recorded: found, looked at, run.

#ifndef TOOLS_RECORDER_PROGRAM_H_
#define TOOLS_RECORDER_PROGRAM_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advisor/host/environment.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/scratch_folder.h"

namespace recorder {

// The file behind a command's first word: itself where it has a slash, else the
// first of that name in PATH that may be executed. NotFound.
absl::StatusOr<std::string> FindProgram(
    absl::string_view word, const advisor::Environment& environment);

// FailedPrecondition, in one line, where nothing of the program could be seen:
// it is linked statically, is no x86-64 program, or is run under another user's
// identity (set-uid, set-gid). A script is as good as the interpreter that it
// names, which may be a script, too: of more than `interpreters` in a row the
// kernel runs none.
absl::Status CanBeSeen(const advisor::FileReader& files,
                       const std::string& path, int interpreters = 4);

struct ProgramEnd {
  // What a shell would say: 128 and the signal's number where one ended it.
  int exit_status = 0;
};

// Runs it with this process's descriptors. Meanwhile SIGINT and SIGQUIT are
// left to the program, which the terminal sends them as well; SIGTERM and
// SIGHUP are passed on to it. An error when it cannot be started.
absl::StatusOr<ProgramEnd> RunProgram(const std::string& path,
                                      const std::vector<std::string>& argv,
                                      const advisor::Environment& environment);

// In TMPDIR or /tmp. ResourceExhausted where less than `bytes` are free.
absl::StatusOr<advisor::ScratchFolder> MakePrivateFolder(
    const advisor::Environment& environment, uint64_t bytes);

}  // namespace recorder

#endif  // TOOLS_RECORDER_PROGRAM_H_
