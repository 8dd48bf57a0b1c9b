#include "advisor/render/renderer.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "advisor/render/golden.h"
#include "advisor/render/proof_table.h"
#include "advisor/render/sample_reports.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace advisor {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string Render(absl::string_view format, const Report& report,
                   int columns = 80) {
  return MakeRenderer(format)->Render(report, {columns});
}

std::string RenderForSystem(absl::string_view format, const Report& report) {
  return MakeRenderer(format)->Render(report, {80, Scope::kSystem});
}

TEST(RendererTest, TableIsSortedAndComplete) {
  std::vector<absl::string_view> names;
  for (const FormatRow& row : AllFormats()) {
    names.push_back(row.name);
    EXPECT_FALSE(row.description.empty());
    EXPECT_NE(MakeRenderer(row.name), nullptr);
  }
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(MakeRenderer("yaml"), nullptr);
}

TEST(RendererTest, EveryFormatOfEverySampleIsAsReviewed) {
  for (const SampleReport& sample : SampleReports()) {
    for (const FormatRow& row : AllFormats()) {
      ExpectGolden(absl::StrCat("testdata/golden/recommend/", sample.name, ".",
                                row.name),
                   Render(row.name, sample.report));
      const std::string for_system = RenderForSystem(row.name, sample.report);
      if (row.has_system_scope) {
        ExpectGolden(absl::StrCat("testdata/golden/recommend/", sample.name,
                                  ".", row.name, ".system"),
                     for_system);
      } else {
        EXPECT_EQ(for_system, Render(row.name, sample.report)) << row.name;
      }
    }
  }
}

TEST(EnvRendererTest, IsOneLine) {
  EXPECT_EQ(Render("env", Report()), "GLIBC_TUNABLES=\n");
  for (const SampleReport& sample : SampleReports()) {
    EXPECT_EQ(Render("env", sample.report),
              absl::StrCat("GLIBC_TUNABLES=",
                           sample.report.recommendation.string, "\n"));
  }
}

constexpr absl::string_view kFiles[] = {"docker", "environment.d", "kubernetes",
                                        "slurm", "systemd"};

// Lines that are no comments.
std::vector<std::string> Content(const std::string& text) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  lines.erase(std::remove_if(lines.begin(), lines.end(),
                             [](const std::string& line) {
                               return line.empty() || line[0] == '#';
                             }),
              lines.end());
  return lines;
}

TEST(DeploymentRenderersTest, NothingToSetIsAValidFileThatSetsNothing) {
  Report report;
  report.recommendation.reason = "Nothing is faster.";
  // What is there stays there.
  report.glibc.tunables_in_environment = "glibc.malloc.check=0";
  report.recommendation.string = "glibc.malloc.check=0";
  for (const absl::string_view format : kFiles) {
    for (const std::string& text :
         {Render(format, report), RenderForSystem(format, report)}) {
      EXPECT_THAT(text, HasSubstr("# Nothing to set: keep the defaults, and "
                                  "GLIBC_TUNABLES=glibc.malloc.check=0"));
      EXPECT_THAT(text, HasSubstr("# Why: Nothing is faster.\n"));
      const std::vector<std::string> content = Content(text);
      if (format == "kubernetes") {
        EXPECT_THAT(content, ElementsAre("env: []"));
      } else {
        EXPECT_THAT(content, IsEmpty()) << text;
      }
    }
  }
}

TEST(DeploymentRenderersTest, SayWhyHowLongAndWhenToDropIt) {
  for (const SampleReport& sample : SampleReports()) {
    if (sample.report.recommendation.verdict != Verdict::kSet) continue;
    for (const absl::string_view format : kFiles) {
      const std::string text = Render(format, sample.report);
      for (const char* part :
           {"# Why: ", "# Sets glibc.", "# Valid for: glibc ",
            "# Made on 2023-11-14 by the glibc tunables "
            "advisor 0.1.0",
            "# Drop it: "}) {
        EXPECT_THAT(text, HasSubstr(part)) << format;
      }
    }
  }
}

TEST(DeploymentRenderersTest, WarnOfWhatReachesEveryProcessAlone) {
  const Report report = SampleReports().back().report;
  for (const FormatRow& row : AllFormats()) {
    if (!row.has_system_scope) continue;
    EXPECT_THAT(RenderForSystem(row.name, report), HasSubstr("CVE-2023-4911"));
    EXPECT_EQ(absl::StrContains(Render(row.name, report), "CVE-2023-4911"),
              row.name == "environment.d");
  }
}

