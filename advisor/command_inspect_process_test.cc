#include <unistd.h>

#include <string>

#include "advisor/command_inspect.h"
#include "advisor/command_testing.h"
#include "advisor/render/golden.h"
#include "advisor/render/running_report.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace advisor {
namespace {

using ::testing::HasSubstr;

RunningProcess Sample() {
  RunningProcess process;
  process.pid = 4711;
  process.program = "/usr/sbin/mongod";
  process.libc = "/usr/lib/x86_64-linux-gnu/libc.so.6";
  process.build = "2.36-9+deb12u14";
  process.secure = false;
  process.glibc_tunables =
      "glibc.cpu.x86_non_temporal_threshold=4194304:glibc.pthread.rseq=0";
  process.values = {
      {"x86_non_temporal_threshold", 4194304, 4194304, "libc.so.6+0x1d2300"},
      {"x86_rep_movsb_threshold", 4294967296, 0, "libc.so.6+0x1d2310"},
      {"x86_rep_stosb_threshold", 2048, std::nullopt,
       "its memory may not be read"}};
  process.ancestors = {{1, "/usr/lib/systemd/systemd", std::nullopt, true}};
  return process;
}

RunningProcess Dropped() {
  RunningProcess process = Sample();
  process.glibc_tunables.reset();
  process.secure = true;
  process.values.clear();
  process.problems = {"/usr/lib/libc.so.6: is not this system's file"};
  process.dropped =
      "process 11 (/bin/sh) has GLIBC_TUNABLES=a=b; process 4711 "
      "(/usr/bin/sudo), which it started, has not";
  process.ancestors = {{11, "/bin/sh", "a=b", true}, {1, "", {}, false}};
  return process;
}

RunningProcess Unknown() {
  RunningProcess process;
  process.pid = 1;
  process.program = "/init";
  process.problems = {"/init: has no libc.so.6 of glibc in its memory"};
  return process;
}

TEST(RunningReport, PrintsWhatTheGoldenFilesHold) {
  for (const auto& [name, process] : {std::make_pair("sample", Sample()),
                                      std::make_pair("dropped", Dropped()),
                                      std::make_pair("unknown", Unknown())}) {
    const std::string path =
        std::string("testdata/golden/inspect_process/") + name;
    ExpectGolden(path + ".txt", RenderRunningText(process, 80));
    ExpectGolden(path + ".json", RenderRunningJson(process, "1.0"));
  }
}

TEST(InspectProcess, InspectsThisOne) {
  CommandTestMachine machine;
  machine.use_real_files = true;
  const CommandAnswer answer = machine.Run(
      {"inspect", "--pid=" + std::to_string(getpid()), "--format=json"},
      kInspectCommand);
  ASSERT_EQ(answer.exit_status, 0) << answer.err;
  const auto document = nlohmann::json::parse(answer.out);
  EXPECT_EQ(document["pid"], getpid());
  EXPECT_EQ(document["secure"], false);
  EXPECT_FALSE(document["ancestors"].empty());
}

TEST(InspectProcess, RefusesWhatIsNone) {
  CommandTestMachine machine;
  machine.use_real_files = true;
  for (const char* flag : {"--pid=x", "--pid=0", "--pid=999999999"}) {
    EXPECT_EQ(machine.Run({"inspect", flag}, kInspectCommand).exit_status, 2)
        << flag;
  }
  EXPECT_EQ(machine.Run({"inspect", "--pid=1", "--cpuid=x"}, kInspectCommand)
                .exit_status,
            2);
}

}  // namespace
}  // namespace advisor
