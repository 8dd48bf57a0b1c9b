#include "glibc_patches/thresholds/describe.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "advisor/render/layout.h"

namespace glibc_patches {
namespace {

constexpr size_t kColumns = 80;
constexpr size_t kMostNames = 3;
// Rows without tunables, and with.
constexpr int kMostRows = 12;
constexpr int kMostTunableRows = 6;

std::string Count(size_t count, absl::string_view one, absl::string_view many) {
  return absl::StrCat(count, " ", count == 1 ? one : many);
}

bool IsSize(absl::string_view name) {
  return absl::StrContains(name, "_size") ||
         absl::StrContains(name, "_threshold");
}

// 18446744073709551615 is "unknown" of a size and "never" of a threshold.
std::string FormatValue(absl::string_view name, const std::string& text) {
  uint64_t value = 0;
  if (!IsSize(name) || !absl::SimpleAtoi(text, &value)) return text;
  constexpr uint64_t kPlain = uint64_t{1} << 50;
  if (value >= kPlain) return absl::StrCat("0x", absl::Hex(value));
  const std::string bytes = advisor::FormatBytes(value);
  // "bytes (127 MiB)" says too little.
  if (value < 4096 || absl::StrContains(bytes, "bytes")) return text;
  return absl::StrCat(text, " (", bytes, ")");
}

// "glibc.cpu.x86_rep_stosb_threshold=1, 2".
std::string DescribeTunables(const std::vector<std::string>& tunables) {
  constexpr size_t kMostValues = 5;
  std::string text = tunables[0];
  const size_t name = text.find('=') + 1;
  for (size_t i = 1; i < std::min(tunables.size(), kMostValues); ++i) {
    absl::StrAppend(&text, ", ", tunables[i].substr(name));
  }
  if (tunables.size() > kMostValues) {
    absl::StrAppend(&text, " and ", tunables.size() - kMostValues, " more");
  }
  return text;
}

void AddRow(const ThresholdRow& row, std::string& text) {
  std::string head = absl::StrCat(Count(row.cpus.size(), "CPU", "CPUs"), ": ",
                                  DescribeCpus(row.cpus));
  if (!row.tunables.empty()) {
    absl::StrAppend(&head, "; with ", DescribeTunables(row.tunables));
  }
  absl::StrAppend(&text, "  ", advisor::WrapText(head, 4, kColumns), "\n");
  for (const ThresholdChange& change : row.changes) {
    absl::StrAppend(
        &text, "    ",
        advisor::WrapText(
            absl::StrCat(change.name, ": ",
                         FormatValue(change.name, change.before), " -> ",
                         FormatValue(change.name, change.after)),
            6, kColumns),
        "\n");
  }
}

}  // namespace

std::string DescribeCpus(const std::vector<std::string>& cpus) {
  const size_t shown = std::min(
      cpus.size(), cpus.size() == kMostNames + 1 ? kMostNames + 1 : kMostNames);
  std::string text = absl::StrJoin(cpus.begin(), cpus.begin() + shown, ", ");
  if (shown < cpus.size()) {
    absl::StrAppend(&text, " and ", cpus.size() - shown, " more");
  }
  return text;
}

std::string SummarizeThresholds(const ThresholdResult& result) {
  if (!result.not_built.empty()) return "not compiled: " + result.not_built;
  if (!result.code_differs) return "the compiled code is the same";
  std::string text =
      absl::StrCat(Count(result.cpus, "CPU", "CPUs"), ", ",
                   Count(result.runs, "run", "runs"), " of each tree: ",
                   Count(ChangedCpus(result), "CPU changes", "CPUs change"));
  int with_tunables = 0;
  for (const ThresholdRow& row : result.rows) {
    with_tunables += row.tunables.empty() ? 0 : 1;
  }
  if (with_tunables > 0) {
    absl::StrAppend(&text, ", ",
                    Count(with_tunables, "more change", "more changes"),
                    " with tunables");
  }
  if (result.too_many_hangs) {
    absl::StrAppend(&text, "; stopped, for too many runs hang");
  }
  if (result.base_faulty_cpus > 0) {
    absl::StrAppend(&text, "; the base is at fault on ",
                    result.base_faulty_cpus, ", of which the patch repairs ",
                    result.repaired_cpus);
  }
  return text;
}

std::string ThresholdTable(const ThresholdResult& result) {
  std::string text;
  for (const bool tunables : {false, true}) {
    int shown = 0, left = 0;
    for (const ThresholdRow& row : result.rows) {
      if (row.tunables.empty() == tunables) continue;
      if (shown == (tunables ? kMostTunableRows : kMostRows)) {
        ++left;
        continue;
      }
      ++shown;
      AddRow(row, text);
    }
    if (left > 0) {
      absl::StrAppend(&text, "  and ", Count(left, "row", "rows"), " more",
                      tunables ? " with tunables" : "", ": --format=json\n");
    }
  }
  return text;
}

}  // namespace glibc_patches
