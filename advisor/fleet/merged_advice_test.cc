#include "advisor/fleet/merged_advice.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kNonTemporal[] = "glibc.cpu.x86_non_temporal_threshold";
constexpr char kMovsb[] = "glibc.cpu.x86_rep_movsb_threshold";
constexpr char kMask[] = "glibc.cpu.hwcaps";

MeasuredResult Node(const std::string& host,
                    std::vector<MeasuredSetting> settings) {
  MeasuredResult result;
  result.host = host;
  result.source = absl::StrCat(host, ":1");
  result.vendor = "GenuineIntel";
  result.family = 6;
  result.model = 207;
  result.release = "2.36";
  result.settings = std::move(settings);
  return result;
}

MeasuredSetting Number(const std::string& name, uint64_t value,
                       std::optional<uint64_t> before) {
  return {name, value, "", before};
}

MergedGroup Only(std::vector<MeasuredResult> results) {
  std::vector<MergedGroup> groups = MergeResults(std::move(results));
  EXPECT_EQ(groups.size(), 1u);
  return groups.at(0);
}

TEST(MergeResultsTest, TakesTheValueNextToTheDefault) {
  const MergedGroup down =
      Only({Node("a", {Number(kNonTemporal, 8000, 90000)}),
            Node("b", {Number(kNonTemporal, 12000, 90000)}),
            Node("c", {Number(kNonTemporal, 9000, 50000)})});
  EXPECT_EQ(down.recommendation.string, absl::StrCat(kNonTemporal, "=12000"));
  EXPECT_EQ(down.settings.at(0).agreement, Agreement::kAll);
  EXPECT_EQ(down.settings.at(0).least, 8000u);
  EXPECT_EQ(down.settings.at(0).most, 12000u);
  EXPECT_EQ(down.recommendation.validity.releases, "2.29 to 2.42");
  // The defaults are not the same.
  EXPECT_EQ(down.recommendation.tunables.at(0).value_before, std::nullopt);

  const MergedGroup up = Only({Node("a", {Number(kMovsb, 8192, 2112)}),
                               Node("b", {Number(kMovsb, 4096, 2112)})});
  EXPECT_EQ(up.recommendation.string, absl::StrCat(kMovsb, "=4096"));
  EXPECT_EQ(up.recommendation.tunables.at(0).value_before, 2112u);
}

TEST(MergeResultsTest, OneThatKeepsTheDefaultIsEnough) {
  const MergedGroup group =
      Only({Node("a", {Number(kMovsb, 4096, 2112),
                       Number(kNonTemporal, 8000, 9000)}),
            Node("b", {Number(kNonTemporal, 8000, 9000)})});
  EXPECT_EQ(group.recommendation.string, absl::StrCat(kNonTemporal, "=8000"));
  ASSERT_EQ(group.settings.size(), 2u);
  EXPECT_EQ(group.settings[0].name, kNonTemporal);
  EXPECT_EQ(group.settings[1].name, kMovsb);
  EXPECT_EQ(group.settings[1].agreement, Agreement::kSome);
  EXPECT_EQ(group.settings[1].machines, 1);
}

TEST(MergeResultsTest, AMachineThatWasMeasuredAgainCountsOnce) {
  MeasuredResult old = Node("a", {Number(kMovsb, 4096, 2112)});
  old.source = "old.jsonl:7";
  old.date = "2026-11-29T17:00:00Z";
  MeasuredResult again = Node("a", {Number(kMovsb, 8192, 2112)});
  again.date = "2026-11-30T08:00:00Z";
  for (const bool swapped : {false, true}) {
    const MergedGroup group = swapped ? Only({again, old}) : Only({old, again});
    ASSERT_EQ(group.members.size(), 1u);
    EXPECT_EQ(group.recommendation.string, absl::StrCat(kMovsb, "=8192"));
    EXPECT_THAT(group.superseded, ElementsAre("old.jsonl:7"));
    EXPECT_EQ(group.settings.at(0).machines, 1);
  }
  // Two machines may well have this name.
  for (const char* host : {"", "localhost", "localhost.localdomain"}) {
    old.host = again.host = host;
    EXPECT_EQ(Only({old, again}).members.size(), 2u) << host;
  }
}

TEST(MergeResultsTest, UpAndDownIsNoAdvice) {
  const MergedGroup group = Only({Node("a", {Number(kMovsb, 4096, 2112)}),
                                  Node("b", {Number(kMovsb, 1024, 2112)})});
  EXPECT_EQ(group.recommendation.verdict, Verdict::kKeepDefaults);
  EXPECT_EQ(group.recommendation.string, "");
  EXPECT_EQ(group.settings.at(0).agreement, Agreement::kDirectionsDiffer);
  // The same value is a step up here and a step down there.
  EXPECT_EQ(Only({Node("a", {Number(kMovsb, 4096, 2112)}),
                  Node("b", {Number(kMovsb, 4096, 8192)})})
                .settings.at(0)
                .agreement,
            Agreement::kDirectionsDiffer);
}

