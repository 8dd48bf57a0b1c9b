// Results of machines, a JSON line each, and the recommendation that is merged
// of them.

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "advisor/fleet/measured_result.h"
#include "advisor/fleet/merged_advice.h"
#include "tools/fuzzing/fuzzing.h"

namespace advisor {
namespace {

void RequireLine(const std::string& text) {
  fuzzing::Require(!absl::StrContains(text, "\n"), "one line for a fact");
}

void RequireResult(const MeasuredResult& result) {
  for (const std::string* const text :
       {&result.source, &result.host, &result.vendor, &result.brand,
        &result.microarchitecture, &result.hypervisor, &result.release,
        &result.revision, &result.memmove_variant, &result.memset_variant,
        &result.environment, &result.date}) {
    RequireLine(*text);
  }
  for (const MeasuredSetting& setting : result.settings) {
    RequireLine(setting.name);
    RequireLine(setting.text);
  }
  fuzzing::Require(
      !result.touched_ratio.has_value() ||
          (std::isfinite(*result.touched_ratio) && *result.touched_ratio > 0),
      "a ratio of times");
}

void RequireGroup(const MergedGroup& group) {
  fuzzing::Require(!group.members.empty(), "a member of a group");
  const int members = static_cast<int>(group.members.size());
  for (const MergedSetting& setting : group.settings) {
    fuzzing::Require(setting.machines > 0 && setting.machines <= members,
                     "machines of the group");
    fuzzing::Require(setting.least <= setting.most, "an ordered range");
    fuzzing::Require(
        setting.agreement != Agreement::kAll || setting.machines == members,
        "all machines where all agree");
  }
  for (const TunableSetting& advised : group.recommendation.tunables) {
    const auto found = std::find_if(
        group.settings.begin(), group.settings.end(),
        [&](const MergedSetting& one) { return one.name == advised.name; });
    fuzzing::Require(
        found != group.settings.end() && found->agreement == Agreement::kAll,
        "only what all are to set is advised");
    fuzzing::Require(!advised.text.empty() || (advised.value >= found->least &&
                                               advised.value <= found->most),
                     "a value that was measured");
    // Nothing else comes with it.
    fuzzing::Require(advised.text.find_first_of(": =") == std::string::npos,
                     "one value for a tunable");
  }
  RequireLine(group.recommendation.string);
}

void TestOne(absl::string_view text) {
  std::vector<MeasuredResult> results;
  for (absl::StatusOr<MeasuredResult>& result :
       ReadMeasuredResults(text, "in")) {
    if (!result.ok()) {
      fuzzing::RequireInputError(result.status(), "in");
      continue;
    }
    RequireResult(*result);
    results.push_back(*std::move(result));
  }
  const size_t count = results.size();
  size_t grouped = 0;
  for (const MergedGroup& group : MergeResults(std::move(results))) {
    RequireGroup(group);
    grouped += group.members.size() + group.superseded.size();
  }
  fuzzing::Require(grouped == count, "each result in one group");
}

}  // namespace
}  // namespace advisor

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  advisor::TestOne(fuzzing::Text(data, size));
  return 0;
}
