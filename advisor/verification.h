// The proof of a GLIBC_TUNABLES string: is it taken, and does it make the real
// libc of this machine faster, slower or neither.

#ifndef ADVISOR_VERIFICATION_H_
#define ADVISOR_VERIFICATION_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "advisor/glibc/copy_path.h"
#include "advisor/glibc/loader_listing.h"
#include "advisor/measurement.h"
#include "advisor/report.h"
#include "advisor/system.h"
#include "kernels/measure/study.h"

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

// What a finished study says of a string that changes `without` into `with`.
// Fills in proof, outcome and summary.
void JudgeStudy(const kernels::Study& study, const GlibcBuild& build,
                StringVerification& verification);

// The contrasts that such a study needs, for calls up to `largest` bytes.
std::vector<kernels::Contrast> VerifyContrasts(
    const GlibcBuild& build, const StringVerification& verification,
    uint64_t largest, int copiers);

}  // namespace advisor

#endif  // ADVISOR_VERIFICATION_H_
