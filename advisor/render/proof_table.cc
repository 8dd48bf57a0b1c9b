#include "advisor/render/proof_table.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "advisor/render/layout.h"

namespace advisor {
namespace {

constexpr size_t kNarrow = 7;  // "  0.71!"
constexpr size_t kWide = 20;   // "  0.71! [0.69, 0.73]"

// What a screen has room for, beside the rest of the report.
constexpr size_t kRows = 14;
constexpr size_t kRowsOfAllBlocks = 20;
constexpr size_t kFewestRows = 6;

// What a column stands for.
std::string Condition(const ProofCell& cell) {
  return absl::StrCat(
      cell.regime, ", ", cell.alignment,
      cell.copiers == 1 ? "" : absl::StrCat(", ", cell.copiers, " copiers"));
}

// "8 MiB+1": most sizes are just above a threshold, and "8388609 bytes (8 MiB)"
// takes the room of two columns.
std::string SizeText(uint64_t size) {
  constexpr uint64_t kUnit = 1024;
  const uint64_t above = size % kUnit;
  if (size >= kUnit && above != 0 && above <= 64) {
    return absl::StrCat(FormatBytes(size - above), "+", above);
  }
  const std::string text = FormatBytes(size);
  return text.substr(0, text.find(" ("));
}

std::string RowLabel(const ProofCell& cell) {
  return absl::StrFormat("%-7s %8s", cell.function, SizeText(cell.size));
}

struct Mark {
  CellVerdict verdict;
  char letter;
  absl::string_view meaning;
};

constexpr Mark kMarks[] = {
    {CellVerdict::kFaster, ' ', ""},
    {CellVerdict::kSlower, '!', "slower"},
    {CellVerdict::kEquivalent, '=', "no difference"},
    {CellVerdict::kCannotTell, '?', "cannot tell"},
};

const Mark& MarkOf(CellVerdict verdict) {
  return *absl::c_find_if(
      kMarks, [verdict](const Mark& mark) { return mark.verdict == verdict; });
}

std::string CellText(const ProofCell* cell, bool wide) {
  if (cell == nullptr) return wide ? "  -                 " : "  -    ";
  const std::string ratio =
      absl::StrFormat("  %4.2f%c", cell->ratio, MarkOf(cell->verdict).letter);
  if (!wide) return ratio;
  return absl::StrCat(
      ratio, absl::StrFormat(" [%4.2f, %4.2f]", cell->low, cell->high));
}

// Not more than ten or so of each: a search is fast enough.
template <typename Value>
size_t IndexIn(std::vector<Value>& values, Value value) {
  const auto found = absl::c_find(values, value);
  if (found != values.end()) return found - values.begin();
  values.push_back(std::move(value));
  return values.size() - 1;
}

std::string Letter(size_t index) {
  return index < 26 ? std::string(1, static_cast<char>('A' + index))
                    : absl::StrCat(index + 1);
}

class Table {
 public:
  explicit Table(const std::vector<ProofCell>& cells) {
    std::vector<std::string> functions;
    std::vector<std::tuple<size_t, uint64_t>> keys;
    for (const ProofCell& cell : cells) {
      keys.emplace_back(IndexIn(functions, cell.function), cell.size);
      IndexIn(conditions_, Condition(cell));
    }
    std::vector<std::tuple<size_t, uint64_t>> sorted = keys;
    absl::c_sort(sorted);
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    rows_.resize(sorted.size());
    for (size_t i = 0; i < cells.size(); ++i) {
      Row& row = rows_[IndexIn(sorted, keys[i])];
      row.function = cells[i].function;
      row.label = RowLabel(cells[i]);
      row.cells.resize(conditions_.size());
      row.cells[IndexIn(conditions_, Condition(cells[i]))] = &cells[i];
    }
    for (const Row& row : rows_) {
      label_width_ = std::max(label_width_, row.label.size());
    }
  }

  std::string Render(size_t columns) const {
    const size_t room = columns > label_width_ ? columns - label_width_ : 0;
    const bool wide = conditions_.size() * kWide <= room;
    const size_t per_block =
        std::max<size_t>(1, room / (wide ? kWide : kNarrow));
    const size_t blocks = (conditions_.size() + per_block - 1) / per_block;
    const size_t rows =
        blocks == 1 ? kRows : std::max(kFewestRows, kRowsOfAllBlocks / blocks);
    std::string text;
    for (size_t first = 0; first < conditions_.size(); first += per_block) {
      const size_t last = std::min(first + per_block, conditions_.size());
      AppendBlock(first, last, rows, wide, columns, &text);
    }
    return text;
  }

 private:
  struct Row {
    std::string function;
    std::string label;
    // By condition; nullptr where there is none.
    std::vector<const ProofCell*> cells;
  };

  // What a reader must see of a row's cells from `first` on, most pressing
  // first: that something is slower, then how far from 1 it is.
  struct Weight {
    bool slower = false;
    bool extreme = false;
    double effect = 0;
    // Of cells that cannot tell.
    double maybe = 0;

    bool operator>(const Weight& other) const {
      return std::tie(slower, extreme, effect, maybe) >
             std::tie(other.slower, other.extreme, other.effect, other.maybe);
    }
  };

