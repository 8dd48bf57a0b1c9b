#include "glibc_patches/verdict_renderer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "advisor/render/layout.h"
#include "glibc_patches/speed_opinion.h"
#include "glibc_patches/speed_renderer.h"
#include "glibc_patches/thresholds/describe.h"
#include "nlohmann/json.hpp"
#include "pugixml.hpp"

namespace glibc_patches {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;
constexpr size_t kColumns = 80;

absl::string_view StatusName(CheckStatus status) {
  switch (status) {
    case CheckStatus::kPassed:
      return "passed";
    case CheckStatus::kFailed:
      return "failed";
    case CheckStatus::kSkipped:
      return "skipped";
  }
  return "";
}

void AddList(absl::string_view title, const std::vector<std::string>& items,
             std::string& text) {
  if (items.empty()) return;
  absl::StrAppend(&text, title, ": ", absl::StrJoin(items, ", "), "\n");
}

void AddItems(const std::vector<std::string>& items, std::string& text) {
  for (const std::string& item : items) {
    absl::StrAppend(&text, "  - ", advisor::WrapText(item, 4, kColumns), "\n");
  }
}

void AddNotes(const Verdict& verdict, std::string& text) {
  AddList("judged", verdict.files.kernel_files, text);
  if (verdict.thresholds.has_value()) {
    AddList("judged, threshold code", verdict.thresholds->judged_files, text);
    AddList("not judged, threshold code", verdict.thresholds->unused_files,
            text);
  } else {
    AddList("not judged, threshold code", verdict.files.threshold_files, text);
  }
  AddList("not judged, not covered", verdict.files.other_files, text);
  for (const std::string& moved : verdict.files.moved) {
    absl::StrAppend(&text, "note: ", moved, "\n");
  }
  AddList("changed", verdict.changed, text);
  AddList("removed", verdict.removed, text);
  for (const SkippedVariant& variant : verdict.skipped) {
    absl::StrAppend(&text, "skipped: ", variant.name, ": ", variant.reason,
                    "\n");
  }
  for (const SkippedVariant& variant : verdict.unmeasured) {
    absl::StrAppend(&text, "not measured: ", variant.name, ": ", variant.reason,
                    "\n");
  }
  for (const std::string& note : verdict.notes) {
    absl::StrAppend(&text, "note: ", note, "\n");
  }
  for (const std::string& failure : verdict.base_failures) {
    absl::StrAppend(&text, "note: the base fails it too: ", failure, "\n");
  }
}

Json CheckJson(const CheckResult& check) {
  Json findings = Json::array();
  for (const CheckFinding& finding : check.findings) {
    Json item = {{"what", finding.what}};
    item["call"] = finding.call ? Json(finding.call->Describe()) : Json();
    findings.push_back(std::move(item));
  }
  Json json = {{"id", check.id},
               {"variant", check.variant},
               {"status", StatusName(check.status)},
               {"reason", check.reason},
               {"calls", check.calls},
               {"seconds", check.seconds},
               {"findings", std::move(findings)},
               {"notes", check.notes}};
  json["blocks"] = check.coverage
                       ? Json({{"executed", check.coverage->executed},
                               {"total", check.coverage->total}})
                       : Json();
  return json;
}

Json ThresholdsJson(const ThresholdResult& result) {
  Json rows = Json::array(), faults = Json::array();
  for (const ThresholdRow& row : result.rows) {
    Json changes = Json::array();
    for (const ThresholdChange& change : row.changes) {
      changes.push_back({{"name", change.name},
                         {"before", change.before},
                         {"after", change.after}});
    }
    rows.push_back({{"tunables", row.tunables},
                    {"changes", std::move(changes)},
                    {"cpus", row.cpus}});
  }
  for (const ThresholdFault& fault : result.faults) {
    faults.push_back({{"tunables", fault.tunables},
                      {"what", fault.what},
                      {"cpus", fault.cpus}});
  }
  return {{"not_compiled", result.not_built},
          {"code_differs", result.code_differs},
          {"cpus", result.cpus},
          {"cpus_changed", ChangedCpus(result)},
          {"runs", result.runs},
          {"runs_not_started", result.not_run},
          {"base_faulty_cpus", result.base_faulty_cpus},
          {"repaired_cpus", result.repaired_cpus},
          {"changes", std::move(rows)},
          {"faults", std::move(faults)},
          {"seconds", result.seconds}};
}

void AddTestCase(pugi::xml_node suite, const std::string& group,
                 const std::string& name, double seconds, const char* outcome,
                 const std::string& message) {
  pugi::xml_node test = suite.append_child("testcase");
  test.append_attribute("classname") = group.c_str();
  test.append_attribute("name") = name.c_str();
  test.append_attribute("time") = seconds;
  if (outcome == nullptr) return;
  test.append_child(outcome).append_attribute("message") = message.c_str();
}

// A case for each variant, and one for all calls of a kind of variants. What
// the verdict is not rejected for is no failure.
void AddSpeedCases(const Verdict& verdict, pugi::xml_node suite) {
  std::map<std::string, std::string> slower;
  for (size_t i = 0; i < verdict.speed->cells.size(); ++i) {
    const SpeedCellResult& cell = verdict.speed->cells[i];
    std::string& lines = slower[cell.cell.variant];
    if (!IsRegression(cell, verdict.weighed.cells[i],
                      verdict.weighed.is_default, verdict.speed_options)) {
      continue;
    }
    absl::StrAppend(&lines, DescribeCell(cell.cell.cell), ": ",
                    FormatChange(cell.interval.middle), "\n");
  }
  for (const auto& [variant, lines] : slower) {
    AddTestCase(suite, variant, "speed", 0, lines.empty() ? nullptr : "failure",
                lines);
  }
  for (const WorkloadChange& change : verdict.weighed.changes) {
    if (!change.measured.has_value()) continue;
    const bool slow = IsRegression(change, verdict.speed_options);
    AddTestCase(
        suite, change.kind, absl::StrCat("workload ", verdict.weighed.workload),
        0, slow ? "failure" : nullptr, FormatChange(change.interval.middle));
  }
}

}  // namespace

