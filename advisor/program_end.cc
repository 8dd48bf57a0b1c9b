#include "advisor/program_end.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "advisor/host/interrupt.h"

namespace advisor {

ExitStatus ExitStatusOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return ExitStatus::kAnswered;
    case absl::StatusCode::kInternal:
      return ExitStatus::kInternalError;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kResourceExhausted:
      return ExitStatus::kInconclusive;
    default:
      return ExitStatus::kUsage;
  }
}

void PrintError(std::ostream& err, absl::string_view program,
                absl::string_view message) {
  std::string line = absl::StrCat(program, ": ");
  for (const char c : absl::StripTrailingAsciiWhitespace(message)) {
    if (absl::ascii_iscntrl(c)) {
      absl::StrAppendFormat(&line, "\\x%02x", static_cast<unsigned char>(c));
    } else {
      line.push_back(c);
    }
  }
  err << line << std::endl;
}

int EndProgram(std::ostream& err, absl::string_view program,
               const absl::StatusOr<ExitStatus>& result) {
  if (const std::optional<int> signal = Interrupted()) {
    PrintError(err, program, "interrupted");
    return ExitStatusOfSignal(*signal);
  }
  if (result.ok()) return static_cast<int>(*result);
  PrintError(
      err, program,
      absl::StrCat(absl::IsInternal(result.status()) ? "internal error: " : "",
                   result.status().message()));
  return static_cast<int>(ExitStatusOf(result.status()));
}

absl::Status Flush(std::ostream& out) {
  if (out.flush()) return absl::OkStatus();
  return absl::InternalError("cannot write the answer to standard output");
}

absl::Status CheckCallersRights() {
  if (getauxval(AT_SECURE) == 0 && geteuid() == getuid() &&
      getegid() == getgid()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "will not run with more rights than its caller has (set-uid, set-gid or "
      "file capabilities)");
}

}  // namespace advisor
