#include "advisor/render/prediction_table.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "advisor/glibc/thresholds.h"
#include "advisor/render/layout.h"
#include "advisor/render/prediction_renderer.h"

namespace advisor {
namespace {

// Thresholds that have a column, the other values below.
constexpr size_t kFirstInTable = 2;

std::string ValueText(const PredictionAnswer& answer,
                      const ThresholdColumn& column) {
  if (answer.hangs) return "-";
  const std::optional<uint64_t>& value = answer.thresholds.*column.value;
  if (!value.has_value()) return IsUnknown(answer, column.name) ? "?" : "-";
  if (*value == UINT64_MAX) return "never";
  if (*value == kMaximumNonTemporalThreshold) return "2^60-1";
  return absl::StrCat(*value);
}

std::string VariantText(const PredictionAnswer& answer,
                        const std::string& variant) {
  return answer.hangs ? "-" : variant.empty() ? "?" : variant;
}

using Named = std::pair<std::string, std::string>;

// Every value of an answer by its short name: first those with a column.
std::vector<Named> Values(const PredictionAnswer& answer) {
  std::vector<Named> values;
  const auto add = [&](const ThresholdColumn& column) {
    values.emplace_back(absl::StripSuffix(column.name, "_threshold"),
                        ValueText(answer, column));
  };
  const absl::Span<const ThresholdColumn> columns = ThresholdColumns();
  for (const ThresholdColumn& column : columns.subspan(kFirstInTable)) {
    add(column);
  }
  for (const ThresholdColumn& column : columns.first(kFirstInTable)) {
    add(column);
  }
  values.emplace_back("memmove", VariantText(answer, answer.memmove));
  values.emplace_back("memset", VariantText(answer, answer.memset));
  return values;
}

// The worst of its hazards; empty for none.
std::string Mark(const PredictionAnswer& answer) {
  if (answer.hazards.empty()) return "";
  const Consequence worst = answer.hazards.front().consequence;
  std::string mark(ConsequenceName(worst));
  if (SeverityOf(worst) == Severity::kCritical) {
    for (char& c : mark) c = absl::ascii_toupper(c);
  }
  return mark;
}

std::string ChangesBelow(const std::vector<Named>& values,
                         const std::vector<Named>* before, size_t first,
                         absl::string_view mark_change) {
  std::vector<std::string> parts;
  for (size_t i = first; i < values.size(); ++i) {
    if (before != nullptr && (*before)[i] == values[i]) continue;
    parts.push_back(absl::StrCat(values[i].first, " ", values[i].second,
                                 before != nullptr ? mark_change : ""));
  }
  return absl::StrJoin(parts, ", ");
}

}  // namespace

std::string PredictionList(absl::Span<const PredictionAnswer> answers,
                           size_t columns, size_t indent) {
  std::string text;
  std::optional<std::vector<Named>> before;
  for (const PredictionAnswer& answer : answers) {
    const std::vector<Named> values = Values(answer);
    std::string line = absl::StrCat(answer.build, ": ");
    const std::string mark = Mark(answer);
    const std::string changes =
        ChangesBelow(values, before.has_value() ? &*before : nullptr, 0, "*");
    absl::StrAppend(&line, changes.empty() ? "the same" : changes,
                    mark.empty() ? "" : "; ", mark);
    absl::StrAppend(&text, std::string(indent, ' '),
                    WrapText(line, indent + 2, columns), "\n");
    before = values;
  }
  return text;
}

std::string PredictionTable(absl::Span<const PredictionAnswer> answers,
                            size_t columns) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> below;
  std::optional<std::vector<Named>> before;
  const size_t in_table = ThresholdColumns().size() - kFirstInTable;
  for (const PredictionAnswer& answer : answers) {
    const std::vector<Named> values = Values(answer);
    if (!before.has_value()) {
      rows.push_back({"build"});
      for (size_t i = 0; i < in_table; ++i) {
        rows[0].push_back(absl::StrReplaceAll(
            values[i].first, {{"memset_non_temporal", "memset_nt"},
                              {"rep_movsb_stop", "movsb_stop"}}));
      }
      rows[0].push_back("");
    }
    std::vector<std::string> row = {answer.build};
    for (size_t i = 0; i < in_table; ++i) {
      const bool changed = before.has_value() && (*before)[i] != values[i];
      row.push_back(absl::StrCat(values[i].second, changed ? "*" : " "));
    }
    row.push_back(Mark(answer));
    rows.push_back(std::move(row));
    below.push_back(ChangesBelow(
        values, before.has_value() ? &*before : nullptr, in_table, "*"));
    before = values;
  }
  std::vector<size_t> widths(in_table + 2);
  for (const std::vector<std::string>& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  size_t total = 0;
  for (const size_t width : widths) total += width + 1;
  if (total > columns + 1) return PredictionList(answers, columns, 0);
  std::string text;
  for (size_t r = 0; r < rows.size(); ++r) {
    std::string line = absl::StrFormat("%-*s", widths[0], rows[r][0]);
    for (size_t i = 1; i <= in_table; ++i) {
      absl::StrAppendFormat(&line, " %*s", widths[i], rows[r][i]);
    }
    absl::StrAppend(&line, " ", rows[r].back());
    absl::StripTrailingAsciiWhitespace(&line);
    absl::StrAppend(&text, line, "\n");
    if (r > 0 && !below[r - 1].empty()) {
      absl::StrAppend(&text, "  ", WrapText(below[r - 1], 4, columns), "\n");
    }
  }
  return text;
}

}  // namespace advisor
