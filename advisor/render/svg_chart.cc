#include "advisor/render/svg_chart.h"

#include <algorithm>
#include <cmath>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "advisor/render/html_text.h"
#include "advisor/render/layout.h"

namespace advisor {
namespace {

constexpr double kWidth = 400;
// Of the text, which the page sets in 12 pixels of a sans-serif font: digits
// and lower case letters are not wider.
constexpr double kLetter = 6.7;
constexpr double kLine = 16;

double TextWidth(absl::string_view text) { return kLetter * text.size(); }

// "12.3", "12".
std::string Number(double value) {
  return absl::StrCat(std::round(value * 10) / 10);
}

enum class Anchor { kStart, kMiddle, kEnd };

std::string Text(double x, double y, Anchor anchor, absl::string_view text,
                 absl::string_view css = "") {
  return absl::StrFormat(
      "<text x=\"%s\" y=\"%s\"%s%s>%s</text>\n", Number(x), Number(y),
      anchor == Anchor::kMiddle ? " text-anchor=\"middle\""
      : anchor == Anchor::kEnd  ? " text-anchor=\"end\""
                                : "",
      css.empty() ? "" : absl::StrCat(" class=\"", css, "\""), HtmlText(text));
}

std::string Line(double x1, double y1, double x2, double y2,
                 absl::string_view css) {
  return absl::StrFormat(
      "<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" class=\"%s\"/>\n",
      Number(x1), Number(y1), Number(x2), Number(y2), css);
}

std::string Svg(const ChartText& text, double height,
                absl::string_view inside) {
  return absl::StrFormat(
      "<svg viewBox=\"0 0 %s %s\" role=\"img\" aria-labelledby=\"%s-title "
      "%s-desc\">\n<title id=\"%s-title\">%s</title>\n<desc "
      "id=\"%s-desc\">%s</desc>\n%s</svg>\n",
      Number(kWidth), Number(height), text.id, text.id, text.id,
      HtmlText(text.title), text.id, HtmlText(text.description), inside);
}

// From a value to a coordinate.
class LogScale {
 public:
  LogScale(const LogAxis& axis, double from, double to)
      : low_(std::log(axis.low)),
        factor_((to - from) / (std::log(axis.high) - std::log(axis.low))),
        from_(from) {}

  double operator()(double value) const {
    return from_ + (std::log(value) - low_) * factor_;
  }