std::string RenderCheckLine(const CheckResult& check) {
  std::string line = absl::StrFormat("%-16s %-48s ", check.id, check.variant);
  absl::StrAppend(&line, StatusName(check.status));
  if (!check.reason.empty()) absl::StrAppend(&line, ": ", check.reason);
  if (check.calls > 0) absl::StrAppend(&line, ", ", check.calls, " calls");
  for (const std::string& note : check.notes) {
    absl::StrAppend(&line, ", ", note);
  }
  for (const CheckFinding& finding : check.findings) {
    absl::StrAppend(&line, "\n  ", finding.what);
    if (finding.call) {
      absl::StrAppend(&line, "\n  call: ", finding.call->Describe());
    }
  }
  return line;
}

std::string RenderText(const Verdict& verdict) {
  std::string text =
      absl::StrCat("patch: ", absl::StrJoin(verdict.patches, ", "),
                   "\nbase: glibc ", verdict.release, ", ", verdict.base, "\n");
  AddNotes(verdict, text);
  int passed = 0, failed = 0, skipped = 0;
  for (const CheckResult& check : verdict.checks) {
    ++(check.status == CheckStatus::kPassed   ? passed
       : check.status == CheckStatus::kFailed ? failed
                                              : skipped);
  }
  if (!verdict.checks.empty()) {
    absl::StrAppend(&text, "checks: ", passed, " passed, ", failed, " failed, ",
                    skipped, " skipped\n");
  }
  if (verdict.speed.has_value()) text += SpeedText(verdict);
  if (verdict.thresholds.has_value()) {
    const std::string summary =
        absl::StrCat("thresholds: ", SummarizeThresholds(*verdict.thresholds));
    absl::StrAppend(&text, advisor::WrapText(summary, 2, kColumns), "\n",
                    ThresholdTable(*verdict.thresholds));
  }
  absl::StrAppendFormat(
      &text, "time: %.1f s to build, %.1f s to check, %.1f s to measure",
      verdict.build_seconds, verdict.check_seconds, verdict.speed_seconds);
  if (verdict.thresholds.has_value()) {
    absl::StrAppendFormat(&text, ", %.1f s for thresholds",
                          verdict.thresholds->seconds);
  }
  text += '\n';
  absl::StrAppend(&text, "\nverdict: ", DecisionName(verdict.decision), "\n");
  for (const std::string& reason : verdict.reasons) {
    absl::StrAppend(&text, "  ", advisor::WrapText(reason, 4, kColumns), "\n");
  }
  AddItems(verdict.evidence, text);
  if (!verdict.slower_without_weight.empty()) {
    absl::StrAppend(&text, "slower, but without weight in the workload ",
                    verdict.weighed.workload, ":\n");
    AddItems(verdict.slower_without_weight, text);
  }
  return text;
}

