#include "advisor/render/svg_chart.h"

#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "advisor/render/html_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pugixml.hpp"

namespace advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(HtmlTextTest, EscapesWhatMarkupIsMadeOf) {
  EXPECT_EQ(HtmlText("<b a=\"'&\x1b\n\xff\xc3\xa9"),
            "&lt;b a=&quot;&#39;&amp;?\n\xef\xbf\xbd\xc3\xa9");
  EXPECT_EQ(HtmlElement("p class=\"x\"", "y"), "<p class=\"x\">y</p>");
}

std::vector<std::string> Labels(const LogAxis& axis) {
  std::vector<std::string> labels;
  for (const auto& [value, label] : axis.ticks) {
    EXPECT_GE(value, axis.low * (1 - 1e-9));
    EXPECT_LE(value, axis.high * (1 + 1e-9));
    labels.push_back(label);
  }
  return labels;
}

TEST(SizeAxisTest, HasPowersOfTwoWithTheirUnits) {
  EXPECT_THAT(Labels(SizeAxis("", 1024, 16384)),
              ElementsAre("1 KiB", "2 KiB", "4 KiB", "8 KiB", "16 KiB"));
  EXPECT_THAT(Labels(SizeAxis("", 100, 1 << 26)),
              ElementsAre("128 bytes", "1 KiB", "8 KiB", "64 KiB", "512 KiB",
                          "4 MiB", "32 MiB"));
  EXPECT_EQ(SizeAxis("", 64, 64).high, 128);
}

TEST(DecadeAxisTest, HasMoreTicksWhereDecadesAreFew) {
  EXPECT_THAT(Labels(DecadeAxis("", 3, 20000)),
              ElementsAre("10", "100", "1k", "10k"));
  EXPECT_THAT(Labels(DecadeAxis("", 1.2, 80)),
              ElementsAre("1", "2", "5", "10", "20", "50", "100"));
  EXPECT_EQ(DecadeAxis("", 3, 20000).low, 2);
  EXPECT_EQ(DecadeAxis("", 3, 20000).high, 20000);
  EXPECT_THAT(Labels(DecadeAxis("", 0.03, 0.2)),
              ElementsAre("0.02", "0.05", "0.1", "0.2"));
  EXPECT_THAT(Labels(DecadeAxis("", 5, 5)), ElementsAre("5", "10"));
  EXPECT_THAT(Labels(DecadeAxis("", 7, 7)), ElementsAre("5", "10"));
}

LogAxis Bytes() { return SizeAxis("bytes", 64, 1 << 20); }

// It must be well-formed whatever the labels hold.
pugi::xml_document Parsed(const std::string& svg) {
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_string(svg.c_str());
  EXPECT_TRUE(result) << result.description() << "\n" << svg;
  return document;
}

TEST(LogChartTest, DrawsWhatIsWithinTheAxes) {
  const std::string svg = LogChart(
      {"x", "<title>", "a & b"}, Bytes(), DecadeAxis("cycles", 1, 1000),
      {{"v", {{64, 1}, {1 << 20, 1000}, {1 << 22, 10}}}},
      {{128, "low", "default"}, {1 << 22, "beyond", "recommended"}});
  const pugi::xml_document document = Parsed(svg);
  const pugi::xml_node root = document.child("svg");
  EXPECT_STREQ(root.child_value("title"), "<title>");
  EXPECT_STREQ(root.child_value("desc"), "a & b");
  const pugi::xml_node group =
      root.find_child_by_attribute("class", "series series-0");
  // The lower left and the upper right corner of the plot.
  const std::string points =
      group.child("polyline").attribute("points").value();
  EXPECT_EQ(points.find(' '), points.rfind(' ')) << points;
  EXPECT_THAT(svg, HasSubstr(">low</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("beyond")));
}

struct Box {
  double left, right, y;
};

TEST(LogChartTest, LabelsOfMarksDoNotOverlap) {
  std::vector<ChartMark> marks;
  for (int i = 0; i < 8; ++i) {
    marks.push_back(
        {4096.0 + 100 * i, absl::StrCat("a long label ", i), "default"});
  }
  const pugi::xml_document document = Parsed(LogChart(
      {"x", "t", "d"}, Bytes(), DecadeAxis("cycles", 1, 10), {}, marks));
  std::vector<Box> boxes;
  for (const pugi::xml_node& text : document.child("svg").children("text")) {
    if (std::string(text.child_value()).find("long") == std::string::npos) {
      continue;
    }
    const double half = 6.7 * std::string(text.child_value()).size() / 2;
    const double x = text.attribute("x").as_double();
    EXPECT_GE(x - half, -1);
    EXPECT_LE(x + half, 401);
    boxes.push_back({x - half, x + half, text.attribute("y").as_double()});
  }
  ASSERT_EQ(boxes.size(), marks.size());
  for (const Box& a : boxes) {
    EXPECT_GT(a.y, 0);
    for (const Box& b : boxes) {
      if (&a == &b || a.y != b.y) continue;
      EXPECT_TRUE(a.right < b.left || b.right < a.left);
    }
  }
}

TEST(RatioChartTest, SaysWhereThereIsNoInterval) {
  const std::string svg =
      RatioChart({"x", "t", "d"}, 0, 2, 0,
                 {{"4 KiB", 1, 0, std::numeric_limits<double>::infinity(),
                   "cannot-tell"}});
  Parsed(svg);
  EXPECT_THAT(svg, HasSubstr(">1.00 [unknown]</text>"));
  EXPECT_THAT(svg, HasSubstr(">0</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
  EXPECT_THAT(svg, Not(HasSubstr(">-0<")));
}

TEST(RatioChartTest, CutsIntervalsAtTheAxis) {
  const std::string svg = RatioChart({"x", "t", "d"}, 0.5, 1.5, 0.02,
                                     {{"4 KiB", 0.7, 0.6, 0.8, "faster"},
                                      {"<8 KiB>", 1.4, 0.1, 9, "cannot-tell"}});
  const pugi::xml_document document = Parsed(svg);
  EXPECT_THAT(svg, HasSubstr(">0.70 [0.60, 0.80]</text>"));
  std::vector<double> ends;
  for (const pugi::xml_node& line : document.child("svg").children("line")) {
    if (std::string(line.attribute("class").value()) ==
        "interval verdict-cannot-tell") {
      ends = {line.attribute("x1").as_double(),
              line.attribute("x2").as_double()};
    }
  }
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_GE(ends[0], 0);
  EXPECT_LE(ends[1], 400);
}

}  // namespace
}  // namespace advisor
