#include "advisor/glibc/replay.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "advisor/cpu/cpuid_dump.h"
#include "advisor/glibc/loader_listing.h"
#include "advisor/host/subprocess.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kLoader[] = "/lib64/ld-linux-x86-64.so.2";
constexpr char kFakeLoader[] = "advisor/glibc/replay_fake_loader";
constexpr char kRecordedRevision[] = "GLIBC 2.36-9+deb12u14)";

CpuidTable ReadDump(absl::string_view path) {
  const std::string text = RealFileReader().Read(path).value();
  return ParseCpuidDump(text, path).value().cpus.at(0);
}

std::vector<std::string> DumpPaths() {
  std::vector<std::string> paths;
  const std::vector<std::string> names =
      RealFileReader().List("testdata/cpuid").value();
  for (const std::string& name : names) {
    if (absl::EndsWith(name, ".txt")) {
      paths.push_back(absl::StrCat("testdata/cpuid/", name));
    }
  }
  return paths;
}

// The answers of one CPU that the fake loader prints.
CpuidTable OneAnswer() {
  CpuidTable cpu;
  cpu.Set(1, 0, {0, 0, uint32_t{1} << 27, 0});
  cpu.Set(7, 1, {0x80000001, 0x80000002, 0x80000003, 0x80000004});
  cpu.SetXcr0(0x60000000e7);
  return cpu;
}

ReplayOptions Behaviour(std::string name) {
  ReplayOptions options;
  options.glibc_tunables = std::move(name);
  return options;
}

LoaderReplay FakeLoader() {
  return LoaderReplay::Create(RealFileReader(), kFakeLoader).value();
}

