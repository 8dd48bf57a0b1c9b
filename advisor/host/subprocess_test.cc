#include "advisor/host/subprocess.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "advisor/host/fake_subprocess.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

Command Shell(const std::string& script) {
  Command command;
  command.argv = {"/bin/sh", "-c", script};
  command.environment = Environment({"PATH=/usr/bin:/bin"});
  return command;
}

CommandResult RunShell(const std::string& script) {
  return *RealSubprocess().Run(Shell(script));
}

// Not a zombie either.
bool IsAlive(pid_t pid) {
  std::ifstream stat(absl::StrCat("/proc/", pid, "/stat"));
  std::string text;
  std::getline(stat, text);
  return !text.empty() && text.find(") Z ") == std::string::npos;
}

// The init process needs a moment to end what was killed.
bool EndsSoon(pid_t pid) {
  for (int i = 0; i < 500; ++i) {
    if (!IsAlive(pid)) return true;
    absl::SleepFor(absl::Milliseconds(10));
  }
  return false;
}

TEST(RealSubprocessTest, KeepsBothOutputsAndTheExitStatus) {
  const CommandResult result = RunShell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_EQ(result.signal, std::nullopt);
  EXPECT_EQ(result.standard_output, "out\n");
  EXPECT_EQ(result.standard_error, "err\n");
  EXPECT_FALSE(result.succeeded());
  EXPECT_EQ(result.Describe(), "exit status 3");
  EXPECT_TRUE(RunShell("exit 0").succeeded());
}

TEST(CommandResultTest, OneLineOfWhatWasSaid) {
  CommandResult result;
  EXPECT_EQ(result.FirstErrorLine(), "");
  result.standard_error = "\n fatal: no \nmore\n";
  EXPECT_EQ(result.FirstErrorLine(), "fatal: no");
}

TEST(RealSubprocessTest, PassesArgumentsAndEnvironmentUnchanged) {
  Command command = Shell("printf '%s|' \"$@\"; env");
  command.argv.insert(command.argv.end(), {"sh", "a b", "", "$HOME;'\"*"});
  command.environment = Environment({"PATH=/usr/bin:/bin", "ONLY=this one"});
  const CommandResult result = *RealSubprocess().Run(command);
  EXPECT_THAT(result.standard_output, HasSubstr("a b||$HOME;'\"*|"));
  EXPECT_THAT(result.standard_output, HasSubstr("ONLY=this one\n"));
  EXPECT_EQ(result.standard_output.find("USER="), std::string::npos);
}

TEST(RealSubprocessTest, TellsASignalFromAnExit) {
  const CommandResult result = RunShell("kill -SEGV $$");
  EXPECT_EQ(result.exit_status, std::nullopt);
  EXPECT_EQ(result.signal, SIGSEGV);
  EXPECT_EQ(result.Describe(), "killed by SIGSEGV");
}

TEST(RealSubprocessTest, SaysWhyAProgramCannotStart) {
  Command command;
  command.argv = {"/no/such/program"};
  absl::Status status = RealSubprocess().Run(command).status();
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("/no/such/program"));

  const std::string path = absl::StrCat(::testing::TempDir(), "/not_runnable");
  std::ofstream(path) << "text";
  chmod(path.c_str(), 0644);
  command.argv = {path};
  status = RealSubprocess().Run(command).status();
  EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(path));

  command.argv = {};
  EXPECT_TRUE(absl::IsInvalidArgument(RealSubprocess().Run(command).status()));
}

TEST(RealSubprocessTest, KillsTheWholeGroupAtTheTimeLimit) {
  Command command = Shell("sleep 60 & echo $!; trap '' TERM INT; sleep 60");
  command.time_limit = absl::Milliseconds(300);
  const CommandResult result = *RealSubprocess().Run(command);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGKILL);
  EXPECT_EQ(result.Describe(), "no answer within 300ms");
  int grandchild = 0;
  ASSERT_TRUE(absl::SimpleAtoi(absl::StripSuffix(result.standard_output, "\n"),
                               &grandchild));
  EXPECT_TRUE(EndsSoon(grandchild));
}

TEST(RealSubprocessTest, DoesNotWaitForWhatTheProgramLeftBehind) {
  const absl::Time start = absl::Now();
  const CommandResult result = RunShell("sleep 60 & echo $!");
  EXPECT_LT(absl::Now() - start, absl::Seconds(8));
  EXPECT_TRUE(result.succeeded());
  int grandchild = 0;
  ASSERT_TRUE(absl::SimpleAtoi(absl::StripSuffix(result.standard_output, "\n"),
                               &grandchild));
  EXPECT_TRUE(EndsSoon(grandchild));
}

TEST(RealSubprocessTest, WaitsForAProgramThatClosedItsOutputs) {
  const CommandResult result = RunShell("exec >&- 2>&-; sleep 0.2; exit 7");
  EXPECT_EQ(result.exit_status, 7);
}

TEST(RealSubprocessTest, LimitsTheOutput) {
  Command command = Shell("yes");
  command.output_limit = 1000;
  const CommandResult result = *RealSubprocess().Run(command);
  EXPECT_TRUE(result.too_much_output);
  EXPECT_FALSE(result.timed_out);
  EXPECT_FALSE(result.succeeded());
  EXPECT_THAT(result.standard_output, SizeIs(1000));
  EXPECT_EQ(result.Describe(), "more than 1000 bytes of output");

  command = Shell("printf 0123456789");
  command.output_limit = 10;
  EXPECT_TRUE(RealSubprocess().Run(command)->succeeded());
}

