#include "advisor/render/words.h"

namespace advisor {

absl::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kInformation:
      return "information";
    case Severity::kWarning:
      return "warning";
    case Severity::kCritical:
      return "critical";
  }
  return "";
}

absl::string_view CellVerdictName(CellVerdict verdict) {
  switch (verdict) {
    case CellVerdict::kFaster:
      return "faster";
    case CellVerdict::kSlower:
      return "slower";
    case CellVerdict::kEquivalent:
      return "equivalent";
    case CellVerdict::kCannotTell:
      return "cannot_tell";
  }
  return "";
}

absl::string_view CellVerdictText(CellVerdict verdict) {
  switch (verdict) {
    case CellVerdict::kFaster:
      return "faster";
    case CellVerdict::kSlower:
      return "slower";
    case CellVerdict::kEquivalent:
      return "no difference";
    case CellVerdict::kCannotTell:
      return "cannot tell";
  }
  return "";
}

}  // namespace advisor
