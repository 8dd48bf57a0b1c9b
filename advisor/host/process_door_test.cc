#include "advisor/host/process_door.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advisor/host/child_process.h"
#include "advisor/host/environment.h"
#include "advisor/host/file_reader.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

uint64_t AddressOf(const void* pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

TEST(ProcessDoor, ReadsThisProcess) {
  static const char kText[] = "some bytes of this program";
  const RealProcessDoor door;
  const absl::StatusOr<std::string> bytes =
      door.ReadMemory(getpid(), AddressOf(kText), sizeof(kText));
  if (absl::IsPermissionDenied(bytes.status())) {
    GTEST_SKIP() << "needs leave to read its own memory: " << bytes.status();
  }
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(*bytes, std::string(kText, sizeof(kText)));
  EXPECT_TRUE(absl::IsOutOfRange(door.ReadMemory(getpid(), 8, 8).status()));
  const absl::StatusOr<std::string> program = door.Executable(getpid());
  ASSERT_TRUE(program.ok());
  EXPECT_NE(program->find("process_door_test"), std::string::npos);
}

TEST(ProcessDoor, SaysThatThereIsNoSuchProcess) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  ASSERT_GT(child, 0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  const RealProcessDoor door;
  EXPECT_TRUE(absl::IsNotFound(door.Executable(child).status()));
  EXPECT_TRUE(
      absl::IsNotFound(door.ReadMemory(child, AddressOf(&door), 8).status()));
}

Command Shell(const std::string& script) {
  Command command;
  command.argv = {"/bin/sh", "-c", script};
  return command;
}

TEST(ProcessDoor, StopsAtTheExit) {
  const RealProcessDoor door;
  std::string program;
  const absl::Status status =
      door.RunToExit(Shell("exit 3"), [&](int pid) -> absl::Status {
        const absl::StatusOr<std::string> path = door.Executable(pid);
        if (!path.ok()) return path.status();
        program = *path;
        return absl::OkStatus();
      });
  if (absl::IsPermissionDenied(status)) {
    GTEST_SKIP() << "needs leave to trace: " << status;
  }
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_FALSE(program.empty());
}

TEST(ProcessDoor, SaysHowItFailed) {
  const RealProcessDoor door;
  const auto never = [](int) { return absl::OkStatus(); };
  Command none;
  none.argv = {"/none"};
  EXPECT_TRUE(absl::IsNotFound(door.RunToExit(none, never)));
  const absl::Status killed = door.RunToExit(Shell("kill -9 $$"), never);
  if (absl::IsPermissionDenied(killed)) {
    GTEST_SKIP() << "needs leave to trace: " << killed;
  }
  EXPECT_FALSE(killed.ok());
  Command slow = Shell("while :; do :; done");
  slow.time_limit = absl::Milliseconds(100);
  EXPECT_TRUE(absl::IsDeadlineExceeded(door.RunToExit(slow, never)));
  EXPECT_EQ(door.RunToExit(Shell("exit 0"),
                           [](int) { return absl::AbortedError("mine"); }),
            absl::AbortedError("mine"));
}

// The lines of a /proc file of that process.
std::string ReadOf(int pid, absl::string_view name) {
  return RealFileReader()
      .Read(absl::StrCat("/proc/", pid, "/", name))
      .value_or("");
}

TEST(ProcessDoor, GivesTheProgramOnlyWhatIsMeantForIt) {
  const Descriptor leaked(open("/dev/zero", O_RDONLY));
  ASSERT_GE(leaked.get(), 0);
  Command command = Shell("exit 0");
  command.environment = Environment({"MEANT=yes"});
  std::vector<std::string> descriptors, targets;
  std::string environment, limits;
  const absl::Status status =
      RealProcessDoor().RunToExit(command, [&](int pid) {
        const std::string folder = absl::StrCat("/proc/", pid, "/fd");
        descriptors = RealFileReader().List(folder).value_or(descriptors);
        for (const std::string& name : descriptors) {
          targets.push_back(RealFileReader()
                                .Resolve(absl::StrCat(folder, "/", name))
                                .value_or(""));
        }
        environment = ReadOf(pid, "environ");
        limits = ReadOf(pid, "limits");
        return absl::OkStatus();
      });
  if (absl::IsPermissionDenied(status)) {
    GTEST_SKIP() << "needs leave to trace: " << status;
  }
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(descriptors, (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_EQ(targets, std::vector<std::string>(3, "/dev/null"));
  EXPECT_EQ(environment, std::string("MEANT=yes\0", 10));
  for (const char* const line :
       {"Max core file size        0 ", "Max file size             0 "}) {
    EXPECT_TRUE(absl::StrContains(limits, line)) << limits;
  }
  EXPECT_FALSE(absl::StrContains(limits, "Max cpu time              unlimited"))
      << limits;
}

TEST(FakeProcessDoor, AnswersFromItsPieces) {
  FakeProcessDoor door;
  door.AddExecutable(7, "/bin/x");
  door.AddMemory(7, 0x1000, "abcdef");
  EXPECT_EQ(door.Executable(7).value_or("?"), "/bin/x");
  EXPECT_EQ(door.ReadMemory(7, 0x1002, 3).value_or("?"), "cde");
  EXPECT_TRUE(absl::IsOutOfRange(door.ReadMemory(7, 0x1004, 3).status()));
  EXPECT_TRUE(absl::IsNotFound(door.Executable(8).status()));
  door.Refuse(7);
  EXPECT_TRUE(absl::IsPermissionDenied(door.ReadMemory(7, 0x1000, 1).status()));
}

}  // namespace
}  // namespace advisor
