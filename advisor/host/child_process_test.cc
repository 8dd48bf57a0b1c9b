#include "advisor/host/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

// To the end of a child that may be traced; its wait status.
int Follow(ChildProcess& child) {
  while (true) {
    const pid_t pid = child.pid();
    const absl::StatusOr<int> status = child.WaitForChange();
    EXPECT_TRUE(status.ok()) << status.status();
    if (!status.ok() || !WIFSTOPPED(*status)) return status.value_or(-1);
    // The first one is that of the program's start.
    const int signal = WSTOPSIG(*status) == SIGTRAP ? 0 : WSTOPSIG(*status);
    ptrace(PTRACE_CONT, pid, nullptr, signal);
  }
}

// What a shell, traced or not, prints about itself.
std::string Tell(const std::string& script, bool traced) {
  const Descriptor output(memfd_create("output", MFD_CLOEXEC));
  Command command;
  command.argv = {"/bin/sh", "-c", script};
  command.environment = Environment({"PATH=/usr/bin:/bin", "MEANT=yes"});
  command.file_limit = 1 << 16;
  ChildOptions options;
  options.standard_output = output.get();
  options.traced = traced;
  absl::StatusOr<ChildProcess> child = StartProcess(command, options);
  if (absl::IsUnavailable(child.status())) return "not permitted";
  EXPECT_TRUE(child.ok()) << child.status();
  if (!child.ok()) return "";
  const int status = Follow(*child);
  EXPECT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(child->pid(), -1);
  char text[4096];
  const ssize_t length = pread(output.get(), text, sizeof(text), 0);
  return std::string(text, length > 0 ? length : 0);
}

class ChildProcessTest : public testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(All, ChildProcessTest, testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "traced" : "not_traced";
                         });

TEST_P(ChildProcessTest, GetsNothingThatIsNotMeantForIt) {
  const Descriptor leaked(open("/dev/zero", O_RDONLY));
  ASSERT_GE(leaked.get(), 0);
  setenv("PLANTED_SECRET", "1", 1);
  const absl::Cleanup unset = [] { unsetenv("PLANTED_SECRET"); };
  const std::string told = Tell(
      "env | grep -v -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD= | sort; "
      "for n in 0 1 2 3 4 5 6 7 8 9; do"
      "  if test -e /proc/$$/fd/$n; then echo $n; fi; "
      "done; ulimit -c",
      GetParam());
  if (told == "not permitted") GTEST_SKIP() << "tracing is not permitted here";
  EXPECT_EQ(told, "MEANT=yes\nPATH=/usr/bin:/bin\n0\n1\n2\n0\n");
}

TEST_P(ChildProcessTest, IsKilledAndReaped) {
  Command command;
  command.argv = {"/bin/sh", "-c", "trap '' TERM INT; sleep 60"};
  command.environment = Environment({"PATH=/usr/bin:/bin"});
  ChildOptions options;
  options.traced = GetParam();
  pid_t pid;
  {
    const absl::StatusOr<ChildProcess> child = StartProcess(command, options);
    if (absl::IsUnavailable(child.status())) {
      GTEST_SKIP() << "tracing is not permitted here";
    }
    ASSERT_TRUE(child.ok()) << child.status();
    pid = child->pid();
    EXPECT_EQ(kill(pid, 0), 0);
  }
  EXPECT_EQ(waitpid(pid, nullptr, __WALL | WNOHANG), -1);
}

// What stands in this process's place keeps what this process has.
TEST(ChildProcess, InPlaceKeepsDescriptorsGroupAndName) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Descriptor read_end(ends[0]);
  Descriptor write_end(ends[1]);
  Command command;
  command.argv = {"a name", "-c",
                  "exec >&$FD; echo $0; cut -d' ' -f5 /proc/$$/stat"};
  command.environment = Environment(
      {"PATH=/usr/bin:/bin", "FD=" + std::to_string(write_end.get())});
  ChildOptions options;
  options.in_place = true;
  options.path = "/bin/sh";
  absl::StatusOr<ChildProcess> child = StartProcess(command, options);
  ASSERT_TRUE(child.ok()) << child.status();
  write_end.Close();
  const absl::StatusOr<int> status = child->WaitForChange();
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(*status, 0);
  char text[256];
  const ssize_t length = read(read_end.get(), text, sizeof(text));
  ASSERT_GT(length, 0);
  EXPECT_EQ(std::string(text, length),
            "a name\n" + std::to_string(getpgrp()) + "\n");
  options.path = "/none";
  EXPECT_TRUE(absl::IsNotFound(StartProcess(command, options).status()));
}

TEST(ChildProcess, TellsItsEndAndWhatItUsed) {
  Command command;
  command.argv = {"/bin/sh", "-c",
                  "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"};
  absl::StatusOr<ChildProcess> child = StartProcess(command, ChildOptions());
  ASSERT_TRUE(child.ok()) << child.status();
  while (!child->EndsWithin(absl::Seconds(1))) {
  }
  EXPECT_EQ(child->KillAndReap(), 0);
  const struct rusage& usage = child->usage();
  EXPECT_GT(usage.ru_utime.tv_sec * 1000000 + usage.ru_utime.tv_usec +
                usage.ru_stime.tv_usec,
            0);
}

TEST(ChildProcess, AWatchdogKillsWhenTheTimeIsOver) {
  Command command;
  command.argv = {"/bin/sh", "-c", "while :; do :; done"};
  absl::StatusOr<ChildProcess> child = StartProcess(command, ChildOptions());
  ASSERT_TRUE(child.ok()) << child.status();
  EXPECT_FALSE(child->EndsWithin(absl::Milliseconds(1)));
  const Watchdog watchdog(child->pid(), absl::Milliseconds(20));
  const absl::StatusOr<int> status = child->WaitForChange();
  ASSERT_TRUE(status.ok()) << status.status();
  EXPECT_TRUE(watchdog.fired());
  EXPECT_EQ(WTERMSIG(*status), SIGKILL);
}

}  // namespace
}  // namespace advisor
