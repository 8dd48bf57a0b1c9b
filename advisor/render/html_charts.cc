#include "advisor/render/html_charts.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "advisor/render/html_text.h"
#include "advisor/render/layout.h"
#include "advisor/render/svg_chart.h"
#include "advisor/render/words.h"

namespace advisor {
namespace {

std::string Figure(absl::string_view caption, absl::string_view svg,
                   absl::string_view below) {
  return absl::StrCat("<figure>\n",
                      HtmlElement("figcaption", HtmlText(caption)), "\n", svg,
                      below, "</figure>\n");
}

std::string SeriesLegend(const std::vector<ChartSeries>& series) {
  std::string items;
  for (size_t i = 0; i < series.size(); ++i) {
    absl::StrAppend(
        &items, "<li><svg viewBox=\"0 0 28 10\" class=\"swatch series series-",
        i % kSeriesColours,
        "\" aria-hidden=\"true\"><line x1=\"0\" y1=\"5\" x2=\"28\" "
        "y2=\"5\"/><circle cx=\"14\" cy=\"5\" r=\"2.4\"/></svg> ",
        HtmlText(series[i].label), "</li>\n");
  }
  return HtmlElement("ul class=\"legend\"", items);
}

// The numbers of the lines, for those who want them or cannot see the plot.
std::string NumbersTable(absl::string_view first_column,
                         const std::vector<ChartSeries>& series,
                         const char* format) {
  std::map<double, std::vector<std::string>> rows;
  std::string head = HtmlElement("th", HtmlText(first_column));
  for (size_t i = 0; i < series.size(); ++i) {
    absl::StrAppend(&head, HtmlElement("th", HtmlText(series[i].label)));
    for (const auto& [x, y] : series[i].points) {
      std::vector<std::string>& row = rows[x];
      row.resize(series.size());
      row[i] = absl::StrFormat("%.3g", y);
    }
  }
  std::string body;
  for (const auto& [x, cells] : rows) {
    std::string row = HtmlElement("th", FormatBytesRoughly(x));
    for (const std::string& cell : cells) {
      absl::StrAppend(&row, HtmlElement("td", cell));
    }
    absl::StrAppend(&body, HtmlElement("tr", row), "\n");
  }
  return absl::StrCat("<details><summary>", format,
                      "</summary><div class=\"wide\"><table>",
                      HtmlElement("thead", HtmlElement("tr", head)),
                      HtmlElement("tbody", body), "</table></div></details>\n");
}

// The range over all points; widened to the values of `marks`.
struct Range {
  double low = 0;
  double high = 0;