TEST(MergeResultsTest, WithoutADefaultOnlyEqualValuesAgree) {
  EXPECT_EQ(Only({Node("a", {Number(kMovsb, 4096, std::nullopt)}),
                  Node("b", {Number(kMovsb, 4096, std::nullopt)})})
                .recommendation.string,
            absl::StrCat(kMovsb, "=4096"));
  EXPECT_EQ(Only({Node("a", {Number(kMovsb, 4096, std::nullopt)}),
                  Node("b", {Number(kMovsb, 4097, 2112)})})
                .settings.at(0)
                .agreement,
            Agreement::kValuesDiffer);
}

TEST(MergeResultsTest, MasksMustBeTheSame) {
  const MeasuredSetting one = {kMask, 0, "-AVX512F", std::nullopt};
  const MeasuredSetting other = {kMask, 0, "-AVX512F,-ERMS", std::nullopt};
  EXPECT_EQ(Only({Node("a", {one}), Node("b", {one})}).recommendation.string,
            absl::StrCat(kMask, "=-AVX512F"));
  EXPECT_EQ(
      Only({Node("a", {one}), Node("b", {other})}).settings.at(0).agreement,
      Agreement::kValuesDiffer);
}

TEST(MergeResultsTest, KeepsACommonEnvironment) {
  MeasuredResult a = Node("a", {Number(kMovsb, 4096, 2112)});
  MeasuredResult b = Node("b", a.settings);
  a.environment = b.environment = "glibc.malloc.check=1";
  EXPECT_EQ(Only({a, b}).recommendation.string,
            absl::StrCat("glibc.malloc.check=1:", kMovsb, "=4096"));
  b.environment = "";
  const MergedGroup group = Only({a, b});
  EXPECT_EQ(group.recommendation.string, absl::StrCat(kMovsb, "=4096"));
  EXPECT_THAT(group.recommendation.reason, HasSubstr("environments"));
}

TEST(MergeResultsTest, NeverMixesWhatDiffers) {
  const MeasuredResult base = Node("a", {Number(kMovsb, 4096, 2112)});
  std::vector<MeasuredResult> all(9, base);
  all[1].vendor = "AuthenticAMD";
  all[2].family = 25;
  all[3].model = 143;
  all[4].stepping = 7;
  all[5].hypervisor = "KVM";
  all[6].revision = "2.36-9+deb12u14";
  all[7].memmove_variant = "evex_unaligned";
  all[8].brand = "Xeon Gold";
  EXPECT_EQ(MergeResults(all).size(), 9u);
  all.push_back(base);
  EXPECT_EQ(MergeResults(all).size(), 9u);
}

std::string Line(const std::string& changes) {
  return absl::StrCat(
      R"({"schema_version":1,"measure":"quick","date":"d","machine":{"host":"n",)"
      R"("vendor":"v","brand":"b","microarchitecture":"m","family":6,"model":7,)"
      R"("stepping":1,"hypervisor":""},"glibc":{"release":"2.36","revision":"",)"
      R"("memmove_variant":"","memset_variant":"","tunables_in_environment":""},)"
      R"("recommendation":{"changes":)",
      changes, R"(},"proof":null})");
}

TEST(ReadMeasuredResultsTest, EachLineStandsForItself) {
  const auto results = ReadMeasuredResults(
      absl::StrCat(
          Line(
              R"([{"name":"y","value":"-ERMS","value_before":null},)"
              R"({"name":"x","value":18446744073709551615,"value_before":2}])"),
          "\n\n{\"schema_version\":2}\nnot JSON\n", Line("[]")),
      "f");
  ASSERT_EQ(results.size(), 4u);
  ASSERT_TRUE(results[0].ok()) << results[0].status();
  EXPECT_EQ(results[0]->source, "f:1");
  ASSERT_EQ(results[0]->settings.size(), 2u);
  EXPECT_EQ(results[0]->settings[0].name, "x");
  EXPECT_EQ(results[0]->settings[0].value, ~uint64_t{0});
  EXPECT_EQ(results[0]->settings[0].value_before, 2u);
  EXPECT_EQ(results[0]->settings[1].text, "-ERMS");
  EXPECT_EQ(results[0]->touched_ratio, std::nullopt);
  EXPECT_THAT(std::string(results[1].status().message()),
              HasSubstr("f:3: expected 1 as \"schema_version\""));
  EXPECT_THAT(std::string(results[2].status().message()),
              HasSubstr("f:4: expected"));
  EXPECT_TRUE(results[3].ok()) << results[3].status();
}

TEST(ReadMeasuredResultsTest, RefusesWhatIsNoMeasurement) {
  std::string off = Line("[]");
  off.replace(off.find("quick"), 5, "off");
  EXPECT_THAT(
      std::string(ReadMeasuredResults(off, "f").at(0).status().message()),
      HasSubstr("found \"off\": nothing was measured"));
  for (const char* wrong :
       {R"({"a":1})", R"([{"name":1,"value":2,"value_before":null}])",
        R"([{"name":"x","value":-2,"value_before":null}])",
        R"([{"name":"x","value":2.5,"value_before":null}])",
        R"([{"name":"x","value":2}])"}) {
    const auto results = ReadMeasuredResults(Line(wrong), "f");
    ASSERT_EQ(results.size(), 1u);
    EXPECT_THAT(std::string(results[0].status().message()),
                HasSubstr("f:1: expected"))
        << wrong;
  }
}

}  // namespace
}  // namespace advisor
