// What the values of a report are called, for several renderers.

#ifndef ADVISOR_RENDER_WORDS_H_
#define ADVISOR_RENDER_WORDS_H_

#include "absl/strings/string_view.h"
#include "advisor/report.h"

namespace advisor {

// In JSON: "information", "warning", "critical".
absl::string_view SeverityName(Severity severity);

// In JSON: "faster", "slower", "equivalent", "cannot_tell".
absl::string_view CellVerdictName(CellVerdict verdict);

// For people: "faster", "slower", "no difference", "cannot tell".
absl::string_view CellVerdictText(CellVerdict verdict);

}  // namespace advisor

#endif  // ADVISOR_RENDER_WORDS_H_
