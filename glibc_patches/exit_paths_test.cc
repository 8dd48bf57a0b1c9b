// How validate_patch, and the programs beside it, end before they judge
// anything: the exit status, exactly one line on standard error, and nothing
// left in the folder of temporary files. In the words of a row, @NAME stands
// for a file of SetUp.

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/base/config.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "advisor/host/environment.h"
#include "advisor/host/exit_testing.h"
#include "advisor/host/subprocess.h"
#include "gtest/gtest.h"

namespace glibc_patches {
namespace {

namespace fs = std::filesystem;
using ::advisor::Command;
using ::advisor::CommandResult;
using ::advisor::ExpectOneLine;

constexpr char kProgram[] = "glibc_patches/validate_patch";

struct Row {
  const char* words;
  // Stands in the line on standard error.
  const char* error;
};
// All of them end with 2.
constexpr Row kRows[] = {
    {"", "expected a patch"},
    {"--no-such-flag", "no-such-flag"},
    {"@patch --bas=x", "--base"},
    {"@patch --base", "--base"},
    {"@patch --base=", "--base"},
    {"@patch --format=xml", "xml"},
    {"@patch --expect=maybe", "maybe"},
    {"@patch --seed=x", "--seed"},
    {"@patch --without=x", "--without"},
    {"@patch --workload=no-such", "one of compiler, "},
    {"@patch --workload=@garbage", "expected JSON"},
    {"@patch --quick --thorough", "exclude each other"},
    {"@patch --built-base=@folder", "need each other"},
    {"@none", "@none"},
    {"@folder", "@folder: is a directory"},
    {"@empty", "expected a diff"},
    {"@garbage", "expected a diff"},
    {"@cut", "@cut:5"},
    {"/proc/self/mem", "/proc/self/mem"},
    {"@patch --base=@none", "@none"},
    {"@patch --base=@folder", "version.h"},
    {"@patch --base=@garbage", "@garbage"},
    {"@patch --base=@base", "nothing that is covered"},
    {"@odd_name --base=@base", "nothing that is covered"},
    {"@misfit --base=@base", "expected the file, found none"},
    {"@way_out --base=@base", "expected a path inside the tree"},
};

// Of the programs beside it; all end with 2.
struct OtherRow {
  const char* program;
  const char* words;
  const char* error;
};
constexpr OtherRow kOtherRows[] = {
    {"replay_history", "", "--history=GIT_DIR"},
    {"replay_history", "--no-such-flag", "no-such-flag"},
    {"replay_history", "--history=@folder no-such-commit", "no-such-commit"},
    {"replay_history", "--history=@none", "@none"},
    {"replay_history", "--history=/proc", "/proc: expected a clone of glibc"},
    {"mutation/mutation_score", "word", "expected flags only"},
    {"mutation/mutation_score", "--no-such-flag", "no-such-flag"},
    {"mutation/mutation_score", "--mutants=x", "--mutants"},
    {"mutation/mutation_score", "--base=@none", "@none"},
    {"mutation/mutation_score", "--base=@garbage", "@garbage"},
    {"apply_patch", "", "expected SOURCE OUT PATCH"},
    {"apply_patch", "@base @out @none", "@none"},
    {"apply_patch", "@base @out @garbage", "expected a diff"},
    {"apply_patch", "@base @out @misfit", "expected the file, found none"},
};

class ExitPathsTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = absl::StrCat(::testing::TempDir(), "/exit_paths");
    fs::remove_all(root_);
    for (const char* const folder :
         {"folder", "tmp", "base/sysdeps/x86", "base/sysdeps/x86_64",
          "base/sysdeps/generic"}) {
      fs::create_directories(absl::StrCat(root_, "/", folder));
    }
    Write("base/version.h", "#define VERSION \"2.36\"\n");
    Write("empty", "");
    Write("garbage", std::string("\x7f\x80\0\xff\x1b[31m\n\n\r\x01", 13));
    Write("cut", "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n x\n");
    Write("patch", Patch("doc.txt"));
    Write("odd_name", Patch("\"new\\nline\\033[31m\""));
    Write("misfit",
          Patch("sysdeps/x86_64/multiarch/memmove-vec-unaligned-erms.S"));
    Write("way_out", Patch("../../x"));
    mkfifo(absl::StrCat(root_, "/pipe").c_str(), 0600);
  }
  void TearDown() override { fs::remove_all(root_); }