std::string RenderJson(const Verdict& verdict) {
  Json skipped = Json::array(), checks = Json::array();
  Json unmeasured = Json::array();
  for (const SkippedVariant& variant : verdict.unmeasured) {
    unmeasured.push_back({{"name", variant.name}, {"reason", variant.reason}});
  }
  for (const SkippedVariant& variant : verdict.skipped) {
    skipped.push_back({{"name", variant.name}, {"reason", variant.reason}});
  }
  for (const CheckResult& check : verdict.checks) {
    checks.push_back(CheckJson(check));
  }
  Json json = {
      {"schema_version", kSchemaVersion},
      {"verdict", DecisionName(verdict.decision)},
      {"reasons", verdict.reasons},
      {"evidence", verdict.evidence},
      {"slower_without_weight", verdict.slower_without_weight},
      {"patches", verdict.patches},
      {"base", {{"origin", verdict.base}, {"release", verdict.release}}},
      {"files",
       {{"judged", verdict.files.kernel_files},
        {"threshold", verdict.files.threshold_files},
        {"not_covered", verdict.files.other_files},
        {"unused", verdict.unused_files},
        {"moved_hunks", verdict.files.moved}}},
      {"variants",
       {{"changed", verdict.changed},
        {"removed", verdict.removed},
        {"unlisted", verdict.unlisted},
        {"skipped", std::move(skipped)},
        {"not_measured", std::move(unmeasured)}}},
      {"checks", std::move(checks)},
      {"notes", verdict.notes},
      {"base_failures", verdict.base_failures},
      {"speed", verdict.speed ? SpeedJson(verdict) : Json()},
      {"thresholds",
       verdict.thresholds ? ThresholdsJson(*verdict.thresholds) : Json()},
      {"seconds",
       {{"build", verdict.build_seconds},
        {"check", verdict.check_seconds},
        {"speed", verdict.speed_seconds}}}};
  // What is not UTF-8 (a path, a line of a patch) is replaced.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string RenderJunit(const Verdict& verdict) {
  pugi::xml_document document;
  pugi::xml_node suite =
      document.append_child("testsuites").append_child("testsuite");
  suite.append_attribute("name") = absl::StrJoin(verdict.patches, ", ").c_str();
  for (const CheckResult& check : verdict.checks) {
    const char* const outcome = check.status == CheckStatus::kFailed ? "failure"
                                : check.status == CheckStatus::kSkipped
                                    ? "skipped"
                                    : nullptr;
    AddTestCase(suite, check.variant, check.id, check.seconds, outcome,
                outcome == nullptr ? "" : RenderCheckLine(check));
  }
  if (verdict.speed.has_value()) AddSpeedCases(verdict, suite);
  if (verdict.thresholds.has_value()) {
    std::string lines;
    for (const ThresholdFault& fault : verdict.thresholds->faults) {
      absl::StrAppend(&lines, fault.what, " (", DescribeCpus(fault.cpus),
                      ")\n");
    }
    AddTestCase(suite, "threshold code", "thresholds",
                verdict.thresholds->seconds,
                lines.empty() ? nullptr : "failure", lines);
  }
  std::ostringstream out;
  document.save(out, " ");
  return out.str();
}

}  // namespace glibc_patches
