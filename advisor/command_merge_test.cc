#include "advisor/command_merge.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "advisor/command_testing.h"
#include "advisor/host/file_reader.h"
#include "advisor/render/golden.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Sample(const std::string& name) {
  const auto text =
      RealFileReader().Read(absl::StrCat("testdata/golden/recommend/", name));
  EXPECT_TRUE(text.ok()) << text.status();
  return text.value_or("");
}

// Three nodes of two kinds; the third has no setting but one.
CommandTestMachine Cluster() {
  CommandTestMachine machine;
  const std::string one = Sample("everything.jsonl");
  const std::string other = absl::StrReplaceAll(
      one, {{"node17", "node18"},
            {"8388608", "12582912"},
            {"\"glibc.cpu.x86_rep_movsb_threshold\",\"value\":4096",
             "\"glibc.cpu.x86_rep_movsb_threshold\",\"value\":1024"}});
  machine.files.Add("intel.jsonl", absl::StrCat(one, other));
  machine.files.Add("amd.json", Sample("zen5_set.json"));
  machine.files.Add("kept.json", Sample("keep_defaults.json"));
  return machine;
}

TEST(MergeCommandTest, IsAsReviewed) {
  const CommandTestMachine machine = Cluster();
  for (const auto& [format, golden] :
       std::vector<std::pair<std::string, std::string>>{
           {"text", "cluster.text"}, {"json", "cluster.json"}}) {
    const CommandAnswer answer =
        machine.Run({"merge", "intel.jsonl", "amd.json", "--format=" + format},
                    kMergeCommand);
    EXPECT_EQ(answer.exit_status, 0);
    EXPECT_THAT(answer.err, IsEmpty());
    ExpectGolden("testdata/golden/merge/" + golden, answer.out);
  }
}

TEST(MergeCommandTest, OneThatKeepsTheDefaultsCountsInItsGroup) {
  const CommandAnswer answer =
      Cluster().Run({"merge", "amd.json", "kept.json"}, kMergeCommand);
  EXPECT_THAT(answer.out, HasSubstr("2 machines: "));
  EXPECT_THAT(answer.out, HasSubstr("Set       nothing: keep the defaults\n"));
  EXPECT_THAT(answer.out, HasSubstr("which 1 of 2 would set"));
}

TEST(MergeCommandTest, NamesLinesThatItLeavesOut) {
  CommandTestMachine machine = Cluster();
  machine.files.Add("bad.jsonl", Sample("zen5_set.jsonl") + "srun: error\n");
  machine.files.Add("unmeasured.json", Sample("ivy_bridge_dump.json"));
  const CommandAnswer answer =
      machine.Run({"merge", "bad.jsonl", "unmeasured.json"}, kMergeCommand);
  EXPECT_EQ(answer.exit_status, 0);
  EXPECT_THAT(answer.out, HasSubstr("1 machine: "));
  EXPECT_THAT(answer.err, HasSubstr("bad.jsonl:2: expected"));
  EXPECT_THAT(answer.err, HasSubstr("unmeasured.json:1: expected \"quick\""));
  EXPECT_THAT(answer.err, HasSubstr("1 result, 2 lines left out"));
}

TEST(MergeCommandTest, NothingToMergeIsAnError) {
  CommandTestMachine machine;
  machine.files.Add("empty", "");
  EXPECT_EQ(machine.Run({"merge", "empty"}, kMergeCommand).exit_status, 2);
  EXPECT_EQ(machine.Run({"merge", "missing"}, kMergeCommand).exit_status, 2);
  EXPECT_EQ(machine.Run({"merge"}, kMergeCommand).exit_status, 2);
}

}  // namespace
}  // namespace advisor