  static Weight WeightOf(const Row& row, size_t first, size_t last) {
    Weight weight;
    for (size_t i = first; i < last; ++i) {
      const ProofCell* const cell = row.cells[i];
      if (cell == nullptr) continue;
      const double distance = std::abs(std::log(cell->ratio));
      weight.slower |= cell->verdict == CellVerdict::kSlower;
      if (cell->verdict == CellVerdict::kFaster ||
          cell->verdict == CellVerdict::kSlower) {
        weight.effect = std::max(weight.effect, distance);
      } else if (cell->verdict == CellVerdict::kCannotTell) {
        weight.maybe = std::max(weight.maybe, distance);
      }
    }
    return weight;
  }

  // The rows of a block that have cells in it, in their order; of more than
  // `most` those that matter: slower ones, the first and the last with an
  // effect of each function, and the largest effects.
  std::vector<const Row*> ChooseRows(size_t first, size_t last, size_t most,
                                     size_t* left_out,
                                     size_t* slower_left_out) const {
    struct Candidate {
      const Row* row;
      Weight weight;
    };
    std::vector<Candidate> candidates;
    for (const Row& row : rows_) {
      const auto* const begin = row.cells.data();
      if (std::any_of(begin + first, begin + last,
                      [](const ProofCell* cell) { return cell != nullptr; })) {
        candidates.push_back({&row, WeightOf(row, first, last)});
      }
    }
    for (size_t i = 0, previous = candidates.size(); i < candidates.size();
         ++i) {
      if (candidates[i].weight.effect == 0) continue;
      const bool same = previous < i && candidates[previous].row->function ==
                                            candidates[i].row->function;
      if (!same) {
        candidates[i].weight.extreme = true;
        if (previous < i) candidates[previous].weight.extreme = true;
      }
      previous = i;
    }
    for (size_t i = candidates.size(); i-- > 0;) {
      if (candidates[i].weight.effect == 0) continue;
      candidates[i].weight.extreme = true;
      break;
    }
    absl::c_stable_sort(candidates,
                        [](const Candidate& left, const Candidate& right) {
                          return left.weight > right.weight;
                        });
    *left_out = candidates.size() > most ? candidates.size() - most : 0;
    *slower_left_out = 0;
    for (size_t i = most; i < candidates.size(); ++i) {
      *slower_left_out += candidates[i].weight.slower;
    }
    std::vector<const Row*> chosen;
    for (size_t i = 0; i < std::min(most, candidates.size()); ++i) {
      chosen.push_back(candidates[i].row);
    }
    absl::c_sort(chosen);  // rows_ is one array
    return chosen;
  }

  void AppendBlock(size_t first, size_t last, size_t most, bool wide,
                   size_t columns, std::string* text) const {
    std::vector<std::string> legend;
    std::string header(label_width_, ' ');
    for (size_t i = first; i < last; ++i) {
      absl::StrAppend(&header, absl::StrFormat("%6s", Letter(i)),
                      std::string(wide ? kWide - 6 : kNarrow - 6, ' '));
      legend.push_back(absl::StrCat(Letter(i), ": ", conditions_[i]));
    }
    absl::StrAppend(text, WrapText(absl::StrJoin(legend, "; "), 0, columns),
                    "\n");
    AppendLine(header, text);
    size_t left_out, slower_left_out;
    for (const Row* row :
         ChooseRows(first, last, most, &left_out, &slower_left_out)) {
      std::string line = row->label;
      line.resize(label_width_, ' ');
      for (size_t i = first; i < last; ++i) {
        absl::StrAppend(&line, CellText(row->cells[i], wide));
      }
      AppendLine(line, text);
    }
    if (left_out == 0) return;
    const std::string slower =
        slower_left_out == 0 ? ""
                             : absl::StrCat(" (", slower_left_out, " slower)");
    absl::StrAppend(
        text,
        WrapText(
            absl::StrCat("and ", left_out, left_out == 1 ? " row" : " rows",
                         slower, " with less effect: --format=json"),
            0, columns),
        "\n");
  }

  static void AppendLine(absl::string_view line, std::string* text) {
    absl::StrAppend(text, line.substr(0, line.find_last_not_of(' ') + 1), "\n");
  }

  std::vector<std::string> conditions_;
  std::vector<Row> rows_;
  size_t label_width_ = 0;
};

std::string MarksLegend(const std::vector<ProofCell>& cells) {
  std::vector<std::string> used;
  for (const Mark& mark : kMarks) {
    if (!mark.meaning.empty() &&
        absl::c_any_of(cells, [&](const ProofCell& cell) {
          return cell.verdict == mark.verdict;
        })) {
      used.push_back(
          absl::StrCat(std::string(1, mark.letter), " ", mark.meaning));
    }
  }
  return absl::StrJoin(used, ", ");
}

}  // namespace

std::string ProofTable(const std::vector<ProofCell>& cells, size_t columns) {
  if (cells.empty()) return "";
  const std::string marks = MarksLegend(cells);
  const std::string head =
      absl::StrCat("time with it / without, 95% interval; below 1 is faster",
                   marks.empty() ? "" : "; ", marks);
  return absl::StrCat(WrapText(head, 0, columns), "\n",
                      Table(cells).Render(columns));
}

}  // namespace advisor
