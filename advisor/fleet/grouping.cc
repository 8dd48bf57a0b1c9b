#include "advisor/fleet/grouping.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "advisor/unmeasured_advice.h"

namespace advisor {
namespace {

// All that makes two answers the same, but for the build's name.
std::string KeyOf(const FleetAnswer& fleet_answer) {
  const PredictionAnswer& answer = fleet_answer.answer;
  std::string key = absl::StrCat(answer.memmove, " ", answer.memset, " ",
                                 answer.hangs, " ", answer.hazards_known);
  for (const ThresholdColumn& column : ThresholdColumns()) {
    const std::optional<uint64_t>& value = answer.thresholds.*column.value;
    absl::StrAppend(&key, " ",
                    value.has_value() ? absl::StrCat(*value) : "none");
  }
  absl::StrAppend(&key, " ", absl::StrJoin(answer.unknown_values, ","));
  for (const Hazard& hazard : answer.hazards) {
    absl::StrAppend(&key, " ", hazard.id);
  }
  if (fleet_answer.recommendation.has_value()) {
    absl::StrAppend(&key, " = ", fleet_answer.recommendation->string);
  }
  return key;
}

}  // namespace

FleetAnswer AnswerForFleet(const PredictionSubject& subject,
                           const GlibcBuild& build,
                           absl::string_view glibc_tunables) {
  FleetAnswer result;
  result.answer = AnswerByModel(subject, build, glibc_tunables, {});
  if (!result.answer.hazards_known) return result;
  result.recommendation =
      RecommendUnmeasured(subject.cpuid, build, result.answer.memmove,
                          result.answer.thresholds, glibc_tunables);
  const bool is_grave =
      !result.answer.hazards.empty() &&
      SeverityOf(result.answer.hazards[0].consequence) == Severity::kCritical;
  if (is_grave && result.recommendation->verdict == Verdict::kKeepDefaults) {
    result.recommendation->reason =
        "What is wrong here is no matter of this threshold; predict tells "
        "what helps.";
  }
  return result;
}

FleetMember MemberOf(const PredictionSubject& subject) {
  FleetMember member;
  member.name = subject.core.empty()
                    ? subject.dump
                    : absl::StrCat(subject.dump, ", ", subject.core);
  member.path = subject.path;
  member.microarchitecture = std::string(subject.cpu.microarchitecture_name());
  if (subject.cpu.is_guest()) member.hypervisor = subject.cpu.hypervisor.name;
  return member;
}

void FleetGrouping::Add(FleetMember member, std::vector<FleetAnswer> answers) {
  ++machines_;
  std::vector<std::string> keys;
  for (const FleetAnswer& answer : answers) keys.push_back(KeyOf(answer));
  const auto [place, is_new] =
      index_.try_emplace(absl::StrJoin(keys, "\n"), groups_.size());
  if (is_new) {
    FleetGroup& group = groups_.emplace_back();
    std::map<std::string, size_t> by_key;
    for (size_t i = 0; i < answers.size(); ++i) {
      const auto [same, is_first] =
          by_key.try_emplace(keys[i], group.builds.size());
      if (is_first) group.builds.push_back({{}, std::move(answers[i])});
      FleetBuilds& builds = group.builds[same->second];
      builds.builds.push_back(is_first ? builds.answer.answer.build
                                       : answers[i].answer.build);
    }
  }
  groups_[place->second].members.push_back(std::move(member));
}

std::vector<FleetGroup> FleetGrouping::Groups() && {
  absl::c_stable_sort(groups_, [](const FleetGroup& a, const FleetGroup& b) {
    return a.members.size() > b.members.size();
  });
  return std::move(groups_);
}

}  // namespace advisor
