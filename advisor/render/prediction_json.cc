#include "advisor/render/prediction_json.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "advisor/evidence/guest_configuration.h"
#include "advisor/evidence/known_issue.h"
#include "advisor/render/json_text.h"
#include "advisor/render/words.h"
#include "nlohmann/json.hpp"

namespace advisor {
namespace {

using Json = nlohmann::ordered_json;

Json Strings(const std::vector<std::string>& strings) {
  Json json = Json::array();
  for (const std::string& string : strings) json.push_back(string);
  return json;
}

Json HazardJson(const Hazard& hazard, bool is_guest, bool whole) {
  Json json = {
      {"id", hazard.id},
      {"consequence", std::string(ConsequenceName(hazard.consequence))},
      {"severity", std::string(SeverityName(SeverityOf(hazard.consequence)))},
      {"title", hazard.title}};
  if (!whole) return json;
  json["cause"] = hazard.cause.text;
  json["fields"] = Strings(hazard.cause.fields);
  json["glibc_tunables"] = hazard.glibc_tunables;
  Json hypervisor = Json::array();
  if (is_guest) {
    for (const GuestSetting setting : hazard.cause.settings) {
      const GuestSettingRow& row = GuestSettingRowOf(setting);
      hypervisor.push_back({{"setting", std::string(row.name)},
                            {"qemu", std::string(row.qemu)},
                            {"libvirt", std::string(row.libvirt)}});
    }
  }
  json["hypervisor"] = hypervisor;
  json["gone_from"] =
      Strings(hazard.gone_from.value_or(std::vector<std::string>()));
  json["reference"] = hazard.reference;
  return json;
}

Json PredictionJson(const PredictionSubject& subject,
                    const PredictionAnswer& answer, AnswerDetail detail) {
  Json json = {{"dump", answer.dump},
               {"path", answer.path},
               {"core", answer.core},
               {"build", answer.build},
               {"build_note", answer.build_note},
               {"engine", answer.engine},
               {"hangs", answer.hangs}};
  for (const ThresholdColumn& column : ThresholdColumns()) {
    const std::optional<uint64_t>& value = answer.thresholds.*column.value;
    json[std::string(column.name)] =
        value.has_value() ? Json(*value) : Json(nullptr);
  }
  json["memmove"] =
      answer.memmove.empty() ? Json(nullptr) : Json(answer.memmove);
  json["memset"] = answer.memset.empty() ? Json(nullptr) : Json(answer.memset);
  json["unknown"] = Strings(answer.unknown_values);
  Json needed = Json::array();
  for (const UnknownFact& fact : subject.unknown) {
    needed.push_back({{"what", fact.what}, {"command", fact.command}});
  }
  json["needed"] = needed;
  json["warnings"] = Strings(subject.warnings);
  Json hazards = Json::array();
  for (const Hazard& hazard : answer.hazards) {
    hazards.push_back(
        HazardJson(hazard, answer.is_guest, detail.whole_hazards));
  }
  json["hazards"] = hazards;
  json["hazards_known"] = answer.hazards_known;
  Json known_issues = Json::array();
  for (const KnownIssue& issue : answer.known_issues) {
    known_issues.push_back(
        {{"id", issue.id},
         {"severity", std::string(SeverityName(issue.severity))},
         {"title", issue.title},
         {"remedy", issue.remedy},
         {"fixed_in", issue.fixed_in},
         {"reference", issue.reference}});
  }
  json["known_issues"] = known_issues;
  if (detail.steps) {
    Json steps = Json::array();
    for (const Step& step : answer.steps) {
      steps.push_back({{"name", step.name},
                       {"value", step.value},
                       {"reason", step.reason},
                       {"source", step.source}});
    }
    json["steps"] = steps;
  }
  return json;
}

class JsonRenderer : public PredictionRenderer {
 public:
  explicit JsonRenderer(bool steps) : detail_{steps, true} {}

  AnswerDetail detail() const override { return detail_; }
  std::string Head() const override {
    return "{\n  \"schema_version\": 1,\n  \"predictions\": [\n";
  }
  std::string Separator() const override { return ",\n"; }
  std::string Render(
      const PredictionSubject& subject,
      absl::Span<const PredictionAnswer> answers) const override {
    std::string text;
    for (const PredictionAnswer& answer : answers) {
      if (!text.empty()) absl::StrAppend(&text, ",\n");
      absl::StrAppend(&text, "    ",
                      absl::StrReplaceAll(
                          JsonText(PredictionJson(subject, answer, detail_), 2),
                          {{"\n", "\n    "}}));
    }
    return text;
  }
  std::string Tail() const override { return "\n  ]\n}\n"; }

 private:
  const AnswerDetail detail_;
};

class JsonLinesRenderer : public PredictionRenderer {
 public:
  AnswerDetail detail() const override { return {}; }
  std::string Render(
      const PredictionSubject& subject,
      absl::Span<const PredictionAnswer> answers) const override {
    std::string text;
    for (const PredictionAnswer& answer : answers) {
      absl::StrAppend(&text, JsonText(PredictionJson(subject, answer, {}), -1),
                      "\n");
    }
    return text;
  }
};

}  // namespace

std::unique_ptr<PredictionRenderer> MakePredictionJsonRenderer(
    PredictionScope scope) {
  return std::make_unique<JsonRenderer>(scope == PredictionScope::kOneBuild);
}

std::unique_ptr<PredictionRenderer> MakePredictionJsonLinesRenderer() {
  return std::make_unique<JsonLinesRenderer>();
}

}  // namespace advisor
