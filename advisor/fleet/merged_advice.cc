#include "advisor/fleet/merged_advice.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "advisor/glibc/merge_tunables.h"
#include "advisor/validity.h"

namespace advisor {
namespace {

auto KeyOf(const MeasuredResult& result) {
  return std::make_tuple(result.vendor, result.family, result.model,
                         result.stepping, result.brand, result.hypervisor,
                         result.release, result.revision,
                         result.memmove_variant, result.memset_variant);
}

bool NamesOneMachine(absl::string_view host) {
  return !host.empty() && host != "(none)" &&
         !absl::StartsWith(host, "localhost");
}

// -1 down, 1 up; 0: not known.
int Direction(const MeasuredSetting& setting) {
  if (!setting.value_before.has_value()) return 0;
  return setting.value > *setting.value_before   ? 1
         : setting.value < *setting.value_before ? -1
                                                 : 0;
}

struct Combination {
  MergedSetting merged;
  // Where they agree.
  std::optional<TunableSetting> setting;
};

// `all`: those of the machines that are to set it, of `machines`.
Combination Combine(const std::vector<const MeasuredSetting*>& all,
                    size_t machines) {
  const MeasuredSetting& first = *all[0];
  Combination result;
  MergedSetting& merged = result.merged;
  merged.name = first.name;
  merged.machines = static_cast<int>(all.size());
  merged.least = merged.most = first.value;
  bool same = true;
  bool same_direction = Direction(first) != 0;
  bool directions_known = true;
  for (const MeasuredSetting* setting : all) {
    merged.least = std::min(merged.least, setting->value);
    merged.most = std::max(merged.most, setting->value);
    same = same && setting->value == first.value && setting->text == first.text;
    directions_known = directions_known && Direction(*setting) != 0;
    same_direction = same_direction && Direction(*setting) == Direction(first);
  }
  const bool is_text = absl::c_any_of(all, [](const MeasuredSetting* setting) {
    return !setting->text.empty();
  });
  if (!is_text && directions_known && !same_direction) {
    merged.agreement = Agreement::kDirectionsDiffer;
    return result;
  }
  if (!same && (is_text || !same_direction)) {
    merged.agreement = Agreement::kValuesDiffer;
    return result;
  }
  if (all.size() < machines) {
    merged.agreement = Agreement::kSome;
    return result;
  }
  merged.agreement = Agreement::kAll;
  TunableSetting& setting = result.setting.emplace();
  setting.name = first.name;
  setting.text = first.text;
  setting.value = Direction(first) < 0 ? merged.most : merged.least;
  if (absl::c_all_of(all, [&](const MeasuredSetting* other) {
        return other->value_before == first.value_before;
      })) {
    setting.value_before = first.value_before;
  }
  setting.reason =
      machines == 1 ? "Measured on one machine."
      : same        ? absl::StrCat("All ", machines, " machines found it.")
             : absl::StrCat("The value next to the default of those that ",
                            machines, " machines found, ", merged.least, " to ",
                            merged.most, ".");
  return result;
}

void Recommend(MergedGroup& group) {
  std::map<std::string, std::vector<const MeasuredSetting*>> by_name;
  for (const MeasuredResult& member : group.members) {
    for (const MeasuredSetting& setting : member.settings) {
      by_name[setting.name].push_back(&setting);
    }
  }
  Recommendation& recommendation = group.recommendation;
  std::vector<TunableValue> values;
  for (const auto& [name, settings] : by_name) {
    Combination combined = Combine(settings, group.members.size());
    if (combined.setting.has_value()) {
      const TunableSetting& setting = *combined.setting;
      values.emplace_back(name, setting.text.empty()
                                    ? absl::StrCat(setting.value)
                                    : setting.text);
      recommendation.tunables.push_back(setting);
    }
    group.settings.push_back(std::move(combined.merged));
  }
  const std::string& environment = group.members[0].environment;
  const bool same_environment =
      absl::c_all_of(group.members, [&](const MeasuredResult& member) {
        return member.environment == environment;
      });
  const std::string there = same_environment ? environment : "";
  recommendation.string = there;
  if (values.empty()) {
    recommendation.reason =
        group.settings.empty()
            ? "No machine is to set anything."
            : "There is no setting on which all machines agree.";
  } else {
    recommendation.verdict = Verdict::kSet;
    recommendation.string = MergeTunables(there, values);
    recommendation.validity.releases =
        ReleasesWithNames(recommendation.tunables);
    recommendation.reason =
        group.members.size() == 1
            ? "One machine alone was measured."
            : absl::StrCat("All ", group.members.size(),
                           " machines are to set ",
                           values.size() == 1 ? "it." : "these.");
  }
  if (!same_environment) {
    absl::StrAppend(&recommendation.reason,
                    " What their environments set differs, and is to be kept "
                    "on each.");
  }
}

}  // namespace

absl::string_view AgreementName(Agreement agreement) {
  switch (agreement) {
    case Agreement::kAll:
      return "all";
    case Agreement::kSome:
      return "some";
    case Agreement::kDirectionsDiffer:
      return "directions_differ";
    case Agreement::kValuesDiffer:
      return "values_differ";
  }
  return "";
}

std::vector<MergedGroup> MergeResults(std::vector<MeasuredResult> results) {
  // Newest first within a host, which takes the others' place.
  absl::c_sort(results, [](const MeasuredResult& a, const MeasuredResult& b) {
    return std::make_tuple(KeyOf(a), a.host, b.date, a.source) <
           std::make_tuple(KeyOf(b), b.host, a.date, b.source);
  });
  std::vector<MergedGroup> groups;
  for (MeasuredResult& result : results) {
    if (groups.empty() || KeyOf(groups.back().members[0]) != KeyOf(result)) {
      groups.emplace_back();
    }
    MergedGroup& group = groups.back();
    if (!group.members.empty() && NamesOneMachine(result.host) &&
        group.members.back().host == result.host) {
      group.superseded.push_back(std::move(result.source));
      continue;
    }
    group.members.push_back(std::move(result));
  }
  for (MergedGroup& group : groups) Recommend(group);
  return groups;
}

}  // namespace advisor
