#include "advisor/render/fleet_renderer.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "advisor/render/json_text.h"
#include "advisor/render/layout.h"
#include "advisor/render/page.h"
#include "nlohmann/json.hpp"

namespace advisor {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;
// More would be no text for people.
constexpr size_t kMembersShown = 12;

std::string Members(const std::vector<FleetMember>& members) {
  std::vector<std::string> names;
  for (const FleetMember& member : members) {
    if (names.size() == kMembersShown) {
      names.push_back(absl::StrCat("and ", members.size() - kMembersShown,
                                   " more: --format=json"));
      break;
    }
    names.push_back(member.name);
  }
  return absl::StrCat(members.size(),
                      members.size() == 1 ? " machine: " : " machines: ",
                      absl::StrJoin(names, "; "));
}

std::string Kinds(const std::vector<FleetMember>& members) {
  std::set<std::string> kinds;
  for (const FleetMember& member : members) {
    kinds.insert(absl::StrCat(
        member.microarchitecture.empty() ? "unknown CPU"
                                         : member.microarchitecture,
        member.hypervisor.empty()
            ? ""
            : absl::StrCat(" under ", member.hypervisor)));
  }
  return absl::StrJoin(kinds, ", ");
}

std::string Values(const PredictionAnswer& answer) {
  if (answer.hangs) return "start-up never ends: no program gets to main";
  std::vector<std::string> values;
  if (!answer.memmove.empty()) {
    values.push_back(absl::StrCat("memmove ", answer.memmove));
    values.push_back(absl::StrCat("memset ", answer.memset));
  }
  for (const ThresholdColumn& column : ThresholdColumns()) {
    const std::optional<uint64_t>& value = answer.thresholds.*column.value;
    if (!value.has_value()) continue;
    values.push_back(
        absl::StrCat(column.name, " ",
                     *value == ~uint64_t{0} ? "never" : FormatBytes(*value)));
  }
  if (!answer.unknown_values.empty()) {
    values.push_back(
        absl::StrCat("not known: ", absl::StrJoin(answer.unknown_values, " ")));
  }
  return absl::StrJoin(values, ", ");
}

void BuildsPart(const FleetBuilds& builds, Page& page) {
  const PredictionAnswer& answer = builds.answer.answer;
  page.Title("glibc");
  page.Paragraph(absl::StrCat(BuildRanges(builds.builds), ": ", Values(answer)),
                 2);
  for (const Hazard& hazard : answer.hazards) {
    page.Paragraph(
        absl::StrCat(ConsequenceName(hazard.consequence), ": ", hazard.id), 2);
  }
  page.Title("Set");
  if (!builds.answer.recommendation.has_value()) {
    page.Paragraph("not known: the input lacks leaves that cpuid -r has");
    return;
  }
  const Recommendation& recommendation = *builds.answer.recommendation;
  if (recommendation.verdict == Verdict::kSet) {
    page.Verbatim(absl::StrCat("GLIBC_TUNABLES=", recommendation.string));
  } else {
    page.Paragraph("nothing: keep the defaults");
  }
  page.Paragraph(recommendation.reason, 2);
}

Json RecommendationJson(const std::optional<Recommendation>& recommendation) {
  if (!recommendation.has_value()) return nullptr;
  Json tunables = Json::object();
  for (const TunableSetting& setting : recommendation->tunables) {
    tunables[setting.name] = setting.value;
  }
  return {{"verdict",
           recommendation->verdict == Verdict::kSet ? "set" : "keep_defaults"},
          {"tunables", tunables},
          {"string", recommendation->string},
          {"reason", recommendation->reason},
          {"validity",
           {{"releases", recommendation->validity.releases},
            {"obsolete_from", recommendation->validity.obsolete_from}}}};
}

Json BuildsJson(const FleetBuilds& builds) {
  const PredictionAnswer& answer = builds.answer.answer;
  Json thresholds = Json::object();
  for (const ThresholdColumn& column : ThresholdColumns()) {
    const std::optional<uint64_t>& value = answer.thresholds.*column.value;
    thresholds[std::string(column.name)] =
        value.has_value() ? Json(*value) : Json(nullptr);
  }
  Json hazards = Json::array();
  for (const Hazard& hazard : answer.hazards) {
    hazards.push_back(
        {{"id", hazard.id},
         {"consequence", std::string(ConsequenceName(hazard.consequence))}});
  }
  return {{"builds", builds.builds},
          {"hangs", answer.hangs},
          {"memmove", answer.memmove},
          {"memset", answer.memset},
          {"thresholds", thresholds},
          {"unknown_values", answer.unknown_values},
          {"hazards", hazards},
          {"recommendation", RecommendationJson(builds.answer.recommendation)}};
}

Json GroupJson(const FleetGroup& group) {
  Json members = Json::array();
  for (const FleetMember& member : group.members) {
    members.push_back({{"name", member.name},
                       {"path", member.path},
                       {"microarchitecture", member.microarchitecture},
                       {"hypervisor", member.hypervisor}});
  }
  Json answers = Json::array();
  for (const FleetBuilds& builds : group.builds) {
    answers.push_back(BuildsJson(builds));
  }
  return {{"members", members}, {"answers", answers}};
}

}  // namespace

std::string RenderFleetText(const std::vector<FleetGroup>& groups,
                            int columns) {
  std::string text;
  for (size_t i = 0; i < groups.size(); ++i) {
    Page page(columns);
    page.Title(absl::StrCat("Group ", i + 1));
    page.Paragraph(Members(groups[i].members));
    page.Paragraph(Kinds(groups[i].members));
    for (const FleetBuilds& builds : groups[i].builds) BuildsPart(builds, page);
    absl::StrAppend(&text, i == 0 ? "" : "\n", std::move(page).text());
  }
  return text;
}

std::string RenderFleetJson(const std::vector<FleetGroup>& groups) {
  Json list = Json::array();
  for (const FleetGroup& group : groups) list.push_back(GroupJson(group));
  const Json document = {{"schema_version", kSchemaVersion}, {"groups", list}};
  return JsonText(document, 2) + "\n";
}

}  // namespace advisor
