#include "advisor/host/interrupt.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <thread>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "advisor/host/subprocess.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

// Each case runs in a process of its own: what a signal leaves is not undone.

TEST(InterruptDeathTest, FirstSignalIsRemembered) {
  EXPECT_EXIT(
      {
        InstallInterruptHandler();
        if (Interrupted().has_value()) _exit(1);
        raise(SIGTERM);
        _exit(ExitStatusOfSignal(Interrupted().value_or(0)));
      },
      ::testing::ExitedWithCode(128 + SIGTERM), "");
}

TEST(InterruptDeathTest, SecondSignalEnds) {
  EXPECT_EXIT(
      {
        InstallInterruptHandler();
        raise(SIGINT);
        raise(SIGINT);
        _exit(0);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

TEST(InterruptDeathTest, IgnoredSignalStaysIgnored) {
  EXPECT_EXIT(
      {
        signal(SIGHUP, SIG_IGN);
        InstallInterruptHandler();
        raise(SIGHUP);
        raise(SIGHUP);
        _exit(Interrupted().has_value() ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}

// The child ignores the signal itself, and its own child too.
void RunAndInterrupt() {
  InstallInterruptHandler();
  std::thread interrupter([] {
    absl::SleepFor(absl::Milliseconds(200));
    kill(getpid(), SIGINT);
  });
  Command command;
  command.argv = {"/bin/sh", "-c", "trap '' INT TERM; sleep 60 & sleep 60"};
  command.environment = Environment::OfThisProcess();
  command.time_limit = absl::Seconds(50);
  const absl::StatusOr<CommandResult> result = RealSubprocess().Run(command);
  interrupter.join();
  if (!absl::IsCancelled(result.status())) _exit(1);
  _exit(ExitStatusOfSignal(Interrupted().value_or(0)));
}

TEST(InterruptDeathTest, RunningCommandIsCancelled) {
  const absl::Time start = absl::Now();
  EXPECT_EXIT(RunAndInterrupt(), ::testing::ExitedWithCode(128 + SIGINT), "");
  EXPECT_LT(absl::Now() - start, absl::Seconds(40));
}

}  // namespace
}  // namespace advisor
