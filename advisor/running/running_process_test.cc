#include "advisor/running/running_process.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/process_door.h"
#include "advisor/host/subprocess.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A child that sleeps, under these variables.
class Sleeper {
 public:
  explicit Sleeper(const std::vector<std::string>& environment,
                   std::vector<std::string> argv = {"/bin/sleep", "100"}) {
    std::vector<char*> words, variables;
    for (std::string& word : argv) words.push_back(word.data());
    words.push_back(nullptr);
    for (const std::string& variable : environment) {
      variables.push_back(const_cast<char*>(variable.c_str()));
    }
    variables.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      setpgid(0, 0);
      execve(words[0], words.data(), variables.data());
      _exit(1);
    }
    WaitFor(pid_, "100");
  }
  ~Sleeper() {
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  int pid() const { return pid_; }

  // Until the process runs a program with that argument, and sleeps.
  static void WaitFor(int pid, absl::string_view argument) {
    const RealFileReader files;
    for (int i = 0; i < 2000; ++i) {
      const auto words = files.Read(absl::StrCat("/proc/", pid, "/cmdline"));
      const auto status = files.Read(absl::StrCat("/proc/", pid, "/status"));
      if (words.ok() && status.ok() &&
          words->find(std::string(argument)) != std::string::npos &&
          status->find("State:\tS") != std::string::npos) {
        return;
      }
      usleep(5000);
    }
    ADD_FAILURE() << "process " << pid << " does not sleep";
  }

 private:
  pid_t pid_;
};

class RunningProcessTest : public ::testing::Test {
 protected:
  RunningProcess Inspect(int pid) {
    const RunningDoors doors = {files_, subprocess_, processes_};
    const absl::StatusOr<RunningProcess> process =
        InspectProcess(doors, pid, /*run_its_loader=*/false);
    EXPECT_TRUE(process.ok()) << process.status();
    return process.ok() ? *process : RunningProcess();
  }

  // Why this machine cannot tell; empty where it can.
  static std::string WhyNot(const RunningProcess& process) {
    if (!process.problems.empty()) return process.problems[0];
    for (const RunningValue& value : process.values) {
      if (!value.effective.has_value() && value.name != "x86_data_cache_size") {
        return absl::StrCat(value.name, ": ", value.way);
      }
    }
    return "";
  }

  // The system's loader with `more` behind it, in a folder of that name; empty:
  // there is none.
  std::string CopyLoader(const std::string& name,
                         const std::string& more) const {
    const auto content = files_.Read("/lib64/ld-linux-x86-64.so.2");
    if (!content.ok()) return "";
    const std::string folder = ::testing::TempDir() + "/" + name;
    mkdir(folder.c_str(), 0700);
    const std::string path = folder + "/ld-linux-x86-64.so.2";
    std::ofstream(path, std::ios::binary) << *content << more;
    chmod(path.c_str(), 0700);
    return path;
  }

  static std::map<std::string, RunningValue> ByName(
      const RunningProcess& process) {
    std::map<std::string, RunningValue> values;
    for (const RunningValue& value : process.values) {
      values[value.name] = value;
    }
    return values;
  }

  const RealFileReader files_{};
  const RealSubprocess subprocess_{};
  const RealProcessDoor processes_{};
};

TEST_F(RunningProcessTest, ReadsWhatTheProcessWorksWith) {
  const Sleeper sleeper(
      {"GLIBC_TUNABLES=glibc.cpu.x86_non_temporal_threshold=7340033:"
       "glibc.cpu.x86_rep_movsb_threshold=12345:"
       "glibc.cpu.x86_rep_stosb_threshold=2345:"
       "glibc.cpu.x86_shared_cache_size=0x1234500"});
  const RunningProcess process = Inspect(sleeper.pid());
  if (const std::string why = WhyNot(process); !why.empty()) {
    GTEST_SKIP() << "needs a glibc of 2.33 or later, and leave to trace: "
                 << why;
  }
  EXPECT_THAT(process.program, HasSubstr("sleep"));
  EXPECT_THAT(process.glibc_tunables.value_or(""), HasSubstr("=7340033"));
  EXPECT_EQ(process.secure, false);
  std::map<std::string, RunningValue> values = ByName(process);
  for (const auto& [name, number] :
       std::map<std::string, uint64_t>{{"x86_non_temporal_threshold", 7340033},
                                       {"x86_rep_movsb_threshold", 12345},
                                       {"x86_rep_stosb_threshold", 2345},
                                       {"x86_shared_cache_size", 0x1234500}}) {
    EXPECT_EQ(values[name].effective, number) << name << values[name].way;
    EXPECT_EQ(values[name].listed, number) << name;
    EXPECT_THAT(values[name].way, HasSubstr("libc"));
  }
  // No tunable, but told by the loader's diagnostics.
  EXPECT_EQ(values["rep_movsb_stop_threshold"].effective,
            values["rep_movsb_stop_threshold"].listed);
}

// A process without the variable has the defaults, and so do those of values
// that are refused.
TEST_F(RunningProcessTest, TellsListedFromEffective) {
  const Sleeper plain({"A=b"});
  const Sleeper refused(
      {"GLIBC_TUNABLES=glibc.cpu.x86_non_temporal_threshold=0x4040:"
       "glibc.cpu.x86_rep_movsb_threshold=1"});
  const RunningProcess without = Inspect(plain.pid());
  const RunningProcess with = Inspect(refused.pid());
  if (const std::string why = WhyNot(without); !why.empty()) {
    GTEST_SKIP() << "needs a glibc of 2.33 or later, and leave to trace: "
                 << why;
  }
  EXPECT_FALSE(without.glibc_tunables.has_value());
  for (const auto& [name, value] : ByName(without)) {
    EXPECT_EQ(value.effective, ByName(with)[name].effective) << name;
    EXPECT_NE(value.effective.value_or(1), 0x4040u) << name;
    if (absl::StrContains(name, "cache_size")) continue;  // Rounded.
    EXPECT_EQ(value.effective, value.listed) << name;
  }
}

