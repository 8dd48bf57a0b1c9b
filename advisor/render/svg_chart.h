// Charts as inline SVG, for a page that needs neither script nor network. No
// plotting library for C++ writes small SVG with text that screen readers and
// style sheets reach; two kinds of chart are all that is needed.
//
// Colours are classes of the page's style sheet: "series-0" to "series-5",
// "mark-NAME", "verdict-NAME". The numbers of a viewBox are CSS pixels on a
// phone of 400 pixels.

#ifndef ADVISOR_RENDER_SVG_CHART_H_
#define ADVISOR_RENDER_SVG_CHART_H_

#include <string>
#include <utility>
#include <vector>

namespace advisor {

inline constexpr int kSeriesColours = 6;

// What a chart says to those who do not see it. Both are text, not HTML.
struct ChartText {
  // Unique in the page: the prefix of the chart's identifiers.
  std::string id;
  std::string title;
  std::string description;
};

// Where values of 1 and more lie on a logarithmic axis, and what is written
// there.
struct LogAxis {
  std::string title;  // with the unit
  double low = 1;
  double high = 10;
  // Ascending, in [low, high].
  std::vector<std::pair<double, std::string>> ticks;
};

// Powers of two as "4 KiB", not more than `most`; the axis ends at `low` and
// `high`.
LogAxis SizeAxis(std::string title, double low, double high, int most = 7);
// From a 1, 2 or 5 times a power of ten to another: "1", "2", "5", "10"; powers
// of ten alone where they are many: "10", "100", "1k". Both values positive.
LogAxis DecadeAxis(std::string title, double low, double high);

struct ChartSeries {
  std::string label;
  // Ascending by first; both positive.
  std::vector<std::pair<double, double>> points;
};

// A vertical line.
struct ChartMark {
  double x = 1;
  std::string label;
  std::string kind;  // "default", "recommended", "claimed", "measured"
};

// Lines with points over two logarithmic axes. Marks outside the axis are left
// out; labels of marks are in as many rows as they need not to overlap.
std::string LogChart(const ChartText& text, const LogAxis& x, const LogAxis& y,
                     const std::vector<ChartSeries>& series,
                     const std::vector<ChartMark>& marks);

// A ratio with its interval.
struct ChartInterval {
  std::string label;
  double ratio = 1;
  double low = 1;
  double high = 1;
  std::string kind;  // "faster", "slower", "equivalent", "cannot-tell"
};

// One row each, against 1, with the numbers beside them. `low` and `high`: of
// the axis, and 1 is in it; intervals that leave it are cut there.
std::string RatioChart(const ChartText& text, double low, double high,
                       double noise_floor,
                       const std::vector<ChartInterval>& rows);

}  // namespace advisor

#endif  // ADVISOR_RENDER_SVG_CHART_H_
