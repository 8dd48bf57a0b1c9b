// The whole recorder on a program whose calls are known.

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "advisor/host/environment.h"
#include "advisor/host/exit_testing.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/subprocess.h"
#include "advisor/workload/workload.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace recorder {
namespace {

using ::advisor::CommandResult;
using ::advisor::Workload;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kRecorder[] = "tools/recorder/record_sizes";
constexpr char kProgram[] = "tools/recorder/recorded_program";

class RecordSizesTest : public ::testing::Test {
 protected:
  RecordSizesTest() {
    folder_ = absl::StrCat(
        ::testing::TempDir(), "/",
        ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }

  CommandResult RecordCommand(const std::vector<std::string>& program) {
    output_ = absl::StrCat(folder_, "/output.json");
    std::filesystem::remove(output_);
    std::vector<std::string> words = {absl::StrCat("--output=", output_), "--"};
    words.insert(words.end(), program.begin(), program.end());
    return RunWords(words);
  }

  CommandResult RunWords(const std::vector<std::string>& words) const {
    advisor::Command command;
    command.argv = {kRecorder};
    command.argv.insert(command.argv.end(), words.begin(), words.end());
    command.environment = advisor::Environment::OfThisProcess()
                              .With("TMPDIR", folder_)
                              .Without("LD_PRELOAD");
    command.time_limit = absl::Minutes(4);
    command.file_limit = advisor::kBuildFileLimit;
    const absl::StatusOr<CommandResult> result =
        advisor::RealSubprocess().Run(command);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.value_or(CommandResult());
  }

  Workload Recorded() {
    const advisor::RealFileReader files;
    const absl::StatusOr<std::string> text = files.Read(output_);
    EXPECT_TRUE(text.ok()) << text.status();
    absl::StatusOr<Workload> workload =
        advisor::ParseWorkload(text.value_or(""), output_);
    EXPECT_TRUE(workload.ok()) << workload.status();
    return workload.ok() ? *std::move(workload) : Workload();
  }

  Workload Record(const std::string& mode) {
    const CommandResult result = RecordCommand({kProgram, mode});
    EXPECT_TRUE(result.succeeded())
        << result.Describe() << result.standard_error;
    return Recorded();
  }

  // What is left in the folder for temporary files, but for the output.
  std::vector<std::string> Left() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.path().filename() != "output.json") {
        names.push_back(entry.path().filename());
      }
    }
    return names;
  }

  std::string folder_, output_;
};

uint64_t Calls(const Workload& workload, absl::string_view function,
               uint64_t size) {
  for (const advisor::FunctionSizes& sizes : workload.functions) {
    if (sizes.function != function) continue;
    for (const advisor::SizeCount& row : sizes.sizes) {
      if (row.from == size) return row.calls;
    }
  }
  return 0;
}

TEST_F(RecordSizesTest, CountsEachFunctionAndItsCheckedForm) {
  const Workload workload = Record("functions");
  EXPECT_EQ(Calls(workload, "memcpy", 401), 3u);
  EXPECT_EQ(Calls(workload, "memmove", 402), 4u);
  EXPECT_EQ(Calls(workload, "mempcpy", 403), 5u);
  EXPECT_EQ(Calls(workload, "memset", 404), 6u);
  EXPECT_EQ(Calls(workload, "memcpy", 405), 1u);
  EXPECT_EQ(Calls(workload, "memmove", 406), 1u);
  EXPECT_EQ(Calls(workload, "mempcpy", 407), 1u);
  EXPECT_EQ(Calls(workload, "memset", 408), 1u);
  // 4864 to 5119 are one bucket; its bytes are exact.
  EXPECT_EQ(Calls(workload, "memcpy", 4864), 2u);
  EXPECT_EQ(workload.provenance.processes, 1u);
  EXPECT_EQ(workload.provenance.program, "recorded_program");
  ASSERT_EQ(workload.provenance.programs.size(), 1u);
  EXPECT_EQ(workload.provenance.programs[0].calls, workload.calls());
  EXPECT_THAT(Left(), IsEmpty());
}

// Of the calls before the constructor, which the program checks itself.
TEST_F(RecordSizesTest, EarlyStartUp) {
  const Workload workload = Record("functions");
  EXPECT_EQ(Calls(workload, "memmove", 1280), 2u);  // 1337
  EXPECT_EQ(Calls(workload, "mempcpy", 337), 1u);
  EXPECT_EQ(Calls(workload, "memcpy", 338), 1u);
  EXPECT_EQ(Calls(workload, "memset", 339), 1u);
}

TEST_F(RecordSizesTest, Threads) {
  EXPECT_EQ(Calls(Record("threads"), "memcpy", 411), 8u * 200000);
}

// More than there are blocks for.
TEST_F(RecordSizesTest, ManyThreads) {
  EXPECT_EQ(Calls(Record("many_threads"), "memcpy", 411), 400u * 1000);
}

TEST_F(RecordSizesTest, ForkedChildrenAlsoThoseThatAreKilled) {
  const Workload workload = Record("forks");
  EXPECT_EQ(Calls(workload, "memcpy", 421), 10u * 1000 + 9 * 10);
  EXPECT_EQ(Calls(workload, "memcpy", 411), 900u);
  EXPECT_EQ(workload.provenance.processes, 10u);
}

TEST_F(RecordSizesTest, MoreForksThanBlocks) {
  const Workload workload = Record("many_forks");
  EXPECT_EQ(Calls(workload, "memcpy", 421), 301u * 1000 + 300 * 10);
  EXPECT_EQ(Calls(workload, "memcpy", 411), 300u * 100);
  EXPECT_EQ(workload.provenance.processes, 301u);
}

