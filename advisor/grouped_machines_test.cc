// `recommend` and `predict --group` for many machines.

#include "advisor/grouped_machines.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "advisor/command_predict.h"
#include "advisor/command_recommend.h"
#include "advisor/command_testing.h"
#include "advisor/host/file_reader.h"
#include "advisor/render/golden.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace advisor {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kField[] = "testdata/cpuid/field";

CommandAnswer Answer(const CommandRow& command,
                     std::vector<std::string> words) {
  CommandTestMachine machine;
  machine.use_real_files = true;
  words.insert(words.begin(), std::string(command.name));
  return machine.Run(words, command);
}

nlohmann::json Groups(const CommandRow& command,
                      std::vector<std::string> words) {
  words.push_back("--format=json");
  const CommandAnswer answer = Answer(command, words);
  EXPECT_EQ(answer.exit_status, 0) << answer.err;
  nlohmann::json json = nlohmann::json::parse(answer.out, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << answer.out;
  return json["groups"];
}

TEST(GroupedMachinesTest, FieldReportsAreAsReviewed) {
  for (const char* format : {"text", "json"}) {
    const CommandAnswer answer =
        Answer(kRecommendCommand,
               {kField, "--glibc=2.28", absl::StrCat("--format=", format)});
    EXPECT_EQ(answer.exit_status, 0);
    EXPECT_THAT(answer.err, IsEmpty());
    ExpectGolden(absl::StrCat("testdata/golden/groups/field_2.28.", format),
                 answer.out);
  }
}

// What stands in one group must be what each of its machines gets alone.
TEST(GroupedMachinesTest, EachMemberAloneGetsItsGroupsAnswer) {
  size_t members = 0;
  for (const nlohmann::json& group :
       Groups(kRecommendCommand, {"testdata/cpuid", kField, "--glibc=2.34"})) {
    for (const nlohmann::json& member : group["members"]) {
      ++members;
      const CommandAnswer alone =
          Answer(kRecommendCommand,
                 {absl::StrCat("--cpuid=", member["path"].get<std::string>()),
                  "--glibc=2.34", "--format=env"});
      EXPECT_EQ(alone.out,
                absl::StrCat("GLIBC_TUNABLES=",
                             group["answers"][0]["recommendation"]["string"]
                                 .get<std::string>(),
                             "\n"))
          << member;
    }
  }
  const RealFileReader files;
  EXPECT_EQ(members, files.List("testdata/cpuid")->size() - 1 +
                         files.List(kField)->size());
}

TEST(GroupedMachinesTest, GroupsDifferAndHoldWhatIsTheSame) {
  const nlohmann::json groups =
      Groups(kRecommendCommand, {"testdata/cpuid", kField, "--glibc=2.36"});
  std::vector<std::string> answers;
  size_t previous = ~size_t{0};
  size_t largest = 0;
  for (const nlohmann::json& group : groups) {
    EXPECT_LE(group["members"].size(), previous);
    previous = group["members"].size();
    largest = std::max(largest, previous);
    nlohmann::json answer = group["answers"];
    // A reason tells its numbers.
    answer[0]["recommendation"].erase("reason");
    answers.push_back(answer.dump());
  }
  EXPECT_GT(largest, 1u);
  std::sort(answers.begin(), answers.end());
  EXPECT_EQ(std::unique(answers.begin(), answers.end()), answers.end());
}

TEST(GroupedMachinesTest, OfManyBuildsThoseThatDoTheSameAreOne) {
  const nlohmann::json groups =
      Groups(kPredictCommand,
             {absl::StrCat(kField, "/seed_guest_htt0.txt"),
              "testdata/inputs/instlatx64/seed_guest_htt0.txt", "--group"});
  // The same leaves in another format.
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0]["members"].size(), 2u);
  size_t builds = 0;
  for (const nlohmann::json& answer : groups[0]["answers"]) {
    builds += answer["builds"].size();
  }
  EXPECT_EQ(builds, UpstreamBuilds().size());
  EXPECT_LT(groups[0]["answers"].size(), builds);
}

TEST(GroupedMachinesTest, WhatIsNotToldIsNotKnown) {
  const nlohmann::json groups =
      Groups(kPredictCommand, {"testdata/inputs/cpuinfo/epyc_milan.cpuinfo.txt",
                               "--group", "--glibc=2.36"});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_TRUE(groups[0]["answers"][0]["recommendation"].is_null());
  EXPECT_THAT(
      Answer(kPredictCommand, {"testdata/inputs/cpuinfo/epyc_milan.cpuinfo.txt",
                               "--group", "--glibc=2.36"})
          .out,
      HasSubstr("Set       not known: the input lacks leaves"));
}

TEST(GroupedMachinesTest, EveryMistakeIsOneLineAndStatus2) {
  for (const auto& [command, words, line] :
       std::vector<std::tuple<const CommandRow*, std::vector<std::string>,
                              std::string>>{
           {&kRecommendCommand, {kField}, "needs --glibc"},
           {&kRecommendCommand,
            {kField, "--glibc=2.36", "--measure=quick"},
            "expected --measure=off"},
           {&kRecommendCommand,
            {kField, "--glibc=2.36", "--format=env"},
            "expected text or json for many machines"},
           {&kPredictCommand,
            {kField, "--group", "--format=csv"},
            "--group: expected --format=text or json"},
           {&kPredictCommand, {kField, "--group", "--check"}, "--group"},
           {&kPredictCommand, {"--group"}, "--group: expected files"}}) {
    const CommandAnswer answer = Answer(*command, words);
    EXPECT_EQ(answer.exit_status, 2) << line;
    EXPECT_EQ(answer.out, "") << line;
    EXPECT_THAT(answer.err, HasSubstr(line));
  }
}

}  // namespace
}  // namespace advisor
