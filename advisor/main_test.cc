// The program itself: exit status, and which stream gets what.

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/base/config.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advisor/host/environment.h"
#include "advisor/host/subprocess.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr char kProgram[] = "advisor/advisor";

CommandResult RunAdvisor(std::vector<std::string> words,
                         const std::string& program = kProgram) {
  words.insert(words.begin(), program);
  Command command;
  command.argv = std::move(words);
  command.environment = Environment::OfThisProcess();
  return *RealSubprocess().Run(command);
}

bool IsOneLine(const std::string& text) {
  return absl::c_count(text, '\n') == 1 && absl::EndsWith(text, "\n");
}

TEST(MainTest, AnswersOnStandardOutput) {
  for (const std::string word : {"help", "version", "--help"}) {
    const CommandResult result = RunAdvisor({word});
    EXPECT_EQ(result.exit_status, 0) << word;
    EXPECT_THAT(result.standard_output, HasSubstr("advisor")) << word;
    EXPECT_THAT(result.standard_error, IsEmpty()) << word;
  }
}

TEST(MainTest, ErrorIsOneLineOnStandardError) {
  const std::vector<std::vector<std::string>> kCommandLines = {
      {"hepl"}, {"version", "now"}, {"version", "--now"}, {"help", "nothing"}};
  for (const std::vector<std::string>& words : kCommandLines) {
    const CommandResult result = RunAdvisor(words);
    EXPECT_EQ(result.exit_status, 2) << words[0];
    EXPECT_THAT(result.standard_output, IsEmpty());
    EXPECT_THAT(result.standard_error, StartsWith("advisor: "));
    EXPECT_TRUE(IsOneLine(result.standard_error)) << result.standard_error;
  }
}

TEST(MainTest, FullDiskIsNoSuccess) {
  Command command;
  command.argv = {"/bin/sh", "-c", absl::StrCat(kProgram, " help > /dev/full")};
  const CommandResult result = *RealSubprocess().Run(command);
  EXPECT_EQ(result.exit_status, 4);
  EXPECT_TRUE(IsOneLine(result.standard_error)) << result.standard_error;
}

TEST(MainTest, WillNotRunSetUid) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to make a set-uid program";
#ifdef ABSL_HAVE_ADDRESS_SANITIZER
  GTEST_SKIP() << "AddressSanitizer's leak check fails in a set-uid program";
#endif
  const std::string program = absl::StrCat(::testing::TempDir(), "/set_uid");
  {
    std::ifstream original(kProgram, std::ios::binary);
    std::ofstream copy(program, std::ios::binary);
    copy << original.rdbuf();
  }
  constexpr uid_t kNobody = 65534;
  ASSERT_EQ(chown(program.c_str(), kNobody, kNobody), 0);
  ASSERT_EQ(chmod(program.c_str(), 04755), 0);
  const CommandResult result = RunAdvisor({"version"}, program);
  unlink(program.c_str());
  if (result.succeeded()) GTEST_SKIP() << "a file system without set-uid";
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.standard_output, IsEmpty());
  EXPECT_THAT(result.standard_error, HasSubstr("set-uid"));
  EXPECT_TRUE(IsOneLine(result.standard_error)) << result.standard_error;
}

}  // namespace
}  // namespace advisor
