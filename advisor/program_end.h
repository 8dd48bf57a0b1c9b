// How a program of this project ends that could not do its work: one line on
// standard error, in its name, and the exit status for it.

#ifndef ADVISOR_PROGRAM_END_H_
#define ADVISOR_PROGRAM_END_H_

#include <ostream>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advisor/exit_status.h"

namespace advisor {

// Internal is a mistake of ours; Unavailable, DeadlineExceeded and
// ResourceExhausted leave a question open (kInconclusive); any other error is
// about the command line or the input (kUsage).
ExitStatus ExitStatusOf(const absl::Status& status);

// "PROGRAM: MESSAGE" as one line; control characters in it are escaped.
void PrintError(std::ostream& err, absl::string_view program,
                absl::string_view message);

// Tells what went wrong and returns the exit status: of `result`, or 128 + N
// after a signal.
int EndProgram(std::ostream& err, absl::string_view program,
               const absl::StatusOr<ExitStatus>& result);

// What was written to standard output must have arrived there.
absl::Status Flush(std::ostream& out);

// A program that starts what its arguments name, and reads any file, must not
// do so with more rights than its caller has (set-uid, set-gid or file
// capabilities).
absl::Status CheckCallersRights();

}  // namespace advisor

#endif  // ADVISOR_PROGRAM_END_H_
