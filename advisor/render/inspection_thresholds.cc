#include "advisor/render/inspection_thresholds.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "advisor/render/layout.h"

namespace advisor {
namespace {

std::string Number(const std::optional<uint64_t>& number) {
  return number.has_value() ? absl::StrCat(*number) : "-";
}

// What stands beside a number of bytes: "127 MiB", "about 15.6 MiB", or
// nothing where no unit makes it shorter.
std::string Roughly(uint64_t bytes) {
  constexpr double kMiB = 1 << 20;
  const std::string exact = FormatCacheSize(bytes);
  if (bytes >= kMiB && !absl::EndsWith(exact, "MiB") &&
      !absl::EndsWith(exact, "GiB")) {
    return absl::StrFormat("about %.3g MiB", bytes / kMiB);
  }
  return absl::EndsWith(exact, " B") ? "" : exact;
}

struct Column {
  absl::string_view name;
  std::optional<uint64_t> ThresholdFact::*value;
};

// Those that have something to show.
std::vector<Column> ColumnsOf(const std::vector<ThresholdFact>& thresholds) {
  std::vector<Column> columns;
  for (const Column& column :
       {Column{"listed", &ThresholdFact::listed},
        Column{"predicted", &ThresholdFact::predicted}}) {
    if (std::any_of(thresholds.begin(), thresholds.end(),
                    [&](const ThresholdFact& fact) {
                      return (fact.*column.value).has_value();
                    })) {
      columns.push_back(column);
    }
  }
  return columns;
}

std::string Remark(const ThresholdFact& fact,
                   const std::vector<Column>& columns) {
  if (fact.differs()) return "DIFFERENT";
  return Roughly((fact.*columns[0].value).value_or(0));
}

void ThresholdTable(const std::vector<ThresholdFact>& thresholds,
                    const std::vector<Column>& columns, size_t name_width,
                    size_t number_width, Page& page) {
  std::string header = absl::StrFormat("%-*s", int(name_width), "bytes");
  for (const Column& column : columns) {
    absl::StrAppendFormat(&header, "  %*s", int(number_width), column.name);
  }
  page.Verbatim(header);
  for (const ThresholdFact& fact : thresholds) {
    std::string line = absl::StrFormat("%-*s", int(name_width), fact.name);
    for (const Column& column : columns) {
      absl::StrAppendFormat(&line, "  %*s", int(number_width),
                            Number(fact.*column.value));
    }
    const std::string remark = Remark(fact, columns);
    if (!remark.empty()) absl::StrAppend(&line, "  ", remark);
    page.Verbatim(line);
  }
}

}  // namespace

void ThresholdsPart(const std::vector<ThresholdFact>& thresholds, Page& page) {
  const std::vector<Column> columns = ColumnsOf(thresholds);
  if (columns.empty()) return;
  page.Title("Values");
  size_t name_width = 0;
  size_t number_width = sizeof("predicted") - 1;
  size_t remark_width = 0;
  for (const ThresholdFact& fact : thresholds) {
    name_width = std::max(name_width, fact.name.size());
    remark_width = std::max(remark_width, Remark(fact, columns).size());
    for (const Column& column : columns) {
      number_width = std::max(number_width, Number(fact.*column.value).size());
    }
  }
  if (name_width + columns.size() * (2 + number_width) + 2 + remark_width <=
      page.columns_beside_titles()) {
    ThresholdTable(thresholds, columns, name_width, number_width, page);
    return;
  }
  for (const ThresholdFact& fact : thresholds) {
    std::vector<std::string> values;
    for (const Column& column : columns) {
      values.push_back(
          absl::StrCat(column.name, " ", Number(fact.*column.value)));
    }
    page.Paragraph(
        absl::StrCat(fact.name, fact.differs() ? ": DIFFERENT" : ""));
    page.Paragraph(absl::StrCat("  ", absl::StrJoin(values, ", ")), 2);
  }
}

}  // namespace advisor