TEST_F(RecordSizesTest, ExecSpawnAndVfork) {
  const Workload workload = Record("executes");
  EXPECT_EQ(Calls(workload, "memcpy", 431), 200u);
  EXPECT_EQ(Calls(workload, "memcpy", 432), 1u);
  EXPECT_EQ(Calls(workload, "memmove", 402), 3u * 4);
  EXPECT_EQ(workload.provenance.processes, 4u);
}

TEST_F(RecordSizesTest, SignalHandlersLoseNoCount) {
  const CommandResult result = RecordCommand({kProgram, "signals"});
  ASSERT_TRUE(result.succeeded()) << result.Describe();
  const std::vector<std::string> words =
      absl::StrSplit(result.standard_output, absl::ByAnyChar(" \n"));
  uint64_t calls = 0, handled = 0;
  ASSERT_TRUE(absl::SimpleAtoi(words[0], &calls));
  ASSERT_TRUE(absl::SimpleAtoi(words[1], &handled));
  const Workload workload = Recorded();
  EXPECT_EQ(Calls(workload, "memcpy", 441), calls);
  EXPECT_EQ(Calls(workload, "memcpy", 5888), handled);
}

TEST_F(RecordSizesTest, ReuseAndOverlap) {
  const Workload workload = Record("reuse");
  // Of 200 destinations every second is read.
  const advisor::SizeDetail* detail = workload.DetailOf(false, 8192);
  ASSERT_NE(detail, nullptr);
  EXPECT_EQ(detail->observed, 200u);
  EXPECT_NEAR(detail->read_back, 0.5, 0.02);
  EXPECT_GT(detail->rewritten, 0.9);
  const advisor::SizeDetail* overlaps = workload.DetailOf(false, 20000);
  ASSERT_NE(overlaps, nullptr);
  EXPECT_EQ(overlaps->observed, 2u);
  EXPECT_EQ(overlaps->overlap_forward, 0.5);
  EXPECT_EQ(overlaps->overlap_backward, 0.5);
}

TEST_F(RecordSizesTest, AnOverflowEndsInGlibcsOwnWay) {
  const CommandResult result = RecordCommand({kProgram, "overflows"});
  EXPECT_EQ(result.exit_status, 128 + SIGABRT);
  EXPECT_THAT(result.standard_error, HasSubstr("buffer overflow detected"));
}

TEST_F(RecordSizesTest, CtrlCLeavesAResultAndNoFolder) {
  const CommandResult result = RecordCommand({kProgram, "interrupted"});
  EXPECT_EQ(result.exit_status, 128 + SIGINT) << result.standard_error;
  EXPECT_EQ(Calls(Recorded(), "memcpy", 451), 1u);
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(RecordSizesTest, TerminationIsPassedOn) {
  const CommandResult result = RecordCommand({kProgram, "terminated"});
  EXPECT_EQ(result.exit_status, 128 + SIGTERM) << result.standard_error;
  EXPECT_EQ(Calls(Recorded(), "memcpy", 451), 1u);
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(RecordSizesTest, AStaticProgramIsNamed) {
  const CommandResult result = RecordCommand({"tools/recorder/static_program"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.standard_error,
              HasSubstr("tools/recorder/static_program: expected a dynamically "
                        "linked program, found a statically linked one"));
  EXPECT_THAT(Left(), IsEmpty());
}

// Each is told before the program runs.
TEST_F(RecordSizesTest, WhatItRefuses) {
  const std::string ran = folder_ + "/ran";
  const std::vector<std::string> program = {"--", "/usr/bin/touch", ran};
  struct Row {
    std::vector<std::string> words;
    std::string error;
  };
  for (const Row& row : std::vector<Row>{
           {{}, "-- PROGRAM ARGS"},
           {{"--"}, "-- PROGRAM ARGS"},
           {{"word", "--", program[1], ran}, "-- PROGRAM ARGS"},
           {{"--no-such-flag", "--", program[1], ran}, "no-such-flag"},
           {{"--", "no-such-program-anywhere"}, "no-such-program-anywhere"},
           {{"--output=/no/such/out", "--", program[1], ran}, "/no/such/out"},
           {{"--output=" + folder_, "--", program[1], ran}, "is a directory"},
           {{"--output=/proc/self/out", "--", program[1], ran},
            "/proc/self/out"}}) {
    const CommandResult result = RunWords(row.words);
    EXPECT_EQ(result.exit_status, 2) << row.error << result.Describe();
    EXPECT_EQ(result.standard_output, "");
    advisor::ExpectOneLine(result, "record_sizes", row.error, row.error);
    EXPECT_FALSE(std::filesystem::exists(ran)) << row.error;
  }
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(RecordSizesTest, AProgramWithoutACall) {
  const CommandResult result = RecordCommand({"/bin/true"});
  EXPECT_EQ(result.exit_status, 3) << result.Describe();
  advisor::ExpectOneLine(result, "record_sizes", "true", "no call was seen");
  EXPECT_FALSE(std::filesystem::exists(output_));
}

TEST_F(RecordSizesTest, Helps) {
  const CommandResult result = RunWords({"--help"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.standard_output, HasSubstr("Usage: record_sizes "));
  EXPECT_EQ(result.standard_error, "");
}

TEST_F(RecordSizesTest, TheProgramsStatusIsKept) {
  EXPECT_EQ(RecordCommand({"/bin/sh", "-c", "/bin/ls / >/dev/null; exit 7"})
                .exit_status,
            7);
  const Workload workload = Recorded();
  EXPECT_EQ(workload.name, "sh");
  EXPECT_GE(workload.provenance.processes, 2u);
}

}  // namespace
}  // namespace recorder