void ExpectNoChildIsLeft() {
  EXPECT_EQ(waitpid(-1, nullptr, __WALL | WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

// Runs `body` in a process of its own and gives its exit status.
template <typename Body>
int InAnotherProcess(Body body) {
  const pid_t pid = fork();
  if (pid == 0) _exit(body());
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// From now on the system call fails with EPERM.
void ForbidSystemCall(uint32_t number) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter = {4, program};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

class ReplayTest : public testing::Test {
 protected:
  void TearDown() override { ExpectNoChildIsLeft(); }
};

// Tests of the loader of this machine; skipped where it is not glibc's, or
// where tracing is forbidden.
class RealLoaderTest : public ReplayTest {
 protected:
  void SetUp() override {
    absl::StatusOr<LoaderReplay> replay =
        LoaderReplay::Create(RealFileReader(), kLoader);
    if (!replay.ok()) GTEST_SKIP() << replay.status();
    const auto tried = replay->Run(ReadNativeCpuid());
    if (absl::IsPermissionDenied(tried.status())) {
      GTEST_SKIP() << tried.status();
    }
    replay_ = *std::move(replay);
  }

  bool IsRecordedRevision() const {
    return absl::StrContains(RealFileReader().Read(kLoader).value(),
                             kRecordedRevision);
  }

  std::optional<LoaderReplay> replay_;
};

TEST_F(RealLoaderTest, EqualsTheRecordedAnswersForEveryDump) {
  if (!IsRecordedRevision()) {
    GTEST_SKIP() << kLoader << " is not of " << kRecordedRevision;
  }
  const std::string table =
      RealFileReader()
          .Read("testdata/expected/debian-2.36-9+deb12u14.csv")
          .value();
  int rows = 0;
  absl::Duration time;
  for (const absl::string_view line :
       absl::StrSplit(table, '\n', absl::SkipEmpty())) {
    if (absl::StartsWith(line, "#") || absl::StartsWith(line, "dump,")) {
      continue;
    }
    ++rows;
    const std::vector<std::string> cells = absl::StrSplit(line, ',');
    const CpuidTable cpu =
        ReadDump(absl::StrCat("testdata/cpuid/", cells[0], ".txt"));
    const absl::Time start = absl::Now();
    const auto result = replay_->Run(cpu);
    time += absl::Now() - start;
    ASSERT_TRUE(result.ok()) << cells[0] << ": " << result.status();
    const auto tunables = ParseTunablesListing(result->tunables, cells[0]);
    const auto diagnostics =
        ParseDiagnosticsListing(*result->diagnostics, cells[0]);
    ASSERT_TRUE(tunables.ok()) << tunables.status();
    ASSERT_TRUE(diagnostics.ok()) << diagnostics.status();
    const EffectiveThresholds found = ThresholdsOf(*diagnostics);
    EXPECT_EQ(absl::StrCat(cells[0], ",", *found.data_cache_size, ",",
                           *found.shared_cache_size, ",",
                           *found.non_temporal_threshold, ",",
                           *found.rep_movsb_threshold, ",",
                           *found.rep_movsb_stop_threshold, ",",
                           *found.rep_stosb_threshold),
              line);
    EffectiveThresholds listed = ThresholdsOf(*tunables);
    listed.rep_movsb_stop_threshold = found.rep_movsb_stop_threshold;
    EXPECT_EQ(listed, found) << cells[0];
    EXPECT_EQ(diagnostics->max_cpuid, cpu.Execute(0).eax) << cells[0];
    EXPECT_EQ(diagnostics->features.at(0).cpuid[3], cpu.Execute(1).edx);
  }
  EXPECT_GE(rows, 49);
  std::cout << rows << " dumps, " << replay_->sites().sites.size() << " sites, "
            << replay_->sites().uncertain.size() << " uncertain, "
            << absl::ToDoubleMilliseconds(time / rows)
            << " ms a dump with both listings\n";
}

TEST_F(RealLoaderTest, StepByStepGivesTheSameTextAndMissesNoSite) {
  ReplayOptions steps;
  steps.mode = ReplayMode::kSingleStep;
  steps.time_limit = absl::Minutes(2);
  // AMD with XGETBV; Intel with leaf 2 and without.
  for (const char* name :
       {"amd_19-01-01_epyc-milan_qemu-tcg_qemu72-tcg-epyc-milan",
        "intel_06-0f-0b_core-2-duo-t7700_qemu-tcg_qemu72-tcg-core2duo"}) {
    const CpuidTable cpu =
        ReadDump(absl::StrCat("testdata/cpuid/", name, ".txt"));
    const auto stepped = replay_->Run(cpu, steps);
    ASSERT_TRUE(stepped.ok()) << stepped.status();
    const auto run = replay_->Run(cpu);
    ASSERT_TRUE(run.ok()) << run.status();
    EXPECT_EQ(stepped->tunables, run->tunables) << name;
    EXPECT_EQ(stepped->hits, run->hits) << name;
    EXPECT_EQ(
        ThresholdsOf(
            ParseDiagnosticsListing(*stepped->diagnostics, "").value()),
        ThresholdsOf(ParseDiagnosticsListing(*run->diagnostics, "").value()));
  }
}

TEST_F(RealLoaderTest, ThisCpuReplayedIsWhatTheLoaderSaysItself) {
  const auto replayed = replay_->Run(ReadNativeCpuid());
  ASSERT_TRUE(replayed.ok()) << replayed.status();
  Command command;
  command.argv = {kLoader, "--list-tunables"};
  const auto native = RealSubprocess().Run(command);
  ASSERT_TRUE(native.ok()) << native.status();
  EXPECT_EQ(replayed->tunables, native->standard_output);

  command.argv[1] = "--list-diagnostics";
  const auto diagnostics = ParseDiagnosticsListing(
      RealSubprocess().Run(command).value().standard_output, "native");
  const auto listed =
      ParseDiagnosticsListing(*replayed->diagnostics, "replayed");
  ASSERT_TRUE(diagnostics.ok()) << diagnostics.status();
  ASSERT_TRUE(listed.ok()) << listed.status();
  EXPECT_EQ(listed->x86, diagnostics->x86);
  EXPECT_EQ(listed->preferred, diagnostics->preferred);
  EXPECT_EQ(listed->model, diagnostics->model);
}

TEST_F(RealLoaderTest, AppliesTunables) {
  const auto result =
      replay_->Run(ReadNativeCpuid(),
                   Behaviour("glibc.cpu.x86_non_temporal_threshold=0x123456:"
                             "glibc.cpu.hwcaps=-ERMS"));
  ASSERT_TRUE(result.ok()) << result.status();
  const auto tunables = ParseTunablesListing(result->tunables, "").value();
  EXPECT_EQ(tunables.Size("glibc.cpu.x86_non_temporal_threshold"), 0x123456);
  EXPECT_EQ(
      std::get<StringTunable>(tunables.tunables.at("glibc.cpu.hwcaps")).value,
      "-ERMS");
}

TEST_F(RealLoaderTest, SeveralThreadsReplayAtOnce) {
  const std::vector<std::string> paths = DumpPaths();
  std::vector<std::string> texts(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < texts.size(); ++i) {
    threads.emplace_back([&, i] {
      const auto result = replay_->Run(ReadDump(paths[i]));
      if (result.ok()) texts[i] = result->tunables;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(texts[i], replay_->Run(ReadDump(paths[i])).value().tunables);
    EXPECT_THAT(texts[i], Not(IsEmpty()));
  }
}

TEST_F(RealLoaderTest, LeavesTheRawCpuidDumpOut) {
  const CpuidTable cpu = ReadDump(DumpPaths().front());
  ReplayOptions options;
  options.raw_cpuid = true;
  const auto whole = replay_->Run(cpu, options);
  const auto short_run = replay_->Run(cpu);
  ASSERT_TRUE(whole.ok()) << whole.status();
  ASSERT_TRUE(short_run.ok()) << short_run.status();
  const auto with = ParseDiagnosticsListing(*whole->diagnostics, "").value();
  const auto without =
      ParseDiagnosticsListing(*short_run->diagnostics, "").value();
  EXPECT_EQ(with.x86, without.x86);
  EXPECT_THAT(without.processors, IsEmpty());
  // Empty up to 2.39.
  for (const ListedProcessor& processor : with.processors) {
    EXPECT_TRUE(processor.complete);
    for (const auto& [input, answer] : processor.cpuid.entries()) {
      EXPECT_EQ(answer, cpu.Execute(input.leaf, input.subleaf));
    }
  }
}

TEST_F(RealLoaderTest, NeedsXcr0WithOsxsave) {
  CpuidTable cpu = OneAnswer();
  cpu.SetXcr0(std::nullopt);
  const auto result = replay_->Run(cpu);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(result.status().message()), HasSubstr("no XCR0"));
}

// The fake loader's own behaviour; skipped where tracing is forbidden.
class FakeLoaderTest : public ReplayTest {
 protected:
  void SetUp() override {
    const auto tried = FakeLoader().Run(OneAnswer());
    if (absl::IsPermissionDenied(tried.status())) {
      GTEST_SKIP() << tried.status();
    }
  }

  static std::string ErrorOf(absl::StatusCode code,
                             const ReplayOptions& options) {
    const auto result = FakeLoader().Run(OneAnswer(), options);
    EXPECT_EQ(result.status().code(), code) << result.status();
    const std::string message(result.status().message());
    EXPECT_THAT(message, StartsWith(kFakeLoader));
    EXPECT_THAT(message, Not(HasSubstr("\n")));
    return message;
  }
};

TEST_F(FakeLoaderTest, AnswersWholeRegisters) {
  const std::string expected =
      "0000000080000001\n0000000080000002\n0000000080000003\n"
      "0000000080000004\n00000000000000e7\n0000000000000060\n";
  ReplayOptions options;
  for (const ReplayMode mode :
       {ReplayMode::kBreakpoints, ReplayMode::kSingleStep}) {
    options.mode = mode;
    const auto result = FakeLoader().Run(OneAnswer(), options);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->tunables, expected);
    EXPECT_EQ(result->diagnostics, expected);
    EXPECT_EQ(result->hits.size(), 2);
    for (const auto& [site, hits] : result->hits) EXPECT_EQ(hits, 2);
  }
  EXPECT_EQ(FakeLoader().sites().sites.size(), 2);
}

TEST_F(FakeLoaderTest, EndsALoaderThatHangs) {
  for (const char* behaviour : {"spin", "deaf"}) {
    ReplayOptions options = Behaviour(behaviour);
    options.time_limit = absl::Milliseconds(100);
    EXPECT_THAT(ErrorOf(absl::StatusCode::kDeadlineExceeded, options),
                HasSubstr("no answer within 100ms"));
    options.mode = ReplayMode::kSingleStep;
    ErrorOf(absl::StatusCode::kDeadlineExceeded, options);
  }
}

TEST_F(FakeLoaderTest, SaysHowALoaderFailed) {
  EXPECT_THAT(ErrorOf(absl::StatusCode::kAborted, Behaviour("crash")),
              HasSubstr("--list-tunables, replayed: killed by SIGILL"));
  EXPECT_THAT(ErrorOf(absl::StatusCode::kAborted, Behaviour("trap")),
              HasSubstr("killed by SIGTRAP"));
  EXPECT_THAT(ErrorOf(absl::StatusCode::kFailedPrecondition, Behaviour("fail")),
              HasSubstr("exit status 3: Fatal error: no"));
  EXPECT_THAT(
      ErrorOf(absl::StatusCode::kFailedPrecondition, Behaviour("flood")),
      HasSubstr("killed by SIGXFSZ"));
  EXPECT_THAT(
      ErrorOf(absl::StatusCode::kFailedPrecondition, Behaviour("silent")),
      HasSubstr("without a CPUID instruction"));
}

TEST_F(FakeLoaderTest, GoesOnWhereALoaderIsStopped) {
  EXPECT_TRUE(FakeLoader().Run(OneAnswer(), Behaviour("stop")).ok());
}

TEST_F(FakeLoaderTest, SaysThatTracingIsForbidden) {
  EXPECT_EQ(InAnotherProcess([] {
              ForbidSystemCall(SYS_ptrace);
              const auto result = FakeLoader().Run(OneAnswer());
              const bool is_clear =
                  absl::IsPermissionDenied(result.status()) &&
                  absl::StrContains(result.status().message(),
                                    "not permitted here (Operation not "
                                    "permitted)");
              return is_clear ? 0 : 1;
            }),
            0);
}

TEST_F(FakeLoaderTest, WorksWithoutTheConveniences) {
  for (const uint32_t number : {SYS_personality, SYS_pidfd_open}) {
    EXPECT_EQ(InAnotherProcess([number] {
                ForbidSystemCall(number);
                ReplayOptions options;
                options.time_limit = absl::Milliseconds(100);
                if (!FakeLoader().Run(OneAnswer(), options).ok()) return 1;
                options.glibc_tunables = "deaf";
                return absl::IsDeadlineExceeded(
                           FakeLoader().Run(OneAnswer(), options).status())
                           ? 0
                           : 2;
              }),
              0)
        << number;
  }
}

// The children of a process, if the kernel tells (CONFIG_PROC_CHILDREN).
std::string ChildrenOf(pid_t pid) {
  return std::string(absl::StripAsciiWhitespace(
      RealFileReader()
          .Read(absl::StrCat("/proc/", pid, "/task/", pid, "/children"))
          .value_or("")));
}

TEST_F(FakeLoaderTest, AChildDiesWithItsTracer) {
  const pid_t tracer = fork();
  if (tracer == 0) {
    FakeLoader().Run(OneAnswer(), Behaviour("deaf")).IgnoreError();
    _exit(0);
  }
  std::string child;
  for (int i = 0; i < 200 && child.empty(); ++i) {
    absl::SleepFor(absl::Milliseconds(10));
    child = ChildrenOf(tracer);
  }
  kill(tracer, SIGKILL);
  waitpid(tracer, nullptr, 0);
  if (child.empty()) GTEST_SKIP() << "the kernel does not list children";
  const std::string folder = absl::StrCat("/proc/", child, "/status");
  std::string state = "x";
  // A zombie is left where nobody reaps orphans.
  for (int i = 0; i < 200 && !state.empty(); ++i) {
    state = RealFileReader().Read(folder).value_or("");
    if (absl::StrContains(state, "State:\tZ")) state.clear();
    absl::SleepFor(absl::Milliseconds(10));
  }
  EXPECT_EQ(state, "");
}

TEST(LoaderReplayTest, RefusesWhatIsNoLoader) {
  const RealFileReader files;
  EXPECT_TRUE(absl::IsNotFound(
      LoaderReplay::Create(files, "/no/such/loader").status()));
  const auto program = LoaderReplay::Create(files, "/proc/self/exe");
  EXPECT_THAT(std::string(program.status().message()),
              HasSubstr("expected a dynamic loader of glibc 2.33 or later, "
                        "found a program of the loader "));
  const auto text = LoaderReplay::Create(files, "/proc/self/status");
  EXPECT_THAT(std::string(text.status().message()),
              HasSubstr("expected an x86-64 ELF"));
}

TEST(LoaderReplayTest, RefusesOtherLoaders) {
  std::string content = RealFileReader().Read(kFakeLoader).value();
  const auto error = [&] {
    const FakeFileReader files({{"/ld.so", content}});
    return std::string(
        LoaderReplay::Create(files, "/ld.so").status().message());
  };
  EXPECT_EQ(error(), "");
  content += "musl libc (x86_64)";
  EXPECT_THAT(error(), HasSubstr("found musl's"));
  content = RealFileReader().Read(kFakeLoader).value();
  absl::StrReplaceAll({{"--list-tunables", "--List-tunables"}}, &content);
  EXPECT_THAT(error(), HasSubstr("found one without --list-tunables"));
}

}  // namespace
}  // namespace advisor