  void Add(double value) {
    if (value <= 0) return;
    low = low == 0 ? value : std::min(low, value);
    high = std::max(high, value);
  }
};

// "x86_rep_movsb_threshold" is memcpy's; nullptr for one that stands for no
// place on the axis of sizes.
const char* FunctionOf(absl::string_view tunable) {
  if (absl::StrContains(tunable, "stosb")) return "memset";
  if (absl::StrContains(tunable, "memset_non_temporal")) return "memset";
  if (absl::StrContains(tunable, "movsb")) return "memcpy";
  if (absl::StrContains(tunable, "non_temporal")) return "memcpy";
  return nullptr;
}

std::string LastPart(absl::string_view name) {
  return std::string(name.substr(name.rfind('.') + 1));
}

// Exact where that is short.
std::string Short(uint64_t bytes) {
  const std::string text = FormatBytes(bytes);
  return absl::StrContains(text, '(') ? FormatBytesRoughly(bytes) : text;
}

// "rep_movsb 2112 bytes"
std::string MarkLabel(absl::string_view name, uint64_t value) {
  absl::string_view text = name;
  absl::ConsumePrefix(&text, "x86_");
  absl::ConsumeSuffix(&text, "_threshold");
  return absl::StrCat(text, " ", Short(value));
}

std::vector<ChartMark> ThresholdMarks(const Report& report,
                                      absl::string_view function) {
  std::vector<ChartMark> marks;
  const auto is_of = [&](absl::string_view name) {
    const char* const owner = FunctionOf(name);
    return owner != nullptr &&
           (function == owner || (function == "memmove" && owner[3] != 's'));
  };
  for (const ThresholdSummary& threshold : report.glibc.thresholds) {
    if (threshold.is_tunable && threshold.bytes.value_or(0) > 0 &&
        is_of(threshold.name)) {
      marks.push_back({static_cast<double>(*threshold.bytes),
                       MarkLabel(threshold.name, *threshold.bytes), "default"});
    }
  }
  for (const TunableSetting& setting : report.recommendation.tunables) {
    const std::string name = LastPart(setting.name);
    if (setting.text.empty() && setting.value > 0 && is_of(name)) {
      marks.push_back({static_cast<double>(setting.value),
                       MarkLabel(name, setting.value), "recommended"});
    }
  }
  return marks;
}

std::string MarksLegend(
    const std::vector<std::pair<absl::string_view, absl::string_view>>& kinds) {
  std::string items;
  for (const auto& [kind, meaning] : kinds) {
    absl::StrAppend(&items,
                    "<li><svg viewBox=\"0 0 28 10\" class=\"swatch\" "
                    "aria-hidden=\"true\"><line x1=\"14\" y1=\"0\" x2=\"14\" "
                    "y2=\"10\" class=\"mark mark-",
                    kind, "\"/></svg> ", meaning, "</li>\n");
  }
  return HtmlElement("ul class=\"legend\"", items);
}

// Two plots: the time, and the same as bytes a cycle, where ways that differ by
// a tenth are not one line.
std::string CurveFigure(const Report& report, int number,
                        const std::vector<const TimeCurve*>& curves) {
  std::vector<ChartSeries> times;
  std::vector<ChartSeries> rates;
  Range sizes;
  Range cycles;
  Range bytes_a_cycle;
  std::vector<std::string> labels;
  for (const TimeCurve* curve : curves) {
    times.push_back({curve->label, {}});
    rates.push_back({curve->label, {}});
    labels.push_back(curve->label);
    for (const TimeCurve::Point& point : curve->points) {
      if (point.size == 0 || point.cycles <= 0) continue;
      const double size = static_cast<double>(point.size);
      times.back().points.emplace_back(size, point.cycles);
      rates.back().points.emplace_back(size, size / point.cycles);
      sizes.Add(size);
      cycles.Add(point.cycles);
      bytes_a_cycle.Add(size / point.cycles);
    }
  }
  if (sizes.high == 0) return "";
  const std::string what =
      absl::StrCat(curves[0]->function, ", ", curves[0]->regime);
  const std::string ways = absl::StrJoin(labels, ", ");
  const std::vector<ChartMark> marks =
      ThresholdMarks(report, curves[0]->function);
  std::vector<std::string> outside;
  for (const ChartMark& mark : marks) {
    if (mark.x < sizes.low || mark.x > sizes.high) {
      outside.push_back(absl::StrCat(
          mark.label, mark.kind == "default" ? " (now)" : " (recommended)"));
    }
  }
  std::string below =
      absl::StrCat(SeriesLegend(times),
                   MarksLegend({{"default", "threshold now"},
                                {"recommended", "threshold recommended"}}));
  if (!outside.empty()) {
    absl::StrAppend(
        &below,
        HtmlElement("p class=\"note\"",
                    HtmlText(absl::StrCat("Not among these sizes: ",
                                          absl::StrJoin(outside, ", "), "."))));
  }
  const LogAxis x = SizeAxis("bytes a call", sizes.low, sizes.high);
  return absl::StrCat(
      Figure(absl::StrCat(what, ": time of a call"),
             LogChart({absl::StrCat("time-", number),
                       absl::StrCat("Time of a call of ", what),
                       absl::StrCat("Cycles a call against its size, both "
                                    "logarithmic, for ",
                                    ways, ". A table follows.")},
                      x, DecadeAxis("cycles a call", cycles.low, cycles.high),
                      times, marks),
             absl::StrCat(
                 below, NumbersTable("size", times, "Numbers: cycles a call"))),
      Figure(absl::StrCat(what, ": bytes a cycle"),
             LogChart({absl::StrCat("rate-", number),
                       absl::StrCat("Bytes a cycle of ", what),
                       absl::StrCat("The same as bytes a cycle, for ", ways,
                                    ". Higher is faster.")},
                      x,
                      DecadeAxis("bytes a cycle", bytes_a_cycle.low,
                                 bytes_a_cycle.high),
                      rates, marks),
             below));
}

// As the classes of the page have it.
std::string KindOf(CellVerdict verdict) {
  return absl::StrReplaceAll(CellVerdictName(verdict), {{"_", "-"}});
}

std::string VerdictLegend() {
  std::string items;
  for (const CellVerdict verdict :
       {CellVerdict::kFaster, CellVerdict::kSlower, CellVerdict::kEquivalent,
        CellVerdict::kCannotTell}) {
    const std::string kind = KindOf(verdict);
    absl::StrAppend(&items,
                    "<li><svg viewBox=\"0 0 28 10\" class=\"swatch\" "
                    "aria-hidden=\"true\"><line x1=\"2\" y1=\"5\" x2=\"26\" "
                    "y2=\"5\" class=\"interval verdict-",
                    kind,
                    "\"/><circle cx=\"14\" cy=\"5\" r=\"4\" class=\"interval "
                    "verdict-",
                    kind, "\"/></svg> ", CellVerdictText(verdict), "</li>\n");
  }
  return HtmlElement("ul class=\"legend\"", items);
}

// An axis for all of these, with 1 in it.
std::pair<double, double> RatioRange(const std::vector<ChartInterval>& rows) {
  double low = 0.9;
  double high = 1.1;
  for (const ChartInterval& row : rows) {
    low = std::min(low, row.low);
    // An interval without an upper end must not hide the others.
    high = std::max(high, std::min(row.high, 2 * std::max(1.0, row.ratio)));
  }
  return {std::max(0.0, low - 0.02), high + 0.02};
}

std::string Sizes(uint64_t size) {
  constexpr uint64_t kUnit = 1024;
  const uint64_t above = size % kUnit;
  if (size >= kUnit && above != 0 && above <= 64) {
    return absl::StrCat(Short(size - above), "+", above);
  }
  return Short(size);
}

ChartInterval IntervalOf(std::string label,
                         const WorkloadSummary::Ratio& ratio) {
  const char* kind = ratio.high < 1  ? "faster"
                     : ratio.low > 1 ? "slower"
                                     : "cannot-tell";
  return {std::move(label), ratio.ratio, ratio.low, ratio.high, kind};
}

}  // namespace

std::string CurveFigures(const Report& report) {
  // In the report's order.
  std::vector<std::pair<std::string, std::vector<const TimeCurve*>>> groups;
  for (const TimeCurve& curve : report.curves) {
    const std::string key = absl::StrCat(curve.function, "/", curve.regime);
    auto group = absl::c_find_if(
        groups, [&](const auto& group) { return group.first == key; });
    if (group == groups.end()) group = groups.insert(group, {key, {}});
    group->second.push_back(&curve);
  }
  std::string figures;
  int number = 0;
  for (const auto& [key, curves] : groups) {
    absl::StrAppend(&figures, CurveFigure(report, ++number, curves));
  }
  return figures;
}

std::string ProofFigures(const Proof& proof) {
  using Key = std::tuple<std::string, std::string, std::string, int>;
  std::vector<std::pair<Key, std::vector<ChartInterval>>> groups;
  std::vector<ChartInterval> all;
  std::vector<ProofCell> cells = proof.cells;
  absl::c_stable_sort(cells, [](const ProofCell& a, const ProofCell& b) {
    return a.size < b.size;
  });
  for (const ProofCell& cell : cells) {
    const Key key = {cell.function, cell.regime, cell.alignment, cell.copiers};
    auto group = absl::c_find_if(
        groups, [&](const auto& group) { return group.first == key; });
    if (group == groups.end()) group = groups.insert(group, {key, {}});
    group->second.push_back({Sizes(cell.size), cell.ratio, cell.low, cell.high,
                             KindOf(cell.verdict)});
    all.push_back(group->second.back());
  }
  if (all.empty()) return "";
  absl::c_stable_sort(groups, [](const auto& a, const auto& b) {
    return std::get<0>(a.first) < std::get<0>(b.first);
  });
  const auto [low, high] = RatioRange(all);
  std::string figures;
  int number = 0;
  for (const auto& [key, rows] : groups) {
    const auto& [function, regime, alignment, copiers] = key;
    const std::string caption = absl::StrCat(
        function, ", ", regime, ", ", alignment,
        copiers == 1 ? "" : absl::StrCat(", ", copiers, " copiers"));
    absl::StrAppend(
        &figures,
        Figure(caption,
               RatioChart(
                   {absl::StrCat("proof-", ++number),
                    absl::StrCat("Time with over time without: ", caption),
                    absl::StrCat("Ratios with 95 % intervals for ", rows.size(),
                                 " sizes; below 1 is faster.")},
                   low, high, proof.noise_floor, rows),
               ""));
  }
  return absl::StrCat(VerdictLegend(), "<div class=\"figures\">\n", figures,
                      "</div>\n");
}

std::string LatencyFigure(const CacheTruth& caches) {
  ChartSeries series;
  series.label = absl::StrCat("one dependent load, ", caches.pages);
  Range sizes;
  Range times;
  for (const LatencyPoint& point : caches.curve) {
    if (point.bytes == 0 || point.nanoseconds <= 0) continue;
    series.points.emplace_back(static_cast<double>(point.bytes),
                               point.nanoseconds);
    sizes.Add(static_cast<double>(point.bytes));
    times.Add(point.nanoseconds);
  }
  if (series.points.empty()) return "";
  std::vector<ChartMark> marks;
  for (const MeasuredCache& level : caches.levels) {
    const double claimed = static_cast<double>(level.claimed.value_or(0));
    const double measured = static_cast<double>(level.measured.value_or(0));
    if (claimed > 0) {
      marks.push_back(
          {claimed,
           absl::StrCat(level.level, " claimed ", FormatBytesRoughly(claimed)),
           "claimed"});
    }
    if (measured > 0) {
      marks.push_back({measured,
                       absl::StrCat(level.level, " measured ",
                                    FormatBytesRoughly(measured)),
                       "measured"});
    }
  }
  return Figure(
      absl::StrCat("Latency of a load, ", caches.pages),
      LogChart({"latency", "Latency against working set",
                "Nanoseconds of one dependent load against the size of the "
                "working set, both logarithmic, with the cache sizes that "
                "CPUID claims and those that were measured."},
               SizeAxis("bytes of the working set", sizes.low, sizes.high),
               DecadeAxis("ns a load", times.low, times.high), {series}, marks),
      absl::StrCat(MarksLegend({{"claimed", "size that CPUID claims"},
                                {"measured", "size that this process gets"}}),
                   NumbersTable("working set", {series},
                                "Numbers: nanoseconds a load")));
}

std::string WorkloadFigure(const WorkloadSummary& workload) {
  std::vector<ChartInterval> rows;
  if (workload.one_copier.has_value()) {
    rows.push_back(IntervalOf("one copier", *workload.one_copier));
  }
  if (workload.several_copiers.has_value()) {
    rows.push_back(IntervalOf("all CPUs copy", *workload.several_copiers));
  }
  if (rows.empty()) return "";
  const auto [low, high] = RatioRange(rows);
  return Figure("All calls of the workload",
                RatioChart({"workload", "Time of all calls with over without",
                            "Ratio with its 95 % interval for one copier and "
                            "for all CPUs copying; below 1 is faster."},
                           low, high, 0, rows),
                "");
}

std::string MasksFigure(const std::vector<MaskTrial>& masks) {
  std::vector<ChartInterval> rows;
  for (const MaskTrial& trial : masks) {
    rows.push_back({trial.memmove_variant, trial.ratio, trial.low, trial.high,
                    KindOf(trial.verdict)});
  }
  if (rows.empty()) return "";
  const auto [low, high] = RatioRange(rows);
  return Figure("The memmove that each mask selects",
                RatioChart({"masks", "Time with a mask over time without",
                            "Ratio with its 95 % interval for each mask that "
                            "was tried; below 1 is faster."},
                           low, high, 0, rows),
                "");
}

}  // namespace advisor