 private:
  const double low_;
  const double factor_;
  const double from_;
};

struct PlacedMark {
  const ChartMark* mark;
  double x;     // of the line
  double left;  // of the label
  int row;
};

// Labels in the lowest row where they have room, from left to right.
std::vector<PlacedMark> PlaceMarks(const std::vector<ChartMark>& marks,
                                   const LogAxis& axis, const LogScale& scale,
                                   double left) {
  std::vector<PlacedMark> placed;
  for (const ChartMark& mark : marks) {
    if (mark.x < axis.low || mark.x > axis.high) continue;
    const double x = scale(mark.x);
    const double width = TextWidth(mark.label);
    placed.push_back(
        {&mark, x,
         std::max(0.0, std::clamp(x - width / 2, std::min(left, kWidth - width),
                                  kWidth - width)),
         0});
  }
  absl::c_stable_sort(placed, [](const PlacedMark& a, const PlacedMark& b) {
    return a.left < b.left;
  });
  std::vector<double> ends;
  for (PlacedMark& mark : placed) {
    size_t row = 0;
    while (row < ends.size() && ends[row] + 10 > mark.left) ++row;
    if (row == ends.size()) ends.push_back(0);
    ends[row] = mark.left + TextWidth(mark.mark->label);
    mark.row = static_cast<int>(row);
  }
  return placed;
}

std::string SeriesLines(const std::vector<ChartSeries>& all, const LogAxis& x,
                        const LogAxis& y, const LogScale& to_x,
                        const LogScale& to_y) {
  std::string text;
  for (size_t i = 0; i < all.size(); ++i) {
    std::string line;
    std::string dots;
    for (const auto& [at, value] : all[i].points) {
      if (at < x.low || at > x.high || value < y.low || value > y.high) {
        continue;
      }
      absl::StrAppend(&line, line.empty() ? "" : " ", Number(to_x(at)), ",",
                      Number(to_y(value)));
      absl::StrAppend(&dots, "<circle cx=\"", Number(to_x(at)), "\" cy=\"",
                      Number(to_y(value)), "\" r=\"2.4\"><title>",
                      HtmlText(absl::StrFormat("%s, %s: %.4g", all[i].label,
                                               FormatBytesRoughly(at), value)),
                      "</title></circle>\n");
    }
    absl::StrAppend(&text, "<g class=\"series series-", i % kSeriesColours,
                    "\">\n<polyline points=\"", line, "\"/>\n", dots, "</g>\n");
  }
  return text;
}

std::string IntervalText(const ChartInterval& row) {
  if (!std::isfinite(row.high)) {
    return absl::StrFormat("%.2f [unknown]", row.ratio);
  }
  return absl::StrFormat("%.2f [%.2f, %.2f]", row.ratio, row.low, row.high);
}

// "0.1", "0.05", ...: such that not more than eight are in `range`.
double RatioStep(double range) {
  for (const double step : {0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5}) {
    if (range / step <= 7) return step;
  }
  return std::ceil(range / 7);
}

}  // namespace

LogAxis SizeAxis(std::string title, double low, double high, int most) {
  LogAxis axis;
  axis.title = std::move(title);
  axis.low = low;
  axis.high = std::max(high, 2 * low);
  const int first = static_cast<int>(std::ceil(std::log2(axis.low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log2(axis.high) + 1e-9));
  const int step = std::max(1, (last - first) / most + 1);
  for (int exponent = first; exponent <= last; ++exponent) {
    // 1 KiB and 1 MiB are among them.
    if (exponent % step != 10 % step) continue;
    const double size = std::exp2(exponent);
    axis.ticks.emplace_back(size, FormatBytesRoughly(size));
  }
  return axis;
}

LogAxis DecadeAxis(std::string title, double low, double high) {
  LogAxis axis;
  axis.title = std::move(title);
  axis.low = 0;
  axis.high = 0;
  std::vector<double> inside;
  const int first = static_cast<int>(std::floor(std::log10(low) + 1e-9));
  for (int decade = first; axis.high == 0; ++decade) {
    for (const double digit : {1., 2., 5.}) {
      const double value = digit * std::pow(10, decade);
      if (value <= low * (1 + 1e-9)) {
        axis.low = value;
        inside.clear();
      }
      inside.push_back(value);
      if (value >= high * (1 - 1e-9) && value > axis.low) {
        axis.high = value;
        break;
      }
    }
  }
  // Of many decades the powers of ten alone.
  const bool many = axis.high / axis.low > 500;
  for (const double value : inside) {
    const double exponent = std::log10(value);
    if (many && std::abs(exponent - std::round(exponent)) > 0.1) continue;
    axis.ticks.emplace_back(value, value >= 1e6 ? absl::StrCat(value / 1e6, "M")
                                   : value >= 1e3
                                       ? absl::StrCat(value / 1e3, "k")
                                       : absl::StrCat(value));
  }
  return axis;
}

std::string LogChart(const ChartText& text, const LogAxis& x, const LogAxis& y,
                     const std::vector<ChartSeries>& series,
                     const std::vector<ChartMark>& marks) {
  size_t longest = 0;
  for (const auto& [value, label] : y.ticks) {
    longest = std::max(longest, label.size());
  }
  const double left = kLetter * longest + 12;
  const double right = kWidth - 24;
  const LogScale to_x(x, left, right);
  const std::vector<PlacedMark> placed = PlaceMarks(marks, x, to_x, left);
  int rows = 0;
  for (const PlacedMark& mark : placed) rows = std::max(rows, mark.row + 1);
  // The y axis' title, then the marks' labels, then the plot.
  const double top = kLine * (rows + 1) + 10;
  const double bottom = top + 220;
  const LogScale to_y(y, bottom, top);
  std::string inside = Text(0, 12, Anchor::kStart, y.title, "axis-title");
  for (const auto& [value, label] : y.ticks) {
    absl::StrAppend(&inside,
                    Line(left, to_y(value), right, to_y(value), "grid"),
                    Text(left - 6, to_y(value) + 4, Anchor::kEnd, label));
  }
  double free = 0;
  for (const auto& [value, label] : x.ticks) {
    const double at = to_x(value);
    absl::StrAppend(&inside, Line(at, top, at, bottom, "grid"));
    const double half = TextWidth(label) / 2;
    if (at - half < free) continue;
    free = at + half + 4;
    absl::StrAppend(&inside, Text(at, bottom + 16, Anchor::kMiddle, label));
  }
  absl::StrAppend(&inside, Line(left, bottom, right, bottom, "axis"),
                  Text((left + right) / 2, bottom + 34, Anchor::kMiddle,
                       x.title, "axis-title"));
  for (const PlacedMark& mark : placed) {
    absl::StrAppend(&inside, Line(mark.x, top - 3, mark.x, bottom,
                                  absl::StrCat("mark mark-", mark.mark->kind)));
  }
  absl::StrAppend(&inside, SeriesLines(series, x, y, to_x, to_y));
  for (const PlacedMark& mark : placed) {
    absl::StrAppend(
        &inside,
        Text(mark.left + TextWidth(mark.mark->label) / 2,
             top - 5 - kLine * mark.row, Anchor::kMiddle, mark.mark->label,
             absl::StrCat("mark-label mark-", mark.mark->kind)));
  }
  return Svg(text, bottom + 42, inside);
}

std::string RatioChart(const ChartText& text, double low, double high,
                       double noise_floor,
                       const std::vector<ChartInterval>& rows) {
  size_t longest = 0;
  for (const ChartInterval& row : rows) {
    longest = std::max(longest, row.label.size());
  }
  const double left = std::min(kLetter * longest + 10, kWidth / 2);
  // "0.717 [0.702, 0.731]"
  const double right = kWidth - TextWidth("0.72 [0.70, 0.73]") - 12;
  const auto to_x = [&](double ratio) {
    return left +
           (std::clamp(ratio, low, high) - low) / (high - low) * (right - left);
  };
  constexpr double kTop = 8;
  constexpr double kRow = 20;
  const double bottom = kTop + kRow * rows.size();
  std::string inside = absl::StrFormat(
      "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" "
      "class=\"noise\"/>\n",
      Number(to_x(1 - noise_floor)), Number(kTop),
      Number(to_x(1 + noise_floor) - to_x(1 - noise_floor)),
      Number(bottom - kTop));
  const double step = RatioStep(high - low);
  double free = 0;
  for (double tick = std::ceil(low / step - 1e-9) * step; tick <= high + 1e-9;
       tick += step) {
    const double at = to_x(tick);
    absl::StrAppend(&inside, Line(at, kTop, at, bottom, "grid"));
    // No "-0".
    const std::string label =
        absl::StrFormat("%.3g", std::abs(tick) < 1e-9 ? 0.0 : tick);
    if (at - TextWidth(label) / 2 < free) continue;
    free = at + TextWidth(label) / 2 + 4;
    absl::StrAppend(&inside, Text(at, bottom + 16, Anchor::kMiddle, label));
  }
  absl::StrAppend(&inside, Line(to_x(1), kTop, to_x(1), bottom, "axis"));
  double y = kTop + kRow / 2;
  for (const ChartInterval& row : rows) {
    const std::string css = absl::StrCat("interval verdict-", row.kind);
    absl::StrAppend(
        &inside, Text(0, y + 4, Anchor::kStart, row.label),
        Line(to_x(row.low), y, to_x(row.high), y, css),
        absl::StrFormat("<circle cx=\"%s\" cy=\"%s\" r=\"4\" class=\"%s\"/>\n",
                        Number(to_x(row.ratio)), Number(y), css),
        Text(kWidth, y + 4, Anchor::kEnd, IntervalText(row)));
    y += kRow;
  }
  absl::StrAppend(&inside,
                  Text((left + right) / 2, bottom + 34, Anchor::kMiddle,
                       "time with / without", "axis-title"));
  return Svg(text, bottom + 42, inside);
}

}  // namespace advisor
