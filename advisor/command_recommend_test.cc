#include "advisor/command_recommend.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "advisor/command_testing.h"
#include "advisor/host/dialogue.h"
#include "advisor/host/subprocess.h"
#include "advisor/system.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace advisor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kSeedGuest[] = "testdata/cpuid/field/seed_guest_htt0.txt";
constexpr char kSeedHost[] = "testdata/cpuid/field/seed_host_30m.txt";

CommandAnswer Recommend(std::vector<std::string> words) {
  CommandTestMachine machine;
  machine.use_real_files = true;
  words.insert(words.begin(), "recommend");
  return machine.Run(words, kRecommendCommand);
}

std::string Cpuid(const char* path) { return std::string("--cpuid=") + path; }

// The field report: 2.28 in that guest computes 0.
TEST(RecommendTest, CuresTheFieldReportsGuest) {
  const CommandAnswer answer =
      Recommend({Cpuid(kSeedGuest), "--glibc=2.28", "--format=env"});
  EXPECT_EQ(answer.exit_status, 0);
  EXPECT_EQ(answer.out,
            "GLIBC_TUNABLES=glibc.tune.x86_non_temporal_threshold=12582912\n");
  EXPECT_EQ(answer.err, "");
}

TEST(RecommendTest, LeavesItsHostAndLaterReleases) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{Cpuid(kSeedHost), "--glibc=2.28"},
        std::vector<std::string>{Cpuid(kSeedGuest), "--glibc=2.33"}}) {
    const CommandAnswer answer = Recommend(words);
    EXPECT_EQ(answer.exit_status, 0);
    EXPECT_THAT(answer.out, AllOf(HasSubstr("keep the defaults"),
                                  Not(HasSubstr("GLIBC_TUNABLES="))));
  }
}

TEST(RecommendTest, JsonHasWhatMachinesNeed) {
  const CommandAnswer answer =
      Recommend({Cpuid(kSeedGuest), "--glibc=2.31", "--format=json"});
  const nlohmann::json json =
      nlohmann::json::parse(answer.out, nullptr, /*allow_exceptions=*/false);
  ASSERT_FALSE(json.is_discarded()) << answer.out;
  for (const char* key :
       {"schema_version", "machine", "glibc", "findings", "recommendation"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ(json["recommendation"]["verdict"], "set");
  EXPECT_EQ(json["recommendation"]["tunables"]
                ["glibc.cpu.x86_non_temporal_threshold"],
            12582912);
}

TEST(RecommendTest, KeepsWhatTheServiceSets) {
  const CommandAnswer answer = Recommend(
      {Cpuid(kSeedGuest), "--glibc=2.31",
       "--glibc_tunables=glibc.pthread.rseq=0:glibc.cpu.x86_non_temporal_"
       "threshold=0",
       "--format=systemd"});
  EXPECT_EQ(answer.exit_status, 0) << answer.err;
  EXPECT_THAT(
      answer.out,
      HasSubstr("\nEnvironment=\"GLIBC_TUNABLES=glibc.pthread.rseq=0:glibc.cpu."
                "x86_non_temporal_threshold=12582912\"\n"));
}

TEST(RecommendTest, SaysHowFarASettingReaches) {
  EXPECT_THAT(
      Recommend({Cpuid(kSeedGuest), "--glibc=2.31", "--format=docker"}).out,
      AllOf(HasSubstr("exist in glibc 2.29 to 2.42;\n"),
            HasSubstr("# Drop it: with glibc 2.33, which computes a sound")));
}

// env $(advisor recommend --format=env) PROGRAM
TEST(RecommendTest, WhatAShellTakesApartIsNoLineForIt) {
  const auto with = [](const std::string& tunables) {
    return Recommend({Cpuid(kSeedGuest), "--glibc=2.28", "--format=env",
                      "--glibc_tunables=" + tunables});
  };
  EXPECT_EQ(with("glibc.malloc.check=1").exit_status, 0);
  for (const char* const tunables :
       {"x=1 PATH=/tmp", "x=1\nPATH=/tmp", "x=*"}) {
    const CommandAnswer answer = with(tunables);
    EXPECT_EQ(answer.exit_status, 2) << tunables;
    EXPECT_EQ(answer.out, "") << tunables;
    EXPECT_THAT(answer.err, HasSubstr("--format=env: "));
  }
}

// Kubernetes takes $(NAME) for a variable of the container.
TEST(RecommendTest, KubernetesExpandsNothingInIt) {
  const CommandAnswer answer =
      Recommend({Cpuid(kSeedGuest), "--glibc=2.28", "--format=kubernetes",
                 "--glibc_tunables=a=$(NAME)"});
  EXPECT_EQ(answer.exit_status, 0);
  EXPECT_THAT(answer.out, HasSubstr("value: \"a=$$(NAME):glibc.tune."));
}

TEST(RecommendTest, SystemWideOnRequestOnly) {
  const std::string guest = Cpuid(kSeedGuest);
  EXPECT_THAT(Recommend({guest, "--glibc=2.31", "--format=systemd"}).out,
              Not(HasSubstr("[Manager]")));
  EXPECT_THAT(
      Recommend({guest, "--glibc=2.31", "--format=systemd", "--scope=system"})
          .out,
      AllOf(HasSubstr("[Manager]\nDefaultEnvironment="),
            HasSubstr("# WARNING: this reaches every process")));
}

TEST(RecommendTest, TakesEveryFormatThatIsWhole) {
  const std::string expected =
      Recommend({"--cpuid=testdata/inputs/cpuid_r/emerald_rapids_2_cpus.txt",
                 "--glibc=2.36", "--format=env"})
          .out;
  EXPECT_THAT(expected, HasSubstr("GLIBC_TUNABLES="));
  for (const char* path :
       {"testdata/inputs/instlatx64/emerald_rapids_2_cpus.txt"}) {
    const CommandAnswer answer =
        Recommend({Cpuid(path), "--glibc=2.36", "--format=env"});
    EXPECT_EQ(answer.exit_status, 0) << answer.err;
    EXPECT_EQ(answer.out, expected);
  }
  const CommandAnswer seed =
      Recommend({Cpuid("testdata/inputs/libvirt/seed_guest_htt0.xml"),
                 "--glibc=2.28", "--format=env"});
  EXPECT_EQ(seed.out,
            "GLIBC_TUNABLES=glibc.tune.x86_non_temporal_threshold=12582912\n")
      << seed.err;
}

TEST(RecommendTest, SaysWhichKindOfCoreItIsAbout) {
  EXPECT_THAT(
      Recommend({Cpuid("testdata/inputs/instlatx64/alder_lake_hybrid.txt"),
                 "--glibc=2.36"})
          .out,
      HasSubstr("The CPU has 2 kinds of core; this is about the first: "));
}

TEST(RecommendTest, EveryMistakeIsOneLineAndStatus2) {
  for (const auto& [words, line] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{Cpuid(kSeedGuest)}, "--cpuid needs --glibc"},
           {{Cpuid("no/such/file"), "--glibc=2.36"}, "no/such/file"},
           {{Cpuid("testdata/cpuid"), "--glibc=2.36"}, "testdata"},
           {{Cpuid("testdata/inputs/cpuinfo/epyc_milan.cpuinfo.txt"),
             "--glibc=2.36"},
            "expected every leaf that glibc reads (cpuid -r), found "},
           {{Cpuid(kSeedGuest), "--glibc=2.99"}, "2.99"},
           {{Cpuid(kSeedGuest), "--glibc=new"}, "new"},
           {{Cpuid(kSeedGuest), "--glibc=2.36", "--measure=quick"},
            "only this machine's own glibc can be measured"},
           {{"--glibc=2.36", "--measure=full"}, "only this machine's own"},
           {{"--measure=long"}, "--measure"},
           {{"--format=yaml", "--measure=off"}, "--format"},
           {{"--seed=x", "--measure=quick"}, "--seed"},
           {{Cpuid(kSeedGuest), "--glibc=2.31", "--scope=system"},
            "--scope=system: expected --format=environment.d, slurm or "
            "systemd, found text"},
           {{"--mesure=off"}, "--mesure"},
           {{"superfluous"}, "superfluous"}}) {
    const CommandAnswer answer = Recommend(words);
    EXPECT_EQ(answer.exit_status, 2) << line << "\n" << answer.err;
    EXPECT_EQ(answer.out, "") << line;
    EXPECT_THAT(answer.err, HasSubstr(line));
    EXPECT_EQ(std::count(answer.err.begin(), answer.err.end(), '\n'), 1)
        << answer.err;
  }
}

