#include "advisor/command_lint.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "advisor/command_testing.h"
#include "advisor/render/golden.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace advisor {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kZen3[] =
    "--cpuid=testdata/cpuid/"
    "amd_19-01-01_epyc-milan_qemu-tcg_qemu72-tcg-epyc-milan.txt";
constexpr char kSeed[] = "--cpuid=testdata/cpuid/field/seed_guest_htt0.txt";

CommandAnswer LintAnswer(std::vector<std::string> words) {
  CommandTestMachine machine;
  machine.use_real_files = true;
  words.insert(words.begin(), "lint");
  return machine.Run(words, kLintCommand);
}

// Each with its exit status; the same in text and in JSON.
struct GoldenCase {
  const char* name;
  std::vector<std::string> words;
  int exit_status;
};

const GoldenCase kGoldenCases[] = {
    {"good",
     {"glibc.cpu.x86_non_temporal_threshold=4194304", kZen3, "--glibc=2.36"},
     0},
    {"many_mistakes",
     {"glibc.tune.x86_non_temporal_threshold=1M:glibc.cpu.x86_rep_movsb_"
      "threshold=64:glibc.cpu.hwcaps=-AVX2_Usable,-ERMS:glibc.malloc.arena_"
      "max=2:glibc.malloc.arena_max=3:glibc.pthread.rseq=2",
      kZen3, "--glibc=2.36"},
     1},
    {"rejected", {"glibc.malloc.arena_max=2:", kZen3, "--glibc=2.41"}, 1},
    {"work_around",
     {"glibc.tune.x86_non_temporal_threshold=12582912", kSeed, "--glibc=2.28"},
     0},
    {"amd_zone",
     {"glibc.cpu.x86_rep_movsb_threshold=4096", kZen3, "--glibc=2.40"},
     1},
};

TEST(LintCommand, PrintsWhatTheGoldenFilesHold) {
  for (const GoldenCase& c : kGoldenCases) {
    SCOPED_TRACE(c.name);
    const CommandAnswer text = LintAnswer(c.words);
    EXPECT_EQ(text.exit_status, c.exit_status) << text.err;
    EXPECT_THAT(text.err, IsEmpty());
    ExpectGolden(std::string("testdata/golden/lint/") + c.name + ".txt",
                 text.out);
    std::vector<std::string> words = c.words;
    words.push_back("--format=json");
    const CommandAnswer json = LintAnswer(words);
    EXPECT_EQ(json.exit_status, c.exit_status);
    ExpectGolden(std::string("testdata/golden/lint/") + c.name + ".json",
                 json.out);
  }
}

TEST(LintCommand, TakesTheEnvironmentsStringAndPastedOnes) {
  CommandTestMachine machine;
  machine.use_real_files = true;
  machine.environment =
      Environment({"GLIBC_TUNABLES=glibc.malloc.arenas_max=2"});
  const CommandAnswer answer =
      machine.Run({"lint", kZen3, "--glibc=2.36"}, kLintCommand);
  EXPECT_EQ(answer.exit_status, 1);
  EXPECT_THAT(answer.out, HasSubstr("Did you mean glibc.malloc.arena_max?"));
  const CommandAnswer pasted = LintAnswer(
      {"GLIBC_TUNABLES=glibc.malloc.arena_max=2", kZen3, "--glibc=2.36"});
  EXPECT_EQ(pasted.exit_status, 0) << pasted.out;
}

TEST(LintCommand, SaysThatNothingIsSet) {
  const CommandAnswer answer = LintAnswer({kZen3, "--glibc=2.36"});
  EXPECT_EQ(answer.exit_status, 0);
  EXPECT_THAT(answer.out, HasSubstr("nothing sets GLIBC_TUNABLES"));
}

TEST(LintCommand, ChecksOnlyTheReadingWithoutACpuThatTellsEnough) {
  CommandTestMachine machine;
  machine.files.Add("cpuinfo",
                    "processor\t: 0\nvendor_id\t: GenuineIntel\n"
                    "cpu family\t: 6\nmodel\t\t: 85\nstepping\t: 4\n"
                    "flags\t\t: fpu sse2 avx2 erms\n\n");
  const CommandAnswer answer =
      machine.Run({"lint", "glibc.cpu.x86_non_temporal_threshold=1M",
                   "--cpuid=cpuinfo", "--glibc=2.36", "--format=json"},
                  kLintCommand);
  ASSERT_EQ(answer.exit_status, 1) << answer.err;
  const auto document = nlohmann::json::parse(answer.out);
  EXPECT_TRUE(document["strings"][0]["cpu"].is_null());
  EXPECT_EQ(document["strings"][0]["findings"][0]["rule"], "suffix");
}

