#include "advisor/host/program_timer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "advisor/host/child_process.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

Command Shell(const std::string& script) {
  Command command;
  command.argv = {"/bin/sh", "-c", script};
  return command;
}

TEST(ProgramTimer, TellsHowAProgramEndsAndWhatItTook) {
  const RealProgramTimer timer;
  const absl::StatusOr<TimedRun> run = timer.Run(
      Shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exit 3"));
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->exit_status, 3);
  EXPECT_FALSE(run->signal.has_value());
  EXPECT_GT(run->cpu, absl::ZeroDuration());
  EXPECT_GT(run->wall, absl::ZeroDuration());
  const absl::StatusOr<TimedRun> killed = timer.Run(Shell("kill -9 $$"));
  ASSERT_TRUE(killed.ok());
  EXPECT_EQ(killed->signal, 9);
  EXPECT_FALSE(run->SameEnd(*killed));
}

TEST(ProgramTimer, GivesTheEnvironmentAndNoTerminal) {
  Command command = Shell("[ \"$A\" = b ] && ! read x && echo lost");
  command.environment = Environment({"A=b"});
  const absl::StatusOr<TimedRun> run = RealProgramTimer().Run(command);
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->exit_status, 0);
}

TEST(ProgramTimer, GivesNoDescriptorAndNoCoreFileButFilesToWrite) {
  const Descriptor leaked(open("/dev/zero", O_RDONLY));
  ASSERT_GE(leaked.get(), 0);
  const std::string path = ::testing::TempDir() + "/written";
  Command command = Shell(
      "for n in 3 4 5 6 7 8 9; do test ! -e /proc/$$/fd/$n || exit 1; done; "
      "test \"$(ulimit -c)\" = 0 || exit 2; "
      "echo text >\"$FILE\" || exit 3; test -s \"$FILE\" || exit 4; "
      "test \"$(ulimit -t)\" != unlimited || exit 5");
  command.environment = Environment({"FILE=" + path});
  const absl::StatusOr<TimedRun> run = RealProgramTimer().Run(command);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->exit_status, 0);
  // As `verify` runs it: no limit of time, none of CPU time.
  Command endless = Shell("test \"$(ulimit -t)\" = \"$LIMIT\"");
  endless.time_limit = absl::InfiniteDuration();
  struct rlimit limit;
  ASSERT_EQ(getrlimit(RLIMIT_CPU, &limit), 0);
  if (limit.rlim_cur != RLIM_INFINITY) GTEST_SKIP() << "CPU time is limited";
  endless.environment = Environment({"LIMIT=unlimited"});
  EXPECT_EQ(RealProgramTimer().Run(endless).value_or(TimedRun()).exit_status,
            0);
}

TEST(ProgramTimer, LeavesNothingOfItsGroup) {
  const std::string path = ::testing::TempDir() + "/left";
  Command command = Shell("sleep 100 & echo $! >\"$FILE\"");
  command.environment = Environment({"FILE=" + path, "PATH=/usr/bin:/bin"});
  ASSERT_TRUE(RealProgramTimer().Run(command).ok());
  std::ifstream file(path);
  pid_t left = 0;
  ASSERT_TRUE(file >> left);
  // Gone, or a zombie until its new parent looks.
  for (int i = 0; i < 1000 && kill(left, 0) == 0; ++i) {
    std::ifstream status("/proc/" + std::to_string(left) + "/stat");
    std::string number, name, state;
    status >> number >> name >> state;
    if (state == "Z") return;
    absl::SleepFor(absl::Milliseconds(10));
  }
  EXPECT_NE(kill(left, 0), 0);
}

TEST(ProgramTimer, SaysWhyThereIsNoTime) {
  Command none;
  none.argv = {"/none"};
  EXPECT_TRUE(absl::IsNotFound(RealProgramTimer().Run(none).status()));
  Command slow = Shell("sleep 100");
  slow.time_limit = absl::Milliseconds(50);
  EXPECT_TRUE(absl::IsDeadlineExceeded(RealProgramTimer().Run(slow).status()));
}

}  // namespace
}  // namespace advisor
