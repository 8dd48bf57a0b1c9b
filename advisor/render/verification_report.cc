#include "advisor/render/verification_report.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "advisor/render/json_text.h"
#include "advisor/render/layout.h"
#include "advisor/render/page.h"
#include "advisor/render/proof_table.h"
#include "advisor/render/words.h"
#include "nlohmann/json.hpp"

namespace advisor {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

struct ThresholdName {
  absl::string_view name;
  std::optional<uint64_t> EffectiveThresholds::*value;
};
using E = EffectiveThresholds;
constexpr ThresholdName kThresholds[] = {
    {"memset_non_temporal_threshold", &E::memset_non_temporal_threshold},
    {"non_temporal_threshold", &E::non_temporal_threshold},
    {"rep_movsb_stop_threshold", &E::rep_movsb_stop_threshold},
    {"rep_movsb_threshold", &E::rep_movsb_threshold},
    {"rep_stosb_threshold", &E::rep_stosb_threshold},
};

std::string Change(absl::string_view name, absl::string_view before,
                   absl::string_view after) {
  return absl::StrCat(name, " ", before, " -> ", after);
}

// What differs between the sides. Each a line.
std::vector<std::string> Changes(const StringVerification& string) {
  std::vector<std::string> changes;
  if (string.without.memmove != string.with.memmove) {
    changes.push_back(
        Change("memmove", string.without.memmove, string.with.memmove));
  }
  if (string.without.memset != string.with.memset) {
    changes.push_back(
        Change("memset", string.without.memset, string.with.memset));
  }
  for (const ThresholdName& threshold : kThresholds) {
    const auto before = string.without.thresholds.*threshold.value;
    const auto after = string.with.thresholds.*threshold.value;
    if (before == after) continue;
    const auto words = [](const std::optional<uint64_t>& value) {
      return value.has_value() ? absl::StrCat(*value) : std::string("none");
    };
    changes.push_back(Change(threshold.name, words(before), words(after)));
  }
  return changes;
}

void ProofPart(const Proof& proof, Page& page) {
  page.Title("Proof");
  page.Paragraph(absl::StrFormat(
      "%d fresh processes on the real libc; noise floor %s, stolen time %s",
      proof.processes, FormatPercent(proof.noise_floor),
      FormatPercent(proof.steal)));
  page.Verbatim(ProofTable(proof.cells, page.columns_beside_titles()));
}

void TimePart(absl::string_view what, const TimeRatio& time, Page& page) {
  page.Paragraph(
      absl::StrFormat("%s: %.3f [%.3f, %.3f] of %.3g s, %s; control %.3f "
                      "[%.3f, %.3f]",
                      what, time.ratio, time.low, time.high, time.seconds,
                      CellVerdictText(time.verdict), time.control,
                      time.control_low, time.control_high),
      2);
}

void ComparisonPart(const VerificationReport& report, Page& page) {
  page.Title("Program");
  page.Paragraph(WithoutControlCharacters(absl::StrJoin(report.program, " ")),
                 2);
  if (!report.comparison.has_value()) {
    page.Paragraph("not run");
    return;
  }
  const ProgramComparison& comparison = *report.comparison;
  page.Paragraph(absl::StrCat(comparison.rounds,
                              " rounds of three runs (without, without again "
                              "as the control, with), random order"));
  if (comparison.rounds >= kLeastRounds) {
    TimePart("wall time", comparison.wall, page);
    TimePart("CPU time", comparison.cpu, page);
  }
  page.Paragraph(comparison.end_with);
}

std::string Capitalized(absl::string_view text) {
  std::string result(text);
  if (!result.empty()) result[0] = absl::ascii_toupper(result[0]);
  return result;
}

Json Texts(const std::vector<std::string>& texts) {
  Json result = Json::array();
  for (const std::string& text : texts) result.push_back(text);
  return result;
}

Json SideJson(const VerifySide& side) {
  Json thresholds = Json::object();
  for (const ThresholdName& threshold : kThresholds) {
    const auto value = side.thresholds.*threshold.value;
    thresholds[std::string(threshold.name)] =
        value.has_value() ? Json(*value) : Json(nullptr);
  }
  return {{"memmove", side.memmove},
          {"memset", side.memset},
          {"thresholds", std::move(thresholds)}};
}

Json ProofJson(const Proof& proof) {
  Json cells = Json::array();
  for (const ProofCell& cell : proof.cells) {
    cells.push_back({{"function", cell.function},
                     {"size", cell.size},
                     {"alignment", cell.alignment},
                     {"regime", cell.regime},
                     {"copiers", cell.copiers},
                     {"ratio", cell.ratio},
                     {"interval", {cell.low, cell.high}},
                     {"verdict", std::string(CellVerdictName(cell.verdict))}});
  }
  return {{"processes", proof.processes},
          {"noise_floor", proof.noise_floor},
          {"steal", proof.steal},
          {"touched_ratio", proof.touched_ratio},
          {"cells", std::move(cells)}};
}

Json TimeJson(const TimeRatio& time) {
  return {{"ratio", time.ratio},
          {"interval", {time.low, time.high}},
          {"control", time.control},
          {"control_interval", {time.control_low, time.control_high}},
          {"seconds", time.seconds},
          {"verdict", std::string(CellVerdictName(time.verdict))}};
}

Json ComparisonJson(const ProgramComparison& comparison) {
  const bool measured = comparison.rounds >= kLeastRounds;
  return {{"rounds", comparison.rounds},
          {"wall", measured ? TimeJson(comparison.wall) : Json(nullptr)},
          {"cpu", measured ? TimeJson(comparison.cpu) : Json(nullptr)},
          {"end_without", comparison.end_without},
          {"end_with", comparison.end_with},
          {"verdict", std::string(CellVerdictName(comparison.verdict))},
          {"summary", comparison.summary}};
}

}  // namespace

