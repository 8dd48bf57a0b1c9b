// The proof of a GLIBC_TUNABLES string: is it taken, and does it make the real
// libc of this machine faster, slower or neither.

#ifndef ADVISOR_VERIFICATION_H_
#define ADVISOR_VERIFICATION_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "advisor/measurement.h"
#include "advisor/string_verification.h"
#include "advisor/system.h"

namespace advisor {

struct VerifyOptions {
  absl::Duration budget = absl::Seconds(20);
  uint64_t seed = 1;
  // Reads the string back and predicts, but measures nothing: `outcome` is then
  // kDropped, kHarmful, kEqual (nothing changes) or kCannotTell.
  bool measure = true;
};

// `system` is this machine without any GLIBC_TUNABLES. Errors: those of
// AskLoader and of the study's workers; Cancelled after a signal.
absl::StatusOr<StringVerification> VerifyString(const System& system,
                                                const std::string& string,
                                                const MeasurementDoors& doors,
                                                const VerifyOptions& options);

}  // namespace advisor

#endif  // ADVISOR_VERIFICATION_H_