TEST(DeploymentRenderersTest, QuoteWhatTheEnvironmentHeld) {
  Report report;
  report.recommendation.verdict = Verdict::kSet;
  report.recommendation.string = "a='\"\\ %$";
  EXPECT_THAT(Render("docker", report),
              AllOf(HasSubstr("\nENV GLIBC_TUNABLES=\"a='\\\"\\\\ %\\$\"\n"),
                    HasSubstr("\n# '--env=GLIBC_TUNABLES=a='\\''\"\\ %$'\n")));
  EXPECT_THAT(Render("kubernetes", report),
              HasSubstr("    value: \"a='\\\"\\\\ %$\"\n"));
  EXPECT_THAT(Render("slurm", report),
              HasSubstr("\nexport GLIBC_TUNABLES='a='\\''\"\\ %$'\n"));
  EXPECT_THAT(Render("systemd", report),
              HasSubstr("Environment=\"GLIBC_TUNABLES=a='\\\"\\\\ %%$\"\n"));
  EXPECT_THAT(Content(Render("environment.d", report)), IsEmpty());
}

TEST(DeploymentRenderersTest, ControlCharactersAreNotWritten) {
  Report report;
  report.recommendation.verdict = Verdict::kSet;
  report.recommendation.string = "a=\n[Service]\nExecStart=/bin/false";
  report.glibc.tunables_in_environment = report.recommendation.string;
  for (const absl::string_view format : kFiles) {
    const std::string text = Render(format, report);
    EXPECT_THAT(text, HasSubstr("# Not written: ")) << format;
    EXPECT_LE(Content(text).size(), format == "kubernetes" ? 1u : 0u) << text;
  }
}

// Names come from CPUID and files.
TEST(DeploymentRenderersTest, AHostileNameStaysAComment) {
  Report report;
  report.machine.brand = "x\nENV EVIL=1\n\xff";
  report.recommendation.reason = "y\rz\nenv: evil";
  for (const absl::string_view format : kFiles) {
    const std::string text = Render(format, report);
    EXPECT_LE(Content(text).size(), format == "kubernetes" ? 1u : 0u) << text;
    EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](unsigned char c) {
      return c == '\n' || absl::ascii_isprint(c);
    })) << text;
  }
}

TEST(JsonRendererTest, TellsUnknownFromZero) {
  for (const SampleReport& sample : SampleReports()) {
    const auto json = nlohmann::json::parse(Render("json", sample.report));
    EXPECT_EQ(json["proof"].is_null(), !sample.report.proof.has_value());
  }
  Report report;
  report.glibc.thresholds = {{"a", 0, true, ""}, {"b", std::nullopt, true, ""}};
  const auto json = nlohmann::json::parse(Render("json", report));
  EXPECT_EQ(json["glibc"]["thresholds"][0]["bytes"], 0);
  EXPECT_TRUE(json["glibc"]["thresholds"][1]["bytes"].is_null());
  EXPECT_EQ(json["recommendation"]["tunables"], nlohmann::json::object());
}

TEST(JsonRendererTest, ABoundThatIsNotKnownIsNull) {
  Report report;
  report.proof.emplace();
  report.proof->cells.resize(2);
  report.proof->cells[0].low = 0;
  report.proof->cells[0].high = std::numeric_limits<double>::infinity();
  report.proof->cells[1].low = 0.5;
  const auto json = nlohmann::json::parse(Render("json", report));
  const auto& cells = json["proof"]["cells"];
  EXPECT_EQ(cells[0]["interval"], nlohmann::json({nullptr, nullptr}));
  EXPECT_EQ(cells[1]["interval"], nlohmann::json({0.5, 1.0}));
}

TEST(RendererTest, ShowsNoRatiosThatWereNotMeasured) {
  Report report;
  report.proof.emplace();
  report.proof->summary = "there was not enough time";
  report.proof->cells.resize(1);
  const std::string page = Render("html", report);
  EXPECT_THAT(page, HasSubstr("there was not enough time"));
  EXPECT_THAT(page, Not(HasSubstr("0 fresh processes")));
  EXPECT_THAT(page, Not(HasSubstr("id=\"proof-1")));
  const std::string text = Render("text", report);
  EXPECT_THAT(text, HasSubstr("there was not enough time"));
  EXPECT_THAT(text, Not(HasSubstr("fresh processes")));
}

TEST(JsonRendererTest, KeepsSixtyFourBits) {
  Report report;
  report.glibc.thresholds = {{"a", ~uint64_t{0}, true, ""}};
  EXPECT_THAT(Render("json", report), HasSubstr(" 18446744073709551615,"));
}