TEST(RecommendTest, ADumpThatIsCutIsNoDump) {
  CommandTestMachine machine;
  machine.files.Add("cut.txt", "CPU:\n   0x00000000 0x00: eax=0x0000000d ebx=");
  const CommandAnswer answer = machine.Run(
      {"recommend", "--cpuid=cut.txt", "--glibc=2.36"}, kRecommendCommand);
  EXPECT_EQ(answer.exit_status, 2);
  EXPECT_THAT(answer.err, HasSubstr("cut.txt:2: expected"));
}

// A machine without a loader at all.
TEST(RecommendTest, NoGlibcIsOneLine) {
  const CommandTestMachine machine;
  const CommandAnswer answer = machine.Run({"recommend"}, kRecommendCommand);
  EXPECT_EQ(answer.exit_status, 2);
  EXPECT_EQ(std::count(answer.err.begin(), answer.err.end(), '\n'), 1)
      << answer.err;
}

TEST(RecommendTest, AWorkloadNeedsAMeasurement) {
  const CommandAnswer answer =
      Recommend({Cpuid(kSeedGuest), "--glibc=2.31", "--workload=compiler"});
  EXPECT_EQ(answer.exit_status, 2);
  EXPECT_THAT(answer.err, HasSubstr("--workload: expected a measurement"));
}

class DeadWorkers : public DialogueStarter {
 public:
  absl::StatusOr<std::unique_ptr<Dialogue>> Start(
      const Command&) const override {
    return absl::UnavailableError("worker: killed by SIGSEGV");
  }
};

TEST(RecommendTest, AMeasurementThatBreaksOffIsInconclusive) {
  const RealFileReader files;
  const RealSubprocess subprocess;
  const Environment environment = Environment::OfThisProcess();
  const absl::StatusOr<System> system =
      InspectThisMachine(files, subprocess, environment);
  if (!system.ok()) GTEST_SKIP() << system.status();
  const DeadWorkers dialogues;
  const RealClock clock;
  std::ostringstream out;
  std::ostringstream err;
  const CommandRow* const commands[] = {&kRecommendCommand};
  const CommandContext context{files, subprocess, dialogues, environment,
                               clock, out,        err,       false,
                               80,    commands};
  EXPECT_EQ(RunCommandLine({"recommend"}, context), 3);
  EXPECT_EQ(out.str(), "");
  EXPECT_EQ(err.str(), "advisor: worker: killed by SIGSEGV\n");
}

}  // namespace
}  // namespace advisor
