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
  // What was asked cannot be told: too noisy, too little input, or broken off.
  kInconclusive = 3,
  // A mistake of ours.
  kInternalError = 4,
  // 128 + N: signal N ended it (interrupt.h).
};

// For help and the manual page.
struct ExitStatusRow {
  absl::string_view number;
  absl::string_view meaning;
};

inline constexpr ExitStatusRow kExitStatusRows[] = {
    {"0", "answered (also when there is nothing to set)"},
    {"1", "a check found something"},
    {"2", "wrong usage or unreadable input"},
    {"3", "inconclusive"},
    {"4", "internal error"},
    {"128+N", "ended by signal N"},
};

}  // namespace advisor

#endif  // ADVISOR_EXIT_STATUS_H_
