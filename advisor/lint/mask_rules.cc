// The words of the hwcaps mask.

#include <algorithm>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "advisor/glibc/hwcaps_mask.h"
#include "advisor/lint/lint_rule.h"
#include "advisor/suggestion.h"

namespace advisor {
namespace {

constexpr absl::string_view kUsable = "_Usable";

absl::string_view NameIn(absl::string_view word) {
  absl::ConsumePrefix(&word, "-");
  return word;
}

// Every build that a release or branch tip is.
std::vector<std::string> BuildsWith(absl::string_view name) {
  std::vector<std::string> builds;
  for (const GlibcBuild& build : UpstreamBuilds()) {
    if (!absl::StrContains(build.name(), "+") &&
        FindMaskName(name, build) != nullptr) {
      builds.push_back(build.name());
    }
  }
  return builds;
}

bool IsKnownAnywhere(absl::string_view name) {
  const auto names = AllMaskNames();
  return std::any_of(names.begin(), names.end(),
                     [&](const MaskNameRow& row) { return row.name == name; });
}

bool Clears(const LintFacts& facts, absl::string_view name) {
  return std::find(facts.mask_words.begin(), facts.mask_words.end(),
                   absl::StrCat("-", name)) != facts.mask_words.end();
}

std::string RightWord(const LintFacts& facts, absl::string_view word) {
  const std::string dash(absl::StartsWith(word, "-") ? "-" : "");
  const absl::string_view name = NameIn(word);
  const std::string other = absl::EndsWith(name, kUsable)
                                ? std::string(absl::StripSuffix(name, kUsable))
                                : absl::StrCat(name, kUsable);
  if (FindMaskName(other, facts.build) != nullptr) {
    return absl::StrCat("Write ", dash, other, ".");
  }
  const std::string bare(absl::StripAsciiWhitespace(name));
  for (const MaskNameRow& row : AllMaskNames()) {
    if (absl::EqualsIgnoreCase(row.name, bare) &&
        FindMaskName(row.name, facts.build) != nullptr) {
      return absl::StrCat("Write ", dash, row.name,
                          ": capitals and blanks count.");
    }
  }
  std::vector<absl::string_view> names;
  for (const MaskNameRow& row : AllMaskNames()) {
    if (FindMaskName(row.name, facts.build) == &row) names.push_back(row.name);
  }
  absl::string_view suggestion;
  const std::string text = Suggestion(bare, names);
  suggestion = text;
  absl::ConsumePrefix(&suggestion, "; did you mean ");
  absl::ConsumeSuffix(&suggestion, "?");
  return suggestion.empty()
             ? ""
             : absl::StrCat("Did you mean ", dash, suggestion, "?");
}

// A feature that programs test alone, though the hardware never has it without
// the other: {base, what needs it}.
struct DependenceRow {
  absl::string_view base;
  absl::string_view dependent;
};
constexpr DependenceRow kDependences[] = {
    {"AVX", "AVX2"},         {"AVX", "FMA"},          {"AVX2", "AVX512F"},
    {"AVX512F", "AVX512BW"}, {"AVX512F", "AVX512DQ"}, {"AVX512F", "AVX512VL"},
    {"SSE2", "SSSE3"},       {"SSE4_1", "SSE4_2"},    {"SSSE3", "SSE4_1"},
};

}  // namespace

void CheckMaskWord(const LintFacts& facts, const LintSink& sink) {
  for (const std::string& word : facts.mask_words) {
    const absl::string_view name = NameIn(word);
    if (FindMaskName(name, facts.build) != nullptr) continue;
    std::string title =
        absl::StrCat(facts.build.name(), " ignores this word: ");
    if (name.empty()) {
      absl::StrAppend(&title, "it is empty");
    } else if (IsKnownAnywhere(name)) {
      const std::vector<std::string> builds = BuildsWith(name);
      absl::StrAppend(&title, "it is known ",
                      builds.empty() ? std::string("on branches only")
                                     : absl::StrCat("from ", builds.front(),
                                                    " to ", builds.back()));
    } else {
      absl::StrAppend(&title, "no glibc from 2.26 to 2.", kLastRelease,
                      " knows it");
    }
    // The new spelling beside the old is how one string serves all releases.
    const std::string other =
        absl::EndsWith(name, kUsable)
            ? std::string(absl::StripSuffix(name, kUsable))
            : absl::StrCat(name, kUsable);
    const bool both = IsKnownAnywhere(name) && Clears(facts, other);
    sink.Add(both ? Severity::kInformation : Severity::kWarning, word, title,
             both ? absl::StrCat("-", other, " beside it is what counts here.")
                  : RightWord(facts, word),
             "");
  }
}

void CheckMaskSets(const LintFacts& facts, const LintSink& sink) {
  for (const std::string& word : facts.mask_words) {
    if (absl::StartsWith(word, "-")) continue;
    const MaskNameRow* const row = FindMaskName(word, facts.build);
    if (row == nullptr) continue;
    if (row->action == MaskAction::kSetClearFlag ||
        row->action == MaskAction::kSetClearFeature ||
        row->action == MaskAction::kNothing) {
      continue;
    }
    sink.Add(word,
             "ignored without a word: a mask can clear this, but not set it",
             absl::StrCat("Write -", word, " to clear it."));
  }
}

// Up to 2.31 the plain name clears a CPUID bit that no selector looks at.
void CheckMaskOldWord(const LintFacts& facts, const LintSink& sink) {
  if (facts.build.Has(Change::kUsableBits)) return;
  for (const std::string& word : facts.mask_words) {
    const std::string usable = absl::StrCat(NameIn(word), kUsable);
    if (!absl::StartsWith(word, "-") ||
        FindMaskName(NameIn(word), facts.build) == nullptr ||
        FindMaskName(usable, facts.build) == nullptr || Clears(facts, usable)) {
      continue;
    }
    sink.Add(word,
             absl::StrCat("up to 2.31 this clears a bit that no memory "
                          "function is selected by; they go by ",
                          usable),
             absl::StrCat("Write -", usable, "."));
  }
}

void CheckMaskNoChange(const LintFacts& facts, const LintSink& sink) {
  for (const MaskItem& item : facts.with.prediction.mask_items) {
    if (item.accepted && !item.effective && !item.behind_end) {
      sink.Add(item.text, "it changes nothing on this CPU");
    }
  }
}

void CheckMaskIncoherent(const LintFacts& facts, const LintSink& sink) {
  std::map<absl::string_view, std::vector<absl::string_view>> left;
  const CpuFeatures& features = facts.with.prediction.features;
  for (const DependenceRow& row : kDependences) {
    const auto base = FeatureByName(row.base);
    const auto dependent = FeatureByName(row.dependent);
    if (!base.has_value() || !dependent.has_value()) continue;
    if (facts.without.prediction.features.Active(*base) &&
        !features.Active(*base) && features.Active(*dependent)) {
      left[row.base].push_back(row.dependent);
    }
  }
  for (const auto& [base, dependents] : left) {
    sink.Add(absl::StrCat("-", base),
             absl::StrCat("it leaves ", absl::StrJoin(dependents, ", "),
                          ", which no CPU has without ", base, ": memmove ",
                          facts.with.prediction.memmove, ", memset ",
                          facts.with.prediction.memset, " are selected"),
             absl::StrCat("Clear these, too, or use `advisor mask`."));
  }
}

void CheckMaskVariant(const LintFacts& facts, const LintSink& sink) {
  if (!facts.parsed.hwcaps.has_value() || facts.with.prediction.hangs) return;
  const Prediction& before = facts.without.prediction;
  const Prediction& after = facts.with.prediction;
  if (before.memmove == after.memmove && before.memset == after.memset) {
    sink.Add(*facts.parsed.hwcaps,
             absl::StrCat("the same memory functions are selected as without "
                          "it: memmove ",
                          after.memmove, ", memset ", after.memset));
    return;
  }
  const auto change = [](absl::string_view from, absl::string_view to) {
    return from == to ? absl::StrCat(from, " as without it")
                      : absl::StrCat(to, " instead of ", from);
  };
  sink.Add(
      *facts.parsed.hwcaps,
      absl::StrCat("it selects memmove ", change(before.memmove, after.memmove),
                   ", memset ", change(before.memset, after.memset)));
}

// memmove-ssse3 is for CPUs of 2006 to 2010.
void CheckMaskOldVariant(const LintFacts& facts, const LintSink& sink) {
  const Prediction& before = facts.without.prediction;
  const Prediction& after = facts.with.prediction;
  if (after.hangs || before.memmove == after.memmove ||
      !absl::StartsWith(after.memmove, "ssse3")) {
    return;
  }
  sink.Add(facts.parsed.hwcaps.value_or(""),
           absl::StrCat("it selects memmove ", after.memmove,
                        ", which is for CPUs with slow unaligned loads (2006 "
                        "to 2010), instead of ",
                        before.memmove),
           "Clear SSSE3, too, or use `advisor mask`.");
}

void CheckMaskReadsOn(const LintFacts& facts, const LintSink& sink) {
  for (const MaskItem& item : facts.with.prediction.mask_items) {
    if (!item.behind_end || !item.accepted) continue;
    sink.Add(item.text,
             "up to 2.37 the parser of the mask goes on behind its end, and "
             "takes this word from there",
             "Put the mask last in GLIBC_TUNABLES.");
  }
}

}  // namespace advisor