TEST(TextRendererTest, FitsTheTerminal) {
  for (const int columns : {0, 40, 50, 80, 132}) {
    for (const SampleReport& sample : SampleReports()) {
      const std::string text = Render("text", sample.report, columns);
      for (const absl::string_view line : absl::StrSplit(text, '\n')) {
        // What is to be copied stays whole.
        if (absl::StrContains(line, "GLIBC_TUNABLES=")) continue;
        if (absl::StrContains(line, "glibc.")) continue;
        // One long word: a mask.
        if (!absl::StrContains(absl::StripAsciiWhitespace(line), ' ')) continue;
        EXPECT_LE(line.size(), std::max(columns, 40)) << line;
        EXPECT_FALSE(absl::EndsWith(line, " ")) << line;
      }
    }
  }
}

TEST(TextRendererTest, FitsOneScreen) {
  for (const SampleReport& sample : SampleReports()) {
    const std::vector<std::string> lines =
        absl::StrSplit(Render("text", sample.report), '\n');
    // A mask, a workload and three settings take more room.
    EXPECT_LE(lines.size(), sample.name == "everything" ? 70u : 40u)
        << sample.name;
  }
}

TEST(TextRendererTest, TellsWhatWasMeasuredAndWhatWasNot) {
  Report report;
  for (const char* title : {"Workload", "Masks", "measured with"}) {
    EXPECT_THAT(Render("text", report), Not(HasSubstr(title)));
  }
  report.caches.emplace();
  report.caches->pages = "4 KiB pages";
  report.caches->levels = {{"L2", std::nullopt, 1 << 20, false},
                           {"L3", 8 << 20, std::nullopt, false},
                           {"L4", 64 << 20, std::nullopt, true}};
  report.workload.emplace();
  report.workload->name = "mine";
  const std::string text = Render("text", report, 132);
  EXPECT_THAT(text, HasSubstr("measured with 4 KiB pages: L2 1 MiB, L3 no edge "
                              "to be seen, L4 no sign of the 64 MiB that are "
                              "claimed\n"));
  EXPECT_THAT(text, HasSubstr("Workload  mine\n"));
  // Not proved.
  EXPECT_THAT(text, Not(HasSubstr("time of all calls")));
  report.workload->several_copiers = {0.9, 0.85, 0.95};
  EXPECT_THAT(Render("text", report, 132),
              HasSubstr("time of all calls with it / without: 0.900 [0.850, "
                        "0.950] with all CPUs copying\n"));
}

TEST(JsonRendererTest, AMaskIsAText) {
  Report report;
  report.recommendation.tunables = {
      {"glibc.cpu.hwcaps", 0, std::nullopt, "", "-AVX512F"}};
  const auto json = nlohmann::json::parse(Render("json", report));
  EXPECT_EQ(json["recommendation"]["tunables"]["glibc.cpu.hwcaps"], "-AVX512F");
  EXPECT_EQ(json["recommendation"]["changes"][0]["value"], "-AVX512F");
  EXPECT_TRUE(json["caches"].is_null());
  EXPECT_TRUE(json["workload"].is_null());
  EXPECT_EQ(json["masks"], nlohmann::json::array());
  EXPECT_EQ(json["curves"], nlohmann::json::array());
}

TEST(TextRendererTest, SendsNoControlCharactersToTheTerminal) {
  for (const SampleReport& sample : SampleReports()) {
    EXPECT_THAT(Render("text", sample.report), Not(HasSubstr("\x1b")));
  }
}

TEST(TextRendererTest, EmptyReportIsNoCrash) {
  EXPECT_THAT(Render("text", Report()), HasSubstr("keep the defaults"));
}

TEST(TextRendererTest, DoesNotContradictOrRepeatItself) {
  Report report;
  EXPECT_THAT(Render("text", report), HasSubstr("nothing wrong"));
  report.recommendation.verdict = Verdict::kSet;
  report.recommendation.reason = "It is zero.";
  report.recommendation.tunables = {{"glibc.cpu.x", 1, 0, "It is zero."}};
  EXPECT_THAT(Render("text", report), Not(HasSubstr("nothing wrong")));
  EXPECT_THAT(Render("text", report), Not(HasSubstr("Why")));
  report.recommendation.reason = "It is slow.";
  EXPECT_THAT(Render("text", report), HasSubstr("Why       It is slow."));
}

ProofCell Cell(const std::string& regime, uint64_t size, double ratio) {
  ProofCell cell;
  cell.function = "memcpy";
  cell.alignment = "aligned";
  cell.regime = regime;
  cell.size = size;
  cell.ratio = ratio;
  cell.low = ratio - 0.1;
  cell.high = ratio + 0.1;
  cell.verdict = CellVerdict::kFaster;
  return cell;
}