TEST(RealSubprocessTest, TakesMoreThanAPipeHolds) {
  const CommandResult result =
      RunShell("head -c 3000000 /dev/zero; head -c 2000000 /dev/zero >&2");
  EXPECT_TRUE(result.succeeded());
  EXPECT_THAT(result.standard_output, SizeIs(3000000));
  EXPECT_THAT(result.standard_error, SizeIs(2000000));
}

TEST(RealSubprocessTest, GivesNoInputAndNoOtherDescriptor) {
  const int leaked = open("/dev/zero", O_RDONLY);
  ASSERT_GE(leaked, 0);
  absl::Cleanup close_leaked = [leaked] { close(leaked); };
  EXPECT_EQ(RunShell("cat").standard_output, "");
  // `ls` itself has the folder open as 3.
  EXPECT_EQ(RunShell("ls /proc/self/fd").standard_output, "0\n1\n2\n3\n");
}

TEST(RealSubprocessTest, LimitsFilesAndCpuTime) {
  const std::string path = absl::StrCat(::testing::TempDir(), "/written");
  absl::Cleanup remove = [path] { unlink(path.c_str()); };
  Command command = Shell(absl::StrCat("echo text > ", path));
  EXPECT_EQ(RealSubprocess().Run(command)->signal, SIGXFSZ);
  command.file_limit = 5;
  EXPECT_TRUE(RealSubprocess().Run(command)->succeeded());
  command = Shell("echo 123456 > " + path);
  command.file_limit = 5;
  EXPECT_EQ(RealSubprocess().Run(command)->signal, SIGXFSZ);

  command = Shell("ulimit -c; ulimit -f; ulimit -t");
  command.time_limit = absl::Seconds(20);
  EXPECT_EQ(
      RealSubprocess().Run(command)->standard_output,
      absl::StrCat("0\n0\n", 20 * sysconf(_SC_NPROCESSORS_ONLN) + 1, "\n"));
  command.time_limit = absl::InfiniteDuration();
  EXPECT_EQ(RealSubprocess().Run(command)->standard_output,
            "0\n0\nunlimited\n");
}

TEST(RealSubprocessTest, WorksWithoutStandardDescriptors) {
  EXPECT_EXIT(
      {
        close(0);
        close(1);
        const CommandResult result = RunShell("echo out; echo err >&2");
        _exit(result.standard_output == "out\n" &&
                      result.standard_error == "err\n"
                  ? 0
                  : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(RealSubprocessTest, RestoresDefaultSignalActions) {
  void (*const previous)(int) = signal(SIGPIPE, SIG_IGN);
  absl::Cleanup restore = [previous] { signal(SIGPIPE, previous); };
  EXPECT_EQ(RunShell("kill -PIPE $$").signal, SIGPIPE);
}

TEST(RealSubprocessTest, RunsOnTheCpuThatWasAsked) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
  int last = -1;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) last = cpu;
  }
  Command command = Shell("grep Cpus_allowed_list /proc/self/status");
  command.cpu = last;
  EXPECT_EQ(RealSubprocess().Run(command)->standard_output,
            absl::StrCat("Cpus_allowed_list:\t", last, "\n"));
  command.cpu = 100000;
  const absl::Status status = RealSubprocess().Run(command).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("CPU 100000"));
  command.cpu = -1;
  EXPECT_TRUE(absl::IsInvalidArgument(RealSubprocess().Run(command).status()));
}

TEST(RealSubprocessTest, ChildDiesWithThisProcess) {
  // The inner process starts a child that would live for a minute, and is
  // killed itself meanwhile.
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t inner = fork();
  ASSERT_GE(inner, 0);
  if (inner == 0) {
    RunShell(absl::StrCat("echo $$ > /proc/", getpid(), "/fd/", pipe_ends[1],
                          "; exec sleep 60"));
    _exit(0);
  }
  char text[32] = {};
  ASSERT_GT(read(pipe_ends[0], text, sizeof(text) - 1), 0);
  int child = 0;
  ASSERT_TRUE(absl::SimpleAtoi(text, &child));
  EXPECT_TRUE(IsAlive(child));
  kill(inner, SIGKILL);
  EXPECT_TRUE(EndsSoon(child));
}

TEST(RealSubprocessTest, SurvivesSignalsWithHandlers) {
  signal(SIGALRM, [](int) {});
  ualarm(5000, 5000);
  const CommandResult result = RunShell("sleep 0.3; echo done");
  ualarm(0, 0);
  EXPECT_EQ(result.standard_output, "done\n");
}

TEST(RealSubprocessTest, WorksFromSeveralThreads) {
  std::vector<std::thread> threads;
  std::vector<std::string> outputs(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([i, &outputs] {
      outputs[i] = RunShell(absl::StrCat("echo ", i)).standard_output;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 8; ++i) EXPECT_EQ(outputs[i], absl::StrCat(i, "\n"));
}

TEST(FakeSubprocessTest, AnswersByArguments) {
  FakeSubprocess fake;
  fake.Add({"/lib/ld.so", "--list-tunables"}, Exited(0, "listing"));
  Command command;
  command.argv = {"/lib/ld.so", "--list-tunables"};
  EXPECT_EQ(fake.Run(command)->standard_output, "listing");
  command.argv = {"/lib/ld.so"};
  EXPECT_TRUE(absl::IsNotFound(fake.Run(command).status()));
  EXPECT_THAT(fake.commands(), SizeIs(2));
  EXPECT_EQ(TimedOut().Describe(), "no answer within 10s");
}

}  // namespace
}  // namespace advisor
