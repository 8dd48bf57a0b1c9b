#include "tools/recorder/program.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace recorder {
namespace {

using ::advisor::Environment;
using ::testing::HasSubstr;

std::string Script(const std::string& name, const std::string& content) {
  const std::string path = ::testing::TempDir() + "/" + name;
  std::ofstream(path) << content;
  chmod(path.c_str(), 0755);
  return path;
}

TEST(ProgramTest, IsFoundAsAShellFindsIt) {
  Script("found", "");
  const Environment environment({"PATH=/no/such:" + ::testing::TempDir()});
  const absl::StatusOr<std::string> path = FindProgram("found", environment);
  ASSERT_TRUE(path.ok()) << path.status();
  EXPECT_THAT(*path, HasSubstr("/found"));
  EXPECT_EQ(*FindProgram("/bin/sh", environment), "/bin/sh");
  EXPECT_TRUE(absl::IsNotFound(FindProgram("sh", environment).status()));
  EXPECT_TRUE(absl::IsNotFound(FindProgram("/tmp", environment).status()));
}

// The kernel runs neither; that is for it to say.
TEST(ProgramTest, ScriptsThatNameEachOther) {
  const advisor::RealFileReader files;
  const std::string a = Script("a", "");
  const std::string b = Script("b", "#!" + a + "\n");
  EXPECT_TRUE(CanBeSeen(files, Script("a", "#!" + b + "\n")).ok());
}

TEST(ProgramTest, WhatCanBeSeen) {
  const advisor::RealFileReader files;
  EXPECT_TRUE(CanBeSeen(files, "/bin/sh").ok());
  EXPECT_TRUE(CanBeSeen(files, Script("script", "#!/bin/sh -e\n")).ok());
  EXPECT_TRUE(CanBeSeen(files, Script("none", "echo\n")).ok());
  // It names no loader, as a static program does not.
  const std::string fixed = "/lib64/ld-linux-x86-64.so.2";
  EXPECT_THAT(CanBeSeen(files, fixed).message(), HasSubstr("statically"));
  // A script is what its interpreter is.
  EXPECT_THAT(CanBeSeen(files, Script("bad", "#!" + fixed + "\n")).message(),
              HasSubstr("statically"));
}

TEST(ProgramTest, StatusesAreAShells) {
  const Environment environment;
  const auto status = [&](const std::string& command) {
    const absl::StatusOr<ProgramEnd> end =
        RunProgram("/bin/sh", {"sh", "-c", command}, environment);
    EXPECT_TRUE(end.ok()) << end.status();
    return end.ok() ? end->exit_status : -1;
  };
  EXPECT_EQ(status("exit 3"), 3);
  EXPECT_EQ(status("kill -9 $$"), 128 + 9);
  EXPECT_FALSE(RunProgram("/no/such", {"x"}, environment).ok());
}

TEST(ProgramTest, TheFolderIsPrivateAndGoesAway) {
  const Environment environment({"TMPDIR=" + ::testing::TempDir()});
  std::string path;
  {
    const absl::StatusOr<advisor::ScratchFolder> folder =
        MakePrivateFolder(environment, 1);
    ASSERT_TRUE(folder.ok()) << folder.status();
    path = folder->path();
    struct stat status;
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700u);
    std::ofstream(path + "/1.0") << "x";
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(absl::IsResourceExhausted(
      MakePrivateFolder(environment, uint64_t{1} << 62).status()));
}

}  // namespace
}  // namespace recorder
