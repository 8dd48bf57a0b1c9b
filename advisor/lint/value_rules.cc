// Values as the list of tunables takes them, before start-up looks at them.

#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "advisor/lint/lint_rule.h"
#include "advisor/lint/tunable_catalogue.h"

namespace advisor {
namespace {

// The row of an item that this build knows; nullptr for others.
const CatalogueRow* RowOf(const LintFacts& facts,
                          const TunableAssignment& item) {
  if (!item.tunable.has_value() &&
      item.outcome != AssignmentOutcome::kOtherTunable) {
    return nullptr;
  }
  return FindCatalogueRow(item.name, facts.build);
}

bool IsNumber(const CatalogueRow& row) {
  return row.type != TunableType::kString;
}

// Calls for every item whose number this release reads.
template <typename Function>
void ForEachNumber(const LintFacts& facts, const Function& function) {
  for (const TunableAssignment& item : facts.parsed.assignments) {
    if (item.second_look || item.outcome == AssignmentOutcome::kSuperseded ||
        item.outcome == AssignmentOutcome::kRejected) {
      continue;
    }
    const CatalogueRow* const row = RowOf(facts, item);
    if (row != nullptr && IsNumber(*row)) function(item, *row);
  }
}

// "K", "MB", "GiB": the factor, or 0 for what is no unit.
uint64_t UnitOf(absl::string_view text) {
  constexpr absl::string_view kUnits = "kmgt";
  if (text.empty()) return 0;
  const size_t index = kUnits.find(absl::ascii_tolower(text[0]));
  if (index == absl::string_view::npos) return 0;
  text.remove_prefix(1);
  if (!text.empty() && text != "b" && text != "B" && text != "iB") return 0;
  return uint64_t{1} << (10 * (index + 1));
}

// What follows the number.
absl::string_view Rest(const TunableAssignment& item) {
  return absl::string_view(item.value)
      .substr(ParseTunableNumber(item.value).length);
}

bool HasDigits(const TunableAssignment& item) {
  const size_t length = ParseTunableNumber(item.value).length;
  return length > 0 && absl::ascii_isxdigit(item.value[length - 1]);
}

std::string WhatHappens(const LintFacts& facts, const TunableAssignment& item) {
  return facts.build.Has(Change::kWholeNumber)
             ? "it is ignored, with a warning on standard error"
             : absl::StrCat("it is read as ", item.number,
                            " (and ignored with a warning from 2.39 on)");
}

}  // namespace

void CheckSuffix(const LintFacts& facts, const LintSink& sink) {
  ForEachNumber(facts, [&](const TunableAssignment& item, const auto&) {
    const uint64_t unit = UnitOf(Rest(item));
    if (!HasDigits(item) || unit == 0) return;
    const ParsedNumber number = ParseTunableNumber(item.value);
    sink.Add(
        ItemText(item),
        absl::StrCat("glibc knows no unit \"", Rest(item),
                     "\": ", WhatHappens(facts, item)),
        number.value < (uint64_t{1} << 62) / unit
            ? absl::StrCat("Write ", item.name, "=", number.value * unit, ".")
            : "");
  });
}

void CheckNotANumber(const LintFacts& facts, const LintSink& sink) {
  ForEachNumber(facts, [&](const TunableAssignment& item, const auto&) {
    // A comma has a rule of its own.
    if (absl::StrContains(item.value, ",glibc.")) return;
    if (HasDigits(item) && UnitOf(Rest(item)) != 0) return;
    if (item.value.empty()) {
      sink.Add(ItemText(item), "the value is empty: it is read as 0",
               "Leave the assignment out instead.");
    } else if (item.trailing_garbage) {
      sink.Add(ItemText(item),
               absl::StrCat(HasDigits(item) ? "a number ends before this does: "
                                            : "it is no number: ",
                            WhatHappens(facts, item)),
               "Write a decimal number, or a hexadecimal one with 0x.");
    }
  });
}

void CheckOddNumber(const LintFacts& facts, const LintSink& sink) {
  ForEachNumber(facts, [&](const TunableAssignment& item, const auto& row) {
    const absl::string_view value = absl::StripAsciiWhitespace(item.value);
    if (item.trailing_garbage || value.empty()) return;
    if (value[0] == '-' && row.type != TunableType::kInt32) {
      sink.Add(
          ItemText(item),
          absl::StrCat("a negative number wraps: it is read as ", item.number));
    } else if (value.size() > 1 && value[0] == '0' &&
               absl::ascii_isdigit(value[1])) {
      sink.Add(ItemText(item),
               absl::StrCat("a leading 0 makes it octal: it is read as ",
                            item.number));
    } else if (item.number == ~uint64_t{0} && value != "18446744073709551615" &&
               !absl::EqualsIgnoreCase(value, "0xffffffffffffffff") &&
               value[0] != '-') {
      sink.Add(ItemText(item),
               absl::StrCat("it needs more than 64 bits and is read as ",
                            item.number));
    }
  });
}

void CheckListBounds(const LintFacts& facts, const LintSink& sink) {
  ForEachNumber(facts, [&](const TunableAssignment& item, const auto& row) {
    const bool refused = item.outcome == AssignmentOutcome::kOutOfRange ||
                         (item.outcome == AssignmentOutcome::kOtherTunable &&
                          !IsInBounds(row, item.number));
    if (!refused) return;
    if (item.trailing_garbage && facts.build.Has(Change::kWholeNumber)) return;
    sink.Add(ItemText(item),
             absl::StrCat("ignored without a word: ", facts.build.name(),
                          " takes ", BoundsOf(row), ", and this is ",
                          row.type == TunableType::kInt32
                              ? absl::StrCat(static_cast<int64_t>(item.number))
                              : absl::StrCat(item.number)));
  });
}

void CheckNeverSettable(const LintFacts& facts, const LintSink& sink) {
  if (facts.build.Has(Change::kRangeCheckFromType)) return;
  ForEachNumber(facts, [&](const TunableAssignment& item, const auto& row) {
    // In 2.26 a bound that the list leaves out counts as 0.
    const bool no_maximum = row.type == TunableType::kInt32
                                ? row.maximum == 0x7fffffff
                                : row.maximum == ~uint64_t{0};
    if (row.minimum > 0 && no_maximum) {
      sink.Add(ItemText(item),
               "2.26 as released takes no value at all for a tunable with a "
               "lower bound and no upper one");
    }
  });
}

// x86_ibt and x86_shstk.
void CheckKeyword(const LintFacts& facts, const LintSink& sink) {
  for (const TunableAssignment& item : facts.parsed.assignments) {
    if (item.tunable != Tunable::kX86Ibt &&
        item.tunable != Tunable::kX86Shstk) {
      continue;
    }
    if (item.value == "on" || item.value == "off" ||
        item.value == "permissive") {
      continue;
    }
    sink.Add(ItemText(item),
             "ignored without a word: only on, off and permissive are taken");
  }
}

namespace {

// Bounds that glibc's code, not its list, enforces.
struct SecondBoundRow {
  absl::string_view name;
  uint64_t maximum;
  int first_release;
  int last_release;
};

// Source: do_set_tcache_max, do_set_tcache_count and do_set_mxfast in
// malloc/malloc.c, on x86-64. Sorted by name.
constexpr SecondBoundRow kSecondBounds[] = {
    {"glibc.malloc.mxfast", 160, 31, kLastRelease},
    {"glibc.malloc.tcache_count", 65535, 30, kLastRelease},
    {"glibc.malloc.tcache_max", 1032, 30, 41},
};

}  // namespace

void CheckSecondBound(const LintFacts& facts, const LintSink& sink) {
  ForEachNumber(facts, [&](const TunableAssignment& item, const auto&) {
    for (const SecondBoundRow& row : kSecondBounds) {
      if (item.name == row.name && item.number > row.maximum &&
          row.first_release <= facts.build.release() &&
          facts.build.release() <= row.last_release) {
        sink.Add(ItemText(item),
                 absl::StrCat("malloc ignores it without a word, though the "
                              "list takes it: the most is ",
                              row.maximum));
      }
    }
  });
}

void CheckListDefault(const LintFacts& facts, const LintSink& sink) {
  ForEachNumber(facts, [&](const TunableAssignment& item, const auto& row) {
    if (item.outcome == AssignmentOutcome::kOtherTunable &&
        !item.trailing_garbage && !item.value.empty() &&
        row.list_default.has_value() &&
        item.number == static_cast<uint64_t>(*row.list_default)) {
      sink.Add(ItemText(item), "this is the default: it changes nothing");
    }
  });
}

}  // namespace advisor
