#include "advisor/render/lint_report.h"

#include "absl/strings/str_cat.h"
#include "advisor/render/json_text.h"
#include "advisor/render/layout.h"
#include "advisor/render/page.h"
#include "advisor/render/words.h"
#include "nlohmann/json.hpp"

namespace advisor {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

absl::string_view Mark(Severity severity) {
  switch (severity) {
    case Severity::kInformation:
      return "";
    case Severity::kWarning:
      return "WARNING: ";
    case Severity::kCritical:
      return "CRITICAL: ";
  }
  return "";
}

void FindingPart(const LintFinding& finding, Page& page) {
  page.Paragraph(
      absl::StrCat(Mark(finding.severity),
                   finding.item.empty() ? std::string()
                                        : absl::StrCat(finding.item, ": "),
                   finding.title, " [", finding.rule, "]"),
      2);
  page.Paragraph(
      finding.advice.empty() ? "" : absl::StrCat("  ", finding.advice), 2);
  page.Paragraph(finding.reference.empty()
                     ? ""
                     : absl::StrCat("  (", finding.reference, ")"),
                 2);
}

void StringPart(const LintedString& linted, Page& page) {
  page.Title("String");
  page.Verbatim(WithoutControlCharacters(linted.string));
  page.Title("From");
  page.Paragraph(linted.source);
  page.Title("glibc");
  page.Paragraph(linted.build);
  page.Paragraph(linted.build_note);
  page.Title("CPU");
  page.Paragraph(linted.cpu.empty()
                     ? "none that tells enough: what the values do is not "
                       "checked, only how they are read"
                     : linted.cpu);
  if (!linted.program.empty()) {
    page.Title("Program");
    page.Paragraph(absl::StrCat(linted.program,
                                linted.secure == true ? ", set-uid" : "",
                                linted.is_static ? ", static" : ""));
  }
  page.Title("Read as");
  if (linted.result.assignments.empty()) page.Paragraph("nothing");
  for (const LintAssignment& assignment : linted.result.assignments) {
    page.Paragraph(absl::StrCat(WithoutControlCharacters(assignment.item), ": ",
                                assignment.outcome),
                   2);
  }
  if (!linted.result.warnings.empty()) page.Title("ld.so");
  for (const std::string& warning : linted.result.warnings) {
    page.Paragraph(WithoutControlCharacters(warning), 2);
  }
  page.Title("Found");
  if (linted.result.findings.empty()) page.Paragraph("nothing wrong");
  for (LintFinding finding : linted.result.findings) {
    finding.item = WithoutControlCharacters(finding.item);
    finding.title = WithoutControlCharacters(finding.title);
    finding.advice = WithoutControlCharacters(finding.advice);
    FindingPart(finding, page);
  }
}

Json FindingJson(const LintFinding& finding) {
  return {{"rule", finding.rule},
          {"severity", std::string(SeverityName(finding.severity))},
          {"item", finding.item},
          {"title", finding.title},
          {"advice", finding.advice},
          {"reference", finding.reference}};
}

Json StringJson(const LintedString& linted) {
  Json assignments = Json::array();
  for (const LintAssignment& assignment : linted.result.assignments) {
    assignments.push_back({{"item", assignment.item},
                           {"outcome", assignment.outcome},
                           {"in_force", assignment.in_force}});
  }
  Json findings = Json::array();
  for (const LintFinding& finding : linted.result.findings) {
    findings.push_back(FindingJson(finding));
  }
  Json warnings = Json::array();
  for (const std::string& warning : linted.result.warnings) {
    warnings.push_back(warning);
  }
  return {{"source", linted.source},
          {"string", linted.string},
          {"build", linted.build},
          {"build_note", linted.build_note},
          {"cpu", linted.cpu.empty() ? Json(nullptr) : Json(linted.cpu)},
          {"program",
           linted.program.empty() ? Json(nullptr) : Json(linted.program)},
          {"secure",
           linted.secure.has_value() ? Json(*linted.secure) : Json(nullptr)},
          {"static", linted.is_static},
          {"assignments", std::move(assignments)},
          {"loader_warnings", std::move(warnings)},
          {"findings", std::move(findings)}};
}

}  // namespace

std::string RenderLintText(const LintReport& report, int columns) {
  Page page(columns);
  if (report.strings.empty()) {
    page.Title("Found");
    page.Paragraph("nothing sets GLIBC_TUNABLES");
  }
  for (const LintedString& linted : report.strings) StringPart(linted, page);
  if (!report.notes.empty()) page.Title("Notes");
  for (const std::string& note : report.notes) {
    page.Paragraph(WithoutControlCharacters(note), 2);
  }
  return std::move(page).text();
}

std::string RenderLintJson(const LintReport& report) {
  Json strings = Json::array();
  for (const LintedString& linted : report.strings) {
    strings.push_back(StringJson(linted));
  }
  Json notes = Json::array();
  for (const std::string& note : report.notes) notes.push_back(note);
  const Json document = {{"schema_version", kSchemaVersion},
                         {"tool_version", report.tool_version},
                         {"has_finding", report.has_finding()},
                         {"strings", std::move(strings)},
                         {"notes", std::move(notes)}};
  return absl::StrCat(JsonText(document, 2), "\n");
}

}  // namespace advisor
