#include "advisor/host/program_timer.h"

#include <string>

#include "absl/status/status.h"
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
