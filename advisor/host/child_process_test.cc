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

}  // namespace
}  // namespace advisor
