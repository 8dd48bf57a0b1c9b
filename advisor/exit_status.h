// What the exit status of the advisor and of validate_patch means.

#ifndef ADVISOR_EXIT_STATUS_H_
#define ADVISOR_EXIT_STATUS_H_

#include "absl/strings/string_view.h"

namespace advisor {

enum class ExitStatus : int {
  // Also when there is nothing to set.
  kAnswered = 0,
  // A check found something: a string that has no effect, a harmful setting, a
  // patch to reject.
  kFinding = 1,
  // A wrong command line, or input that is missing or cannot be understood.
  kUsage = 2,
  // The measurement cannot tell.
  kInconclusive = 3,
  // A mistake of ours.
  kInternalError = 4,
  // 128 + N: signal N ended it (interrupt.h).
};

struct ExitStatusRow {
  ExitStatus status;
  // For help and the manual page.
  absl::string_view meaning;
};

inline constexpr ExitStatusRow kExitStatusRows[] = {
    {ExitStatus::kAnswered, "answered (also when there is nothing to set)"},
    {ExitStatus::kFinding, "a check found something"},
    {ExitStatus::kUsage, "wrong usage or unreadable input"},
    {ExitStatus::kInconclusive, "inconclusive"},
    {ExitStatus::kInternalError, "internal error"},
};

}  // namespace advisor

#endif  // ADVISOR_EXIT_STATUS_H_