TEST(ProofTableTest, SortsRowsAndMarksGaps) {
  EXPECT_EQ(ProofTable({}, 80), "");
  EXPECT_EQ(ProofTable({Cell("hot", 4096, 0.5), Cell("rotating", 1024, 0.25),
                        Cell("hot", 1024, 0.75)},
                       80),
            R"(time with it / without, 95% interval; below 1 is faster
A: hot, aligned; B: rotating, aligned
                     A                   B
memcpy     1 KiB  0.75  [0.65, 0.85]  0.25  [0.15, 0.35]
memcpy     4 KiB  0.50  [0.40, 0.60]  -
)");
}

TEST(ProofTableTest, NarrowTerminalGetsRatiosOnlyThenBlocks) {
  const std::vector<ProofCell> cells = {Cell("hot", 1024, 0.5),
                                        Cell("rotating", 1024, 0.6),
                                        Cell("read-back", 1024, 0.7)};
  EXPECT_THAT(ProofTable(cells, 40),
              HasSubstr("memcpy     1 KiB  0.50   0.60   0.70\n"));
  const std::string blocks = ProofTable(cells, 32);
  EXPECT_THAT(blocks, HasSubstr("memcpy     1 KiB  0.50   0.60\n"));
  EXPECT_THAT(blocks, HasSubstr("memcpy     1 KiB  0.70\n"));
}

size_t CountRows(const std::string& table) {
  const std::vector<std::string> lines = absl::StrSplit(table, '\n');
  return std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
    return absl::StartsWith(line, "mem");
  });
}

TEST(ProofTableTest, BlockHasNoRowsWithoutACell) {
  const std::string blocks =
      ProofTable({Cell("hot", 1024, 0.5), Cell("rotating", 2048, 0.6),
                  Cell("read-back", 4096, 0.7)},
                 32);
  EXPECT_EQ(CountRows(blocks), 3u) << blocks;
  EXPECT_THAT(blocks, HasSubstr("C: read-back, aligned\n"
                                "                     C\n"
                                "memcpy     4 KiB  0.70\n"));
}

TEST(ProofTableTest, OfManyRowsThoseWithLeastEffectAreLeftOut) {
  std::vector<ProofCell> cells;
  for (uint64_t i = 1; i <= 30; ++i) {
    cells.push_back(Cell("hot", i * 1024, 0.5 + 0.01 * i));
    if (i <= 3 || i > 20) {
      cells.back().ratio = 1;
      cells.back().verdict = CellVerdict::kEquivalent;
    }
  }
  cells[24].ratio = 1.02;
  cells[24].verdict = CellVerdict::kSlower;
  const std::string table = ProofTable(cells, 80);
  EXPECT_EQ(CountRows(table), 14u) << table;
  EXPECT_THAT(table, HasSubstr("\nand 16 rows with less effect: "));
  // The first with an effect, and the one that is slower, which is the last.
  EXPECT_THAT(table, HasSubstr("memcpy     4 KiB"));
  EXPECT_THAT(table, HasSubstr("memcpy    25 KiB  1.02!"));
  EXPECT_THAT(table, Not(HasSubstr("memcpy     3 KiB")));
  EXPECT_THAT(table, Not(HasSubstr("memcpy    20 KiB")));
  // The neighbour: as many rows as there is room for.
  cells.resize(14);
  const std::string whole = ProofTable(cells, 80);
  EXPECT_EQ(CountRows(whole), 14u);
  EXPECT_THAT(whole, Not(HasSubstr("less effect")));
}

TEST(ProofTableTest, SizesAreShort) {
  const std::string table = ProofTable(
      {Cell("hot", 1000, 0.5), Cell("hot", 2049, 0.5), Cell("hot", 2561, 0.5),
       Cell("hot", 8388609, 0.5), Cell("hot", 8390000, 0.5)},
      80);
  EXPECT_THAT(table, HasSubstr("memcpy  1000 bytes     0.50"));
  EXPECT_THAT(table, HasSubstr("memcpy   2 KiB+1       0.50"));
  EXPECT_THAT(table, HasSubstr("memcpy  2561 bytes     0.50"));
  EXPECT_THAT(table, HasSubstr("memcpy   8 MiB+1       0.50"));
  EXPECT_THAT(table, HasSubstr("memcpy  8390000 bytes  0.50"));
}

TEST(ProofTableTest, SlowerRowsThatDoNotFitAreCounted) {
  std::vector<ProofCell> cells;
  for (uint64_t i = 1; i <= 20; ++i) {
    cells.push_back(Cell("hot", i * 1024, 1.1));
    cells.back().verdict = CellVerdict::kSlower;
  }
  EXPECT_THAT(ProofTable(cells, 80),
              HasSubstr("and 6 rows (6 slower) with less effect"));
}

}  // namespace
}  // namespace advisor
