// The answer of `verify`, as text and as JSON.

#ifndef ADVISOR_RENDER_VERIFICATION_REPORT_H_
#define ADVISOR_RENDER_VERIFICATION_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "advisor/program_comparison.h"
#include "advisor/string_verification.h"

namespace advisor {

struct VerificationReport {
  std::string tool_version;
  StringVerification string;
  // The user's command; empty: none.
  std::vector<std::string> program;
  // nullopt: no command, or it was not run (an assignment is not taken).
  std::optional<ProgramComparison> comparison;
  // Of the whole: the command's, where it was run.
  VerifyOutcome outcome = VerifyOutcome::kCannotTell;
};

std::string RenderVerificationText(const VerificationReport& report,
                                   int columns);
// By testdata/schema/verify.schema.json.
std::string RenderVerificationJson(const VerificationReport& report);

}  // namespace advisor

#endif  // ADVISOR_RENDER_VERIFICATION_REPORT_H_
