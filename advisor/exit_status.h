// What the exit status of the advisor and of validate_patch means.

#ifndef ADVISOR_EXIT_STATUS_H_
#define ADVISOR_EXIT_STATUS_H_

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

}  // namespace advisor

#endif  // ADVISOR_EXIT_STATUS_H_
