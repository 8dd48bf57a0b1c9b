#include "advisor/string_verification.h"

namespace advisor {

absl::string_view VerifyOutcomeName(VerifyOutcome outcome) {
  switch (outcome) {
    case VerifyOutcome::kHolds:
      return "holds";
    case VerifyOutcome::kEqual:
      return "equal";
    case VerifyOutcome::kHarmful:
      return "harmful";
    case VerifyOutcome::kDropped:
      return "dropped";
    case VerifyOutcome::kCannotTell:
      return "cannot_tell";
  }
  return "";
}

}  // namespace advisor
