// Names that the release does not know.

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "advisor/lint/lint_rule.h"
#include "advisor/lint/tunable_catalogue.h"
#include "advisor/suggestion.h"

namespace advisor {
namespace {

constexpr absl::string_view kOldNamespace = "glibc.tune.";
constexpr absl::string_view kNewNamespace = "glibc.cpu.";

enum class Reason { kNamespace, kOtherRelease, kOtherArchitecture, kUnknown };

// What of "glibc.tune." or "glibc.cpu." the last component is; empty for
// another namespace.
absl::string_view CpuComponent(absl::string_view name) {
  if (absl::ConsumePrefix(&name, kOldNamespace) ||
      absl::ConsumePrefix(&name, kNewNamespace)) {
    return name;
  }
  return "";
}

bool BuildHasCpuTunable(const GlibcBuild& build, absl::string_view component) {
  for (const TunableRow& row : AllTunables()) {
    if (row.name == component) return HasTunable(build, row.tunable);
  }
  return false;
}

Reason ReasonOf(const LintFacts& facts, absl::string_view name) {
  const absl::string_view component = CpuComponent(name);
  if (!component.empty() && BuildHasCpuTunable(facts.build, component)) {
    return Reason::kNamespace;
  }
  const auto rows = CatalogueRowsOf(name);
  if (!rows.empty()) {
    return rows[0]->architecture.empty() ? Reason::kOtherRelease
                                         : Reason::kOtherArchitecture;
  }
  // In the other namespace of another release: "glibc.tune.plt_rewrite".
  if (!component.empty() &&
      !CatalogueRowsOf(absl::StrCat(kNewNamespace, component)).empty()) {
    return Reason::kOtherRelease;
  }
  return Reason::kUnknown;
}

template <typename Function>
void ForEachUnknown(const LintFacts& facts, Reason reason,
                    const Function& function) {
  for (const TunableAssignment& item : facts.parsed.assignments) {
    if (item.outcome == AssignmentOutcome::kUnknownName && !item.second_look &&
        ReasonOf(facts, item.name) == reason) {
      function(item);
    }
  }
}

std::string Release(int minor) { return absl::StrCat("2.", minor); }

}  // namespace

void CheckNamespace(const LintFacts& facts, const LintSink& sink) {
  ForEachUnknown(facts, Reason::kNamespace, [&](const TunableAssignment& item) {
    sink.Add(ItemText(item),
             absl::StrCat(facts.build.name(),
                          " skips it without a word: its namespace is \"",
                          facts.build.tunable_namespace(),
                          "\" (glibc.tune up to 2.28, glibc.cpu from 2.29 "
                          "on)"),
             absl::StrCat("Write ", facts.build.tunable_namespace(),
                          CpuComponent(item.name), "."));
  });
}

void CheckOtherRelease(const LintFacts& facts, const LintSink& sink) {
  ForEachUnknown(
      facts, Reason::kOtherRelease, [&](const TunableAssignment& item) {
        auto rows = CatalogueRowsOf(item.name);
        if (rows.empty()) {
          rows = CatalogueRowsOf(
              absl::StrCat(kNewNamespace, CpuComponent(item.name)));
        }
        const int first = rows.front()->first_release;
        const int last = rows.back()->last_release;
        sink.Add(ItemText(item),
                 absl::StrCat(facts.build.name(), " skips it without a word: ",
                              rows[0]->name, " exists from ", Release(first),
                              last == kLastRelease
                                  ? std::string(" on")
                                  : absl::StrCat(" to ", Release(last))),
                 "Leave it out for this release.");
      });
}

void CheckOtherArchitecture(const LintFacts& facts, const LintSink& sink) {
  ForEachUnknown(
      facts, Reason::kOtherArchitecture, [&](const TunableAssignment& item) {
        sink.Add(ItemText(item),
                 absl::StrCat("it is a tunable of ",
                              CatalogueRowsOf(item.name)[0]->architecture,
                              ", and skipped on x86-64"));
      });
}

void CheckUnknownName(const LintFacts& facts, const LintSink& sink) {
  std::vector<std::string> names;
  for (const absl::string_view name : CatalogueNames(facts.build)) {
    if (CpuComponent(name).empty()) names.emplace_back(name);
  }
  for (const TunableRow& row : AllTunables()) {
    if (HasTunable(facts.build, row.tunable)) {
      names.push_back(TunableName(facts.build, row.tunable));
    }
  }
  const std::vector<absl::string_view> views(names.begin(), names.end());
  ForEachUnknown(facts, Reason::kUnknown, [&](const TunableAssignment& item) {
    // Quotes and blanks come from files that are no shell's.
    const std::string bare(absl::StripSuffix(
        absl::StripPrefix(absl::StripAsciiWhitespace(item.name), "\""), "\""));
    const std::string lower = absl::AsciiStrToLower(bare);
    std::string advice;
    if (std::find(names.begin(), names.end(), lower) != names.end()) {
      advice = absl::StrCat("Write ", lower,
                            ", without blanks, quotes or capitals.");
    } else {
      // "; did you mean NAME?"
      const std::string suggestion = Suggestion(lower, views);
      absl::string_view suggestion_text = suggestion;
      absl::ConsumePrefix(&suggestion_text, "; did you mean ");
      absl::ConsumeSuffix(&suggestion_text, "?");
      if (!suggestion_text.empty()) {
        advice = absl::StrCat("Did you mean ", suggestion_text, "?");
      }
    }
    sink.Add(ItemText(item),
             absl::StrCat("no glibc from 2.26 to 2.", kLastRelease,
                          " has such a tunable: it is skipped without a "
                          "word"),
             advice);
  });
}

}  // namespace advisor