  static std::string Patch(const std::string& name) {
    return absl::StrCat("--- ", name, "\n+++ ", name,
                        "\n@@ -1 +1 @@\n-old\n+new\n");
  }
  void Write(const std::string& name, const std::string& content) const {
    std::ofstream(absl::StrCat(root_, "/", name), std::ios::binary) << content;
  }
  std::string WithPaths(absl::string_view text) const {
    return absl::StrReplaceAll(text, {{"@", root_ + "/"}});
  }
  Command CommandOf(absl::string_view text,
                    const std::string& program = kProgram) const {
    Command command;
    command.argv = {program};
    for (const absl::string_view word :
         absl::StrSplit(WithPaths(text), ' ', absl::SkipEmpty())) {
      command.argv.emplace_back(word);
    }
    command.environment = advisor::Environment::OfThisProcess()
                              .ForChild()
                              .Without("TEST_TMPDIR")
                              .With("TMPDIR", root_ + "/tmp");
    command.file_limit = 1 << 20;
    command.time_limit = absl::Minutes(2);
    return command;
  }
  bool LeavesNothing() const {
    for (int i = 0; i < 3000; ++i) {
      if (fs::is_empty(root_ + "/tmp")) return true;
      absl::SleepFor(absl::Milliseconds(10));
    }
    return false;
  }

  std::string root_;
};

TEST_F(ExitPathsTest, Rows) {
  for (const Row& row : kRows) {
    const auto result = advisor::RealSubprocess().Run(CommandOf(row.words));
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->exit_status, 2)
        << row.words << ": " << result->Describe();
    EXPECT_EQ(result->standard_output, "") << row.words;
    ExpectOneLine(*result, "validate_patch", row.words, WithPaths(row.error));
    EXPECT_TRUE(fs::is_empty(root_ + "/tmp")) << row.words;
  }
}

TEST_F(ExitPathsTest, RowsOfTheOtherPrograms) {
  for (const OtherRow& row : kOtherRows) {
    const std::string program = absl::StrCat("glibc_patches/", row.program);
    const auto result =
        advisor::RealSubprocess().Run(CommandOf(row.words, program));
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->exit_status, 2)
        << program << " " << row.words << ": " << result->Describe();
    EXPECT_EQ(result->standard_output, "") << row.words;
    ExpectOneLine(*result, program.substr(program.rfind('/') + 1), row.words,
                  WithPaths(row.error));
    EXPECT_TRUE(fs::is_empty(root_ + "/tmp")) << row.words;
  }
}

TEST_F(ExitPathsTest, TellsThatItCannotWrite) {
  const advisor::Descriptor full(open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_GE(full.get(), 0);
  for (const char* const program :
       {"validate_patch", "replay_history", "mutation/mutation_score"}) {
    const std::string path = absl::StrCat("glibc_patches/", program);
    const CommandResult result =
        advisor::RunInto(CommandOf("--help", path), full.get());
    EXPECT_EQ(result.exit_status, 4) << program << result.Describe();
    ExpectOneLine(result, path.substr(path.rfind('/') + 1), "--help",
                  "standard output");
  }
}

// tar waits for the base, which never comes.
TEST_F(ExitPathsTest, ASignalLeavesNothing) {
  const advisor::Descriptor writer(
      open(absl::StrCat(root_, "/pipe").c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_GE(writer.get(), 0);
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    const CommandResult result = advisor::RunAndSignal(
        CommandOf("@patch --base=@pipe"), signal, /*has_child=*/true);
    if (signal == SIGKILL) {
      EXPECT_EQ(result.signal, SIGKILL) << result.Describe();
    } else {
      EXPECT_EQ(result.exit_status, 128 + signal) << result.Describe();
      EXPECT_EQ(result.standard_error, "validate_patch: interrupted\n");
    }
    EXPECT_EQ(result.standard_output, "");
    EXPECT_TRUE(LeavesNothing()) << signal;
  }
}

TEST_F(ExitPathsTest, WillNotRunSetUid) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to make a set-uid program";
#ifdef ABSL_HAVE_ADDRESS_SANITIZER
  GTEST_SKIP() << "AddressSanitizer's leak check fails in a set-uid program";
#endif
  const std::string program = root_ + "/set_uid";
  fs::copy_file(kProgram, program);
  constexpr uid_t kNobody = 65534;
  ASSERT_EQ(chown(program.c_str(), kNobody, kNobody), 0);
  ASSERT_EQ(chmod(program.c_str(), 04755), 0);
  Command command = CommandOf("--help");
  command.argv[0] = program;
  const auto result = advisor::RealSubprocess().Run(command);
  ASSERT_TRUE(result.ok()) << result.status();
  if (result->succeeded()) GTEST_SKIP() << "a file system without set-uid";
  EXPECT_EQ(result->exit_status, 2);
  EXPECT_EQ(result->standard_output, "");
  ExpectOneLine(*result, "validate_patch", "set-uid", "set-uid");
}

}  // namespace
}  // namespace glibc_patches
