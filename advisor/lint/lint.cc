#include "advisor/lint/lint.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "advisor/glibc/hwcaps_mask.h"
#include "advisor/lint/lint_rule.h"
#include "advisor/lint/tunable_catalogue.h"

namespace advisor {
namespace {

LintAssignment NumberOutcome(const LintFacts& facts,
                             const TunableAssignment& item) {
  LintAssignment assignment = {ItemText(item), "", true};
  const auto member = ThresholdOf(*item.tunable);
  const std::string read = item.trailing_garbage
                               ? absl::StrCat("read as ", item.number)
                               : std::string("read");
  if (member == nullptr || !facts.subject.machine.has_value() ||
      facts.with.prediction.hangs) {
    assignment.outcome = read;
    return assignment;
  }
  const std::optional<uint64_t> value = facts.with.thresholds.*member;
  if (IsInForce(facts.with, *item.tunable, item.number)) {
    assignment.outcome = item.trailing_garbage
                             ? absl::StrCat(read, ", in force")
                             : std::string("in force");
    return assignment;
  }
  assignment.in_force = false;
  assignment.outcome = absl::StrCat(
      read, ", but ",
      value.has_value() ? absl::StrCat(*value) : std::string("nothing"),
      " is in force");
  return assignment;
}

// Of another part of glibc: its list's bounds are all that is known.
LintAssignment OtherOutcome(const LintFacts& facts,
                            const TunableAssignment& item) {
  if (item.trailing_garbage && facts.build.Has(Change::kWholeNumber)) {
    return {ItemText(item), "not a number: ignored with a warning", false};
  }
  const CatalogueRow* const row = FindCatalogueRow(item.name, facts.build);
  if (row != nullptr && !IsInBounds(*row, item.number)) {
    return {ItemText(item), "outside its bounds: ignored", false};
  }
  return {ItemText(item),
          absl::StrCat(item.trailing_garbage
                           ? absl::StrCat("read as ", item.number, ", ")
                           : std::string(),
                       "taken (another part of glibc)"),
          true};
}

LintAssignment OutcomeOf(const LintFacts& facts,
                         const TunableAssignment& item) {
  const std::string text = ItemText(item);
  switch (item.outcome) {
    case AssignmentOutcome::kSet:
      if (TunableRowOf(*item.tunable).type == TunableType::kString) {
        return {text, "read", true};
      }
      return NumberOutcome(facts, item);
    case AssignmentOutcome::kOtherTunable:
      return OtherOutcome(facts, item);
    case AssignmentOutcome::kUnknownName:
      return {text,
              absl::StrCat("no tunable of ", facts.build.name(), ": ignored"),
              false};
    case AssignmentOutcome::kNoValue:
      return {text, "has no \"=\": ignored", false};
    case AssignmentOutcome::kOutOfRange:
      return {text, "outside its bounds: ignored", false};
    case AssignmentOutcome::kNotANumber:
      return {text, "not a number: ignored with a warning", false};
    case AssignmentOutcome::kSuperseded:
      return {text, "set again after it: ignored", false};
    case AssignmentOutcome::kRejected:
      return {text, "the string is ill-formed: all of it is ignored", false};
    case AssignmentOutcome::kSecureOnly:
      return {text, "switched off by glibc.rtld.enable_secure", false};
  }
  return {text, "", false};
}

void AddMask(const LintFacts& facts, LintResult& result) {
  if (facts.subject.machine.has_value()) {
    for (const MaskItem& item : facts.with.prediction.mask_items) {
      if (item.behind_end && !item.accepted) continue;
      result.assignments.push_back(
          {item.text,
           absl::StrCat(
               item.effective  ? "in force"
               : item.accepted ? "nothing to change"
                               : "no such word here: ignored",
               item.behind_end ? " (read from behind the mask's end)" : ""),
           item.effective});
    }
    return;
  }
  for (const std::string& word : facts.mask_words) {
    absl::string_view name = word;
    if (!name.empty() && name[0] == '-') name.remove_prefix(1);
    const bool known = FindMaskName(name, facts.build) != nullptr;
    result.assignments.push_back(
        {word, known ? "known" : "no such word here: ignored", known});
  }
}

}  // namespace

LintResult Lint(const LintSubject& subject) {
  const LintFacts facts = MakeLintFacts(subject);
  LintResult result;
  result.warnings = facts.parsed.warnings;
  for (const TunableAssignment& item : facts.parsed.assignments) {
    result.assignments.push_back(OutcomeOf(facts, item));
  }
  AddMask(facts, result);
  if (subject.secure == true) {
    for (LintAssignment& assignment : result.assignments) {
      assignment.in_force = false;
      assignment.outcome = "ignored: the program is set-uid";
    }
  }
  for (const LintRule& rule : AllLintRules()) {
    if (rule.needs_machine && !subject.machine.has_value()) continue;
    rule.check(facts, LintSink(rule, result.findings));
  }
  std::stable_sort(result.findings.begin(), result.findings.end(),
                   [](const LintFinding& a, const LintFinding& b) {
                     return a.severity > b.severity;
                   });
  return result;
}

}  // namespace advisor
