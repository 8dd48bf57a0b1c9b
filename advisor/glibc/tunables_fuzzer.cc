// A GLIBC_TUNABLES string as the build that the first byte chooses reads it,
// its mask, and what a recommendation makes of it.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/hwcaps_mask.h"
#include "advisor/glibc/merge_tunables.h"
#include "advisor/glibc/tunables.h"
#include "tools/fuzzing/fuzzing.h"

namespace advisor {
namespace {

constexpr uint64_t kThreshold = 0xc0000;

bool Any(const ParsedTunables& parsed, AssignmentOutcome outcome) {
  return std::any_of(parsed.assignments.begin(), parsed.assignments.end(),
                     [outcome](const TunableAssignment& item) {
                       return item.outcome == outcome;
                     });
}

void TestNumber(absl::string_view text) {
  const ParsedNumber number = ParseTunableNumber(text);
  fuzzing::Require(number.length <= text.size(), "the length of a number");
  const bool is_decimal = !text.empty() && text[0] != '0' &&
                          std::all_of(text.begin(), text.end(), [](char c) {
                            return c >= '0' && c <= '9';
                          });
  uint64_t value;
  if (is_decimal && absl::SimpleAtoi(text, &value)) {
    fuzzing::Require(number.value == value && number.length == text.size(),
                     "the value of a number");
  }
}

void TestParsed(const ParsedTunables& parsed, const GlibcBuild& build) {
  for (const TunableRow& row : AllTunables()) {
    const int index = static_cast<int>(row.tunable);
    if (!parsed.is_set[index]) {
      fuzzing::Require(
          parsed.numbers[index] == TunableListDefault(build, row.tunable),
          "the default of what is not set");
      continue;
    }
    fuzzing::Require(HasTunable(build, row.tunable), "a tunable of the build");
    if (row.type == TunableType::kSizeT || row.type == TunableType::kUint64) {
      fuzzing::Require(parsed.numbers[index] >= row.minimum &&
                           parsed.numbers[index] <= row.maximum,
                       "a number within its bounds");
    }
  }
  fuzzing::Require(parsed.hwcaps.has_value() == parsed.IsSet(Tunable::kHwcaps),
                   "a mask where it is set");
  for (const TunableAssignment& item : parsed.assignments) {
    TestNumber(item.value);
  }
  if (Any(parsed, AssignmentOutcome::kRejected)) {
    fuzzing::Require(std::none_of(parsed.is_set.begin(), parsed.is_set.end(),
                                  [](bool is_set) { return is_set; }),
                     "nothing set by a string that is rejected");
  }
}

void TestMask(const ParsedTunables& parsed, const GlibcBuild& build) {
  CpuFeatures features;
  features.one_usable_bit = build.Has(Change::kUsableBits);
  for (const MaskNameRow& row : AllMaskNames()) {
    if (!row.feature.has_value()) continue;
    features.cpuid.Set(*row.feature, true);
    features.usable.Set(*row.feature, true);
  }
  std::vector<std::string> texts;
  for (const MaskItem& item :
       ApplyHwcapsMask(*parsed.hwcaps, parsed.behind_hwcaps, build, features)) {
    if (!item.behind_end) texts.push_back(item.text);
    fuzzing::Require(item.accepted || !item.effective,
                     "no effect of a name that is not accepted");
  }
  fuzzing::Require(absl::StartsWith(*parsed.hwcaps, absl::StrJoin(texts, ",")),
                   "the items of a mask");
}

// What a recommendation sets is in force, and the rest stays as it was.
void TestMerged(absl::string_view text, const ParsedTunables& before,
                const GlibcBuild& build) {
  const std::vector<TunableValue> values = {
      {TunableName(build, Tunable::kX86NonTemporalThreshold),
       absl::StrCat(kThreshold)}};
  const std::string merged = MergeTunables(text, values);
  fuzzing::Require(MergeTunables(merged, values) == merged,
                   "merging once is enough");
  const ParsedTunables after = ParseTunables(merged, build);
  if (Any(after, AssignmentOutcome::kRejected) ||
      Any(after, AssignmentOutcome::kSecureOnly)) {
    return;
  }
  fuzzing::Require(
      after.IsSet(Tunable::kX86NonTemporalThreshold) &&
          after.Number(Tunable::kX86NonTemporalThreshold) == kThreshold,
      "the merged value");
  const bool has_second_look = std::any_of(
      before.assignments.begin(), before.assignments.end(),
      [](const TunableAssignment& item) { return item.second_look; });
  if (has_second_look || Any(before, AssignmentOutcome::kRejected)) return;
  for (const TunableRow& row : AllTunables()) {
    if (row.tunable == Tunable::kX86NonTemporalThreshold) continue;
    fuzzing::Require(
        before.IsSet(row.tunable) == after.IsSet(row.tunable) &&
            before.Number(row.tunable) == after.Number(row.tunable),
        absl::StrCat("the old value of ", row.name));
  }
  fuzzing::Require(before.hwcaps == after.hwcaps, "the old mask");
}

void TestOne(fuzzing::Choices choices) {
  const absl::Span<const GlibcBuild> builds = UpstreamBuilds();
  const GlibcBuild& build = builds[choices.Below(builds.size())];
  // An environment variable ends there.
  const absl::string_view text = choices.Until('\0');
  const ParsedTunables parsed = ParseTunables(text, build);
  TestParsed(parsed, build);
  if (parsed.hwcaps.has_value()) TestMask(parsed, build);
  TestMerged(text, parsed, build);
}

}  // namespace
}  // namespace advisor

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  advisor::TestOne(fuzzing::Choices(fuzzing::Text(data, size)));
  return 0;
}
