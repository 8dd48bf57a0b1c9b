// The form of the string.

#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "advisor/lint/lint_rule.h"

namespace advisor {
namespace {

bool HasOutcome(const LintFacts& facts, AssignmentOutcome outcome) {
  for (const TunableAssignment& item : facts.parsed.assignments) {
    if (item.outcome == outcome) return true;
  }
  return false;
}

// What makes the strict parsers (2.39 and later) refuse all of a string; empty
// where they do not.
std::string WhyIllFormed(absl::string_view text) {
  if (text.empty()) return "";
  if (absl::EndsWith(text, ":")) return "it ends with a colon";
  size_t begin = 0;
  while (begin <= text.size()) {
    size_t end = text.find(':', begin);
    const bool last = end == absl::string_view::npos;
    if (last) end = text.size();
    const absl::string_view item = text.substr(begin, end - begin);
    const size_t equals = item.find('=');
    if (equals == absl::string_view::npos) {
      if (last)
        return absl::StrCat("its last item, \"", item, "\", has no '='");
    } else if (item.find('=', equals + 1) != absl::string_view::npos) {
      return absl::StrCat("there is a second '=' in \"", item, "\"");
    }
    if (last) break;
    begin = end + 1;
  }
  return "";
}

}  // namespace

void CheckRejected(const LintFacts& facts, const LintSink& sink) {
  if (!HasOutcome(facts, AssignmentOutcome::kRejected)) return;
  sink.Add("",
           absl::StrCat(facts.build.name(),
                        " drops the whole string, with a warning on standard "
                        "error of every program: ",
                        WhyIllFormed(facts.subject.string)),
           "Write NAME=VALUE, joined by single colons, none at the end.");
}

void CheckNoEquals(const LintFacts& facts, const LintSink& sink) {
  for (const TunableAssignment& item : facts.parsed.assignments) {
    if (item.outcome != AssignmentOutcome::kNoValue) continue;
    sink.Add(item.name,
             absl::StrCat(facts.build.name(),
                          " skips it without a word: there is no '=' in it"),
             "Write NAME=VALUE.");
  }
}

void CheckWouldBeRejected(const LintFacts& facts, const LintSink& sink) {
  if (facts.build.Has(Change::kIllFormedRejected)) return;
  const std::string why = WhyIllFormed(facts.subject.string);
  if (why.empty()) return;
  sink.Add("", absl::StrCat("from 2.39 on the whole string would be dropped: ",
                            why));
}

// A comma where a colon belongs: the second assignment becomes part of the
// first one's value.
void CheckComma(const LintFacts& facts, const LintSink& sink) {
  for (const TunableAssignment& item : facts.parsed.assignments) {
    if (!absl::StrContains(item.value, ",glibc.")) continue;
    sink.Add(ItemText(item),
             "a comma does not separate assignments: the one after it is part "
             "of this value, and lost",
             absl::StrCat(
                 "Write ",
                 absl::StrReplaceAll(ItemText(item), {{",glibc.", ":glibc."}}),
                 "."));
  }
}

void CheckDuplicate(const LintFacts& facts, const LintSink& sink) {
  std::map<std::string, int> counts;
  for (const TunableAssignment& item : facts.parsed.assignments) {
    if (item.outcome != AssignmentOutcome::kNoValue &&
        item.outcome != AssignmentOutcome::kUnknownName && !item.second_look) {
      ++counts[item.name];
    }
  }
  for (const auto& [name, count] : counts) {
    if (count < 2) continue;
    sink.Add(name,
             absl::StrCat(
                 "it is assigned ", count, " times: ",
                 facts.build.Has(Change::kLastDuplicate)
                     ? "only the last is looked at, and if that is bad none "
                       "counts"
                     : "the last that can be read counts, and one that is no "
                       "number counts as 0 up to 2.38"),
             "Assign each tunable once.");
  }
}

void CheckSecondLook(const LintFacts& facts, const LintSink& sink) {
  for (const TunableAssignment& item : facts.parsed.assignments) {
    if (!item.second_look) continue;
    sink.Add(ItemText(item),
             "this build's loader reads it from inside another item's value "
             "(and writes past a buffer in set-uid programs)",
             "Update glibc, and write each assignment after a colon.");
  }
}

}  // namespace advisor