TEST(LintCommand, SurvivesBytesThatAreNoText) {
  const CommandAnswer answer = LintAnswer(
      {"glibc.malloc.arena_max=\x1b[31m\xff\x80", kZen3, "--glibc=2.36"});
  EXPECT_EQ(answer.exit_status, 1);
  EXPECT_EQ(answer.out.find('\x1b'), std::string::npos);
  const CommandAnswer json =
      LintAnswer({"glibc.malloc.arena_max=\xff\x80", kZen3, "--glibc=2.36",
                  "--format=json"});
  EXPECT_EQ(json.exit_status, 1);
  EXPECT_TRUE(nlohmann::json::accept(json.out)) << json.out;
}

TEST(LintCommand, RefusesABuildThatIsNone) {
  EXPECT_EQ(LintAnswer({"a=b", "--glibc=2.99"}).exit_status, 2);
}

// An unpacked image with this machine's own loader and libc in it.
TEST(LintCommand, LooksIntoAnImage) {
  std::string root = ::testing::TempDir() + "/imageXXXXXX";
  ASSERT_NE(mkdtemp(root.data()), nullptr);
  for (const char* folder : {"/lib64", "/lib", "/lib/real", "/etc"}) {
    ASSERT_EQ(mkdir((root + folder).c_str(), 0700), 0);
  }
  const RealFileReader files;
  const auto loader = files.Read("/lib64/ld-linux-x86-64.so.2");
  if (!loader.ok()) GTEST_SKIP() << "needs glibc's loader: " << loader.status();
  std::ofstream(root + "/lib/real/ld.so") << *loader;
  // Absolute, as in Debian 11: it must not lead to this machine's.
  ASSERT_EQ(symlink("/lib/real/ld.so",
                    (root + "/lib64/ld-linux-x86-64.so.2").c_str()),
            0);
  std::ofstream(root + "/etc/environment")
      << "GLIBC_TUNABLES=glibc.malloc.arenas_max=2\n";
  const CommandAnswer answer =
      LintAnswer({"--image-root=" + root, "--glibc=2.36", kZen3});
  EXPECT_EQ(answer.exit_status, 1) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("/etc/environment:1"));
  EXPECT_THAT(answer.out, HasSubstr("no os-release"));
  // The image's own glibc, where it is one that the model knows.
  const CommandAnswer own = LintAnswer({"--image-root=" + root, kZen3});
  EXPECT_TRUE(own.exit_status == 1 || own.exit_status == 2) << own.err;
  EXPECT_EQ(LintAnswer({"--image-root=" + root + "/none"}).exit_status, 2);
}

TEST(LintCommand, ReadsAUnit) {
  CommandTestMachine machine;
  machine.files.Add(
      "/etc/systemd/system/x.service",
      "[Service]\nEnvironment=GLIBC_TUNABLES=a=b\n"
      "Environment=\"GLIBC_TUNABLES=glibc.malloc.arena_max=2\"\n");
  const CommandAnswer answer = machine.Run(
      {"lint", "--unit=x", "--glibc=2.36", "--format=json"}, kLintCommand);
  ASSERT_EQ(answer.exit_status, 0) << answer.err << answer.out;
  const auto document = nlohmann::json::parse(answer.out);
  EXPECT_EQ(document["strings"][0]["source"],
            "/etc/systemd/system/x.service:3");
  EXPECT_EQ(document["strings"][0]["string"], "glibc.malloc.arena_max=2");
  EXPECT_EQ(document["notes"].size(), 1);
  EXPECT_EQ(machine.Run({"lint", "--unit=none"}, kLintCommand).exit_status, 2);
}

// This test's own process, started by a parent that sets nothing.
TEST(LintCommand, ReadsAProcess) {
  const pid_t child = fork();
  if (child == 0) {
    execle("/bin/sleep", "sleep", "100", nullptr,
           std::vector<char*>{
               const_cast<char*>("GLIBC_TUNABLES=glibc.malloc.arenas_max=2"),
               nullptr}
               .data());
    _exit(1);
  }
  ASSERT_GT(child, 0);
  // Until the child has become the other program.
  const RealFileReader files;
  const std::string path = "/proc/" + std::to_string(child) + "/cmdline";
  for (int i = 0; i < 1000; ++i) {
    const auto words = files.Read(path);
    if (words.ok() && words->find("100") != std::string::npos) break;
    usleep(10000);
  }
  const CommandAnswer answer = LintAnswer(
      {"--pid=" + std::to_string(child), "--glibc=2.36", "--format=json"});
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  ASSERT_EQ(answer.exit_status, 1) << answer.err;
  const auto document = nlohmann::json::parse(answer.out);
  EXPECT_EQ(document["strings"][0]["string"], "glibc.malloc.arenas_max=2");
  EXPECT_EQ(document["strings"][0]["secure"], false);
  EXPECT_FALSE(document["strings"][0]["program"].is_null());
  EXPECT_EQ(LintAnswer({"--pid=" + std::to_string(child)}).exit_status, 2);
  EXPECT_EQ(LintAnswer({"--pid=x"}).exit_status, 2);
  EXPECT_EQ(LintAnswer({"--pid=1", "--unit=x"}).exit_status, 2);
}

}  // namespace
}  // namespace advisor
