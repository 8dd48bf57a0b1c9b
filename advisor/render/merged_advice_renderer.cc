#include "advisor/render/merged_advice_renderer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
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

std::string NameOf(const MeasuredResult& member) {
  return member.host.empty() ? member.source : member.host;
}

std::string Counted(size_t count, absl::string_view what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

std::string Members(const std::vector<MeasuredResult>& members) {
  std::vector<std::string> names;
  for (const MeasuredResult& member : members) {
    if (names.size() == kMembersShown) {
      names.push_back(absl::StrCat("and ", members.size() - kMembersShown,
                                   " more: --format=json"));
      break;
    }
    names.push_back(NameOf(member));
  }
  return absl::StrCat(Counted(members.size(), "machine"), ": ",
                      absl::StrJoin(names, ", "));
}

std::string Gains(const std::vector<MeasuredResult>& members) {
  double low = 0;
  double high = 0;
  size_t proved = 0;
  for (const MeasuredResult& member : members) {
    if (!member.touched_ratio.has_value() || member.settings.empty()) continue;
    low = proved == 0 ? *member.touched_ratio
                      : std::min(low, *member.touched_ratio);
    high = std::max(high, *member.touched_ratio);
    ++proved;
  }
  if (proved == 0) return "";
  return absl::StrFormat(
      "Each with its own setting: touched sizes take %.2f to %.2f of the time.",
      low, high);
}

std::string OtherSetting(const MergedSetting& setting, size_t machines) {
  const std::string values =
      setting.least == setting.most
          ? FormatBytes(setting.least)
          : absl::StrCat(FormatBytes(setting.least), " to ",
                         FormatBytes(setting.most));
  switch (setting.agreement) {
    case Agreement::kSome:
      return absl::StrCat("Not set: ", setting.name, ", which ",
                          setting.machines, " of ", machines, " would set (",
                          values,
                          "); measure the others again with --measure=full");
    case Agreement::kDirectionsDiffer:
      return absl::StrCat(
          "Not set: ", setting.name, ", which ", setting.machines, " of ",
          machines, " would set, some higher and some lower (", values, ")");
    case Agreement::kValuesDiffer:
      return absl::StrCat("Not set: ", setting.name, ", for which ",
                          setting.machines, " of ", machines,
                          " found different values");
    case Agreement::kAll:
      break;
  }
  return "";
}

void GroupPart(const MergedGroup& group, size_t number, Page& page) {
  const MeasuredResult& first = group.members[0];
  page.Title(absl::StrCat("Group ", number));
  page.Paragraph(absl::StrCat(
      first.brand.empty() ? first.vendor : first.brand, " (",
      first.microarchitecture, first.microarchitecture.empty() ? "" : ", ",
      first.vendor, " family ", first.family, " model ", first.model,
      " stepping ", first.stepping, "), ",
      first.hypervisor.empty() ? "no sign of a hypervisor"
                               : absl::StrCat(first.hypervisor, " guest"),
      ", glibc ", first.revision.empty() ? first.release : first.revision));
  page.Paragraph(Members(group.members));
  if (!group.superseded.empty()) {
    page.Paragraph(absl::StrCat(
        "Left out, for a newer one of the same machine: ",
        Counted(group.superseded.size(), "result"), " (", group.superseded[0],
        group.superseded.size() > 1 ? ", ..." : "", ")"));
  }
  page.Title("Set");
  const Recommendation& recommendation = group.recommendation;
  if (recommendation.verdict == Verdict::kSet) {
    page.Verbatim(absl::StrCat("GLIBC_TUNABLES=", recommendation.string));
    for (const TunableSetting& setting : recommendation.tunables) {
      page.Paragraph(absl::StrCat(
          setting.name, ": ",
          setting.value_before.has_value()
              ? absl::StrCat(FormatBytes(*setting.value_before), " -> ")
              : "",
          setting.text.empty() ? FormatBytes(setting.value) : setting.text,
          ". ", setting.reason));
    }
  } else {
    page.Paragraph("nothing: keep the defaults");
  }
  page.Title("Why");
  page.Paragraph(recommendation.reason);
  page.Paragraph(Gains(group.members));
  for (const MergedSetting& setting : group.settings) {
    page.Paragraph(OtherSetting(setting, group.members.size()));
  }
}

Json SettingsJson(const std::vector<MeasuredSetting>& settings) {
  Json json = Json::object();
  for (const MeasuredSetting& setting : settings) {
    json[setting.name] =
        setting.text.empty() ? Json(setting.value) : Json(setting.text);
  }
  return json;
}

Json GroupJson(const MergedGroup& group) {
  const MeasuredResult& first = group.members[0];
  Json members = Json::array();
  for (const MeasuredResult& member : group.members) {
    members.push_back({{"host", member.host},
                       {"source", member.source},
                       {"date", member.date},
                       {"tunables", SettingsJson(member.settings)},
                       {"touched_ratio", member.touched_ratio.has_value()
                                             ? Json(*member.touched_ratio)
                                             : Json(nullptr)}});
  }
  Json tunables = Json::object();
  for (const TunableSetting& setting : group.recommendation.tunables) {
    tunables[setting.name] =
        setting.text.empty() ? Json(setting.value) : Json(setting.text);
  }
  Json agreement = Json::array();
  for (const MergedSetting& setting : group.settings) {
    agreement.push_back({{"name", setting.name},
                         {"agreement", AgreementName(setting.agreement)},
                         {"machines", setting.machines},
                         {"least", setting.least},
                         {"most", setting.most}});
  }
  return {{"cpu",
           {{"vendor", first.vendor},
            {"brand", first.brand},
            {"microarchitecture", first.microarchitecture},
            {"family", first.family},
            {"model", first.model},
            {"stepping", first.stepping}}},
          {"hypervisor", first.hypervisor},
          {"glibc",
           {{"release", first.release},
            {"revision", first.revision},
            {"memmove_variant", first.memmove_variant},
            {"memset_variant", first.memset_variant}}},
          {"members", members},
          {"superseded", group.superseded},
          {"agreement", agreement},
          {"recommendation",
           {{"verdict", group.recommendation.verdict == Verdict::kSet
                            ? "set"
                            : "keep_defaults"},
            {"tunables", tunables},
            {"string", group.recommendation.string},
            {"reason", group.recommendation.reason},
            {"releases", group.recommendation.validity.releases}}}};
}

}  // namespace

std::string RenderMergedText(const std::vector<MergedGroup>& groups,
                             int columns) {
  std::string text;
  for (size_t i = 0; i < groups.size(); ++i) {
    Page page(columns);
    GroupPart(groups[i], i + 1, page);
    absl::StrAppend(&text, i == 0 ? "" : "\n", std::move(page).text());
  }
  return text;
}

std::string RenderMergedJson(const std::vector<MergedGroup>& groups) {
  Json list = Json::array();
  for (const MergedGroup& group : groups) list.push_back(GroupJson(group));
  const Json document = {{"schema_version", kSchemaVersion}, {"groups", list}};
  return JsonText(document, 2) + "\n";
}

}  // namespace advisor