std::string RenderVerificationText(const VerificationReport& report,
                                   int columns) {
  const StringVerification& string = report.string;
  Page page(columns);
  page.Title("String");
  page.Verbatim(WithoutControlCharacters(string.string));
  page.Title("glibc");
  page.Paragraph(string.build);
  page.Title("Changes");
  const std::vector<std::string> changes = Changes(string);
  if (changes.empty()) page.Paragraph("nothing of memcpy, memmove and memset");
  for (const std::string& change : changes) page.Paragraph(change, 2);
  for (const std::string& item : string.not_measured) {
    page.Paragraph(
        WithoutControlCharacters(absl::StrCat(
            item, ": taken, and of another part of glibc: not measured",
            report.comparison.has_value() ? " but by the program" : "")),
        2);
  }
  page.Title("Verdict");
  const std::string& summary = report.comparison.has_value()
                                   ? report.comparison->summary
                                   : string.summary;
  absl::string_view rest = summary;
  const std::string outcome =
      absl::StrReplaceAll(VerifyOutcomeName(report.outcome), {{"_", " "}});
  // Not the same word twice.
  absl::ConsumePrefix(&rest, absl::StrCat(outcome, ": "));
  page.Paragraph(absl::StrCat(Capitalized(outcome), ": ",
                              WithoutControlCharacters(rest), "."));
  if (string.proof.has_value()) ProofPart(*string.proof, page);
  if (!report.program.empty()) ComparisonPart(report, page);
  return std::move(page).text();
}

std::string RenderVerificationJson(const VerificationReport& report) {
  const StringVerification& string = report.string;
  const Json document = {
      {"schema_version", kSchemaVersion},
      {"tool_version", report.tool_version},
      {"outcome", std::string(VerifyOutcomeName(report.outcome))},
      {"string", string.string},
      {"build", string.build},
      {"dropped", Texts(string.dropped)},
      {"not_measured", Texts(string.not_measured)},
      {"without", SideJson(string.without)},
      {"with", SideJson(string.with)},
      {"summary", string.summary},
      {"proof",
       string.proof.has_value() ? ProofJson(*string.proof) : Json(nullptr)},
      {"program", Texts(report.program)},
      {"comparison", report.comparison.has_value()
                         ? ComparisonJson(*report.comparison)
                         : Json(nullptr)}};
  return absl::StrCat(JsonText(document, 2), "\n");
}

}  // namespace advisor
