// What is known of a GLIBC_TUNABLES string: is it taken, and does it make the
// real libc of this machine faster, slower or neither.

#ifndef ADVISOR_STRING_VERIFICATION_H_
#define ADVISOR_STRING_VERIFICATION_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "advisor/glibc/copy_path.h"
#include "advisor/report.h"

namespace advisor {

enum class VerifyOutcome {
  kHolds,    // faster, or faster in one function and equal in the other
  kEqual,    // no difference beyond 2 %, or none by construction
  kHarmful,  // slower, or dangerous
  kDropped,  // an assignment is not taken
  kCannotTell,
};
// In JSON: "holds", "equal", "harmful", "dropped", "cannot_tell".
absl::string_view VerifyOutcomeName(VerifyOutcome outcome);

// memcpy or memset of one side.
struct VerifySide {
  std::string memmove;  // variant
  std::string memset;
  // In force; the loader's where it lists them.
  EffectiveThresholds thresholds;
};

struct StringVerification {
  std::string string;
  std::string build;
  // Assignments that are not taken: "NAME=VALUE: outcome".
  std::vector<std::string> dropped;
  // Taken, but of another part of glibc: nothing is measured of them.
  std::vector<std::string> not_measured;
  VerifySide without;
  VerifySide with;
  // nullopt: nothing was measured.
  std::optional<Proof> proof;
  VerifyOutcome outcome = VerifyOutcome::kCannotTell;
  std::string summary;  // one sentence, without its full stop
};

}  // namespace advisor

#endif  // ADVISOR_STRING_VERIFICATION_H_