TEST_F(RunningProcessTest, SaysWhoDroppedIt) {
  // A shell that has it starts a program that has not.
  const Sleeper shell(
      {"GLIBC_TUNABLES=glibc.malloc.arena_max=2", "PATH=/usr/bin:/bin"},
      {"/bin/sh", "-c", "env -i /bin/sleep 100; :"});
  // The shell's child.
  int child = 0;
  for (int i = 0; i < 1000 && child == 0; ++i) {
    const auto text = files_.Read(absl::StrCat("/proc/", shell.pid(), "/task/",
                                               shell.pid(), "/children"));
    if (text.ok()) child = atoi(text->c_str());
    usleep(5000);
  }
  if (child == 0) GTEST_SKIP() << "needs /proc/N/task/N/children";
  Sleeper::WaitFor(child, "/bin/sleep");
  // After `env` has become the other program.
  const RunningProcess process = Inspect(child);
  ASSERT_FALSE(process.ancestors.empty());
  EXPECT_EQ(process.ancestors[0].pid, shell.pid());
  EXPECT_THAT(process.dropped,
              HasSubstr(absl::StrCat("process ", shell.pid(), " (")));
  EXPECT_THAT(process.dropped, HasSubstr("glibc.malloc.arena_max=2"));
  EXPECT_THAT(Inspect(shell.pid()).dropped, IsEmpty());
}

class ForbiddenSubprocess : public Subprocess {
 public:
  absl::StatusOr<CommandResult> Run(const Command& command) const override {
    ADD_FAILURE() << "runs " << command.argv[0];
    return absl::InternalError("forbidden");
  }
};

class ForbiddenDoor : public RealProcessDoor {
 public:
  absl::Status RunToExit(
      const Command& command,
      const std::function<absl::Status(int)>&) const override {
    ADD_FAILURE() << "runs " << command.argv[0];
    return absl::InternalError("forbidden");
  }
};

// Somebody's own loader, outside of any container: as root it would be run with
// root's rights.
TEST_F(RunningProcessTest, NeverRunsALoaderThatIsNotTheSystems) {
  const std::string loader = CopyLoader("own", "changed");
  if (loader.empty()) GTEST_SKIP() << "this machine has no loader of glibc";
  const Sleeper sleeper({}, {loader, "/bin/sleep", "100"});
  const ForbiddenSubprocess subprocess;
  const ForbiddenDoor processes;
  const auto process =
      InspectProcess({files_, subprocess, processes}, sleeper.pid(), false);
  ASSERT_TRUE(process.ok()) << process.status();
  ASSERT_EQ(process->problems.size(), 1u);
  EXPECT_THAT(process->problems[0], HasSubstr("/own/ld-linux-x86-64.so.2, "));
  EXPECT_THAT(process->problems[0], HasSubstr("--run-its-loader"));
}

// The system's own at another path: that of the system is run.
TEST_F(RunningProcessTest, RunsTheSystemsLoaderAtTheSystemsPath) {
  const std::string loader = CopyLoader("same", "");
  if (loader.empty()) GTEST_SKIP() << "this machine has no loader of glibc";
  const Sleeper sleeper({}, {loader, "/bin/sleep", "100"});
  class Door : public RealProcessDoor {
   public:
    absl::Status RunToExit(
        const Command& command,
        const std::function<absl::Status(int)>& at_exit) const override {
      EXPECT_THAT(command.argv[0], Not(HasSubstr("same")));
      return RealProcessDoor::RunToExit(command, at_exit);
    }
  };
  const Door processes;
  const auto process =
      InspectProcess({files_, subprocess_, processes}, sleeper.pid(), false);
  ASSERT_TRUE(process.ok()) << process.status();
  if (const std::string why = WhyNot(*process); !why.empty()) {
    GTEST_SKIP() << "needs a glibc of 2.33 or later, and leave to trace: "
                 << why;
  }
  EXPECT_FALSE(process->values.empty());
}

TEST(RunningProcess, SaysWhyNothingCanBeRead) {
  FakeFileReader files;
  FakeProcessDoor processes;
  const RealSubprocess subprocess;
  const RunningDoors doors = {files, subprocess, processes};
  EXPECT_TRUE(absl::IsNotFound(InspectProcess(doors, 7, false).status()));
  processes.AddExecutable(7, "/bin/static");
  files.Add("/proc/7/environ", "A=b");
  files.Add("/proc/7/maps",
            "400000-401000 r-xp 00000000 fe:00 1 /bin/static\n");
  files.Add("/proc/7/status", "Name:\tstatic\nPPid:\t0\n");
  const absl::StatusOr<RunningProcess> process =
      InspectProcess(doors, 7, false);
  ASSERT_TRUE(process.ok()) << process.status();
  EXPECT_THAT(process->problems[0], HasSubstr("has no libc.so.6"));
  EXPECT_THAT(process->ancestors, IsEmpty());
  EXPECT_THAT(process->values, IsEmpty());
}

}  // namespace
}  // namespace advisor
