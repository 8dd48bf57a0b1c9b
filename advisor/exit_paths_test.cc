// How the program ends, for every command: its exit status, and on standard
// error exactly one clear line where something is wrong.
//
// What all commands have in common is derived from their tables; kBaseWords,
// kEnds and kRows hold what is to be added for a new one. In their words, @NAME
// stands for a file that Files makes.

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "advisor/command_table.h"
#include "advisor/host/child_process.h"
#include "advisor/host/environment.h"
#include "advisor/host/exit_testing.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/subprocess.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

constexpr char kProgram[] = "advisor/advisor";
constexpr char kDump[] = "testdata/cpuid/field/seed_guest_htt0.txt";

// A command, words with which it answers soon, and what --cpuid needs besides.
struct BaseWords {
  const char* command;
  const char* words;
};
constexpr BaseWords kBaseWords[] = {
    {"compare", "@dump @dump"},
    {"help", ""},
    {"inspect", "--cpuid=@dump"},
    {"lint", "glibc.cpu.x86_non_temporal_threshold=0x100000 --glibc=2.36"},
    {"mask", "--for=no-avx512 --cpuid=@dump --glibc=2.36"},
    {"merge", "@results"},
    {"predict", "--cpuid=@dump --glibc=2.36"},
    {"recommend", "--cpuid=@dump --glibc=2.36"},
    // No loader takes that name: nothing is measured.
    {"verify", "glibc.cpu.no_such_tunable=1"},
    {"version", ""},
};

// The exit statuses of a command, but for 4 and those of signals, which all
// have, and 3 for a measurement that broke off (command_recommend_test). Each
// stands in a row below.
struct Ends {
  const char* command;
  std::set<int> statuses;
};
const Ends kEnds[] = {
    {"compare", {0, 2}},       {"help", {0, 2}},      {"inspect", {0, 2}},
    {"lint", {0, 1, 2}},       {"mask", {0, 1, 2}},   {"merge", {0, 2}},
    {"predict", {0, 1, 2, 3}}, {"recommend", {0, 2}}, {"verify", {0, 1, 2, 3}},
    {"version", {0, 2}},
};

struct Row {
  const char* words;
  int exit_status;
  // Stands in the line on standard error; "": there is no line.
  const char* error;
};
constexpr Row kRows[] = {
    {"hepl", 2, "help"},
    {"no-such-command", 2, "no-such-command"},
    {"--hepl", 2, "hepl"},
    {"version", 0, ""},
    {"version now", 2, "unexpected argument"},
    {"help", 0, ""},
    {"help verify", 0, ""},
    {"help no-such-command", 2, "no-such-command"},
    {"compare", 2, "missing argument"},
    {"compare @dump", 2, "missing argument"},
    {"compare @dump @none", 2, "@none"},
    {"compare @folder @dump", 2, "@folder"},
    {"compare @dump @garbage", 2, "@garbage"},
    {"compare @empty @dump", 2, "@empty"},
    {"compare @dump @unreadable", 2, "@unreadable"},
    {"compare @dump @dump", 0, ""},
    {"inspect --cpuid=@dump", 0, ""},
    {"inspect --glibc=2.99", 2, "2.42"},
    {"inspect --pid=-wrong-", 2, "-wrong-"},
    {"inspect --pid=0", 2, "process number"},
    {"inspect --pid=999999999", 2, "999999999"},
    {"inspect --pid=@pid --glibc=2.36", 2, "excludes"},
    {"inspect --pid=@pid", 0, ""},
    {"inspect --run-its-loader", 2, "--pid"},
    {"lint glibc.cpu.x86_non_temporal_threshold=1 --glibc=2.99", 2, "2.42"},
    {"lint glibc.cpu.x86_non_temporal_treshold=1 --glibc=2.36", 1, ""},
    {"lint glibc.malloc.arena_max=1 --glibc=2.36", 0, ""},
    {"lint --pid=@pid --unit=@unit", 2, "exclude each other"},
    {"lint --pid=-wrong-", 2, "-wrong-"},
    {"lint --pid=999999999", 2, "999999999"},
    {"lint --pid=@pid --glibc=2.36", 0, ""},
    {"lint --unit=@none", 2, "@none"},
    {"lint --unit=@folder", 2, "@folder"},
    {"lint --unit=no-such-unit", 2, "no-such-unit"},
    {"lint --unit=@unit --glibc=2.36", 1, ""},
    {"lint --image-root=@none", 2, "@none"},
    {"lint --image-root=@folder", 2, "@folder"},
    {"lint --image-root=@folder --glibc=2.36", 0, ""},
    {"mask", 2, "--for"},
    {"mask --for=speed", 2, "no-avx512"},
    {"mask --for=pool --cpuid=@dump --glibc=2.36", 2, "at least 2 machines"},
    {"mask --for=no-avx --cpuid=@dump --glibc=2.36", 0, ""},
    // Compiled for x86-64-v3: no mask takes AVX out of it.
    {"mask --for=no-avx --cpuid=@dump --glibc=2.39-37.el10", 1, ""},
    {"merge", 2, "missing argument"},
    {"merge @none", 2, "@none"},
    {"merge @folder", 2, "@folder"},
    {"merge @empty", 2, "found none"},
    {"merge @unreadable", 2, "@unreadable"},
    {"merge @off", 2, "@off"},
    {"merge @results", 0, ""},
    {"predict --cpuid=@dump --glibc=2.25", 2, "2.26"},
    {"predict --cpuid=@dump --glibc=@none", 2, ""},
    {"predict --cpuid=@dump --glibc=@garbage", 2, "@garbage"},
    {"predict --cpuid=@dump --glibc=@folder", 2, "@folder"},
    {"predict @none", 2, "@none"},
    {"predict @archive", 2, "@archive"},
    {"predict @pipes", 2, "is not a regular file"},
    {"predict --recursive @loops", 0, ""},
    {"predict --cpuid=@qemu --glibc=2.36 --check", 0, ""},
    {"predict --cpuid=@dump --glibc=2.28 --check", 1, ""},
    {"predict --cpuid=@dump --glibc=@loader --glibc_tunables=fail", 2,
     "exit status 3"},
    {"predict --cpuid=@dump --glibc=@loader --glibc_tunables=crash", 0, ""},
    {"predict --cpuid=@dump --glibc=@loader --glibc_tunables=crash --check", 1,
     ""},
    {"predict --cpuid=@dump --glibc=@loader --glibc_tunables=spin --check", 1,
     ""},
    // It tells too little for all of the questions.
    {"predict --cpuid=@lscpu --glibc=2.36 --check", 3, ""},
    {"recommend --cpuid=@dump --glibc=2.36 --measure=quick", 2, "--measure"},
    {"recommend --source=none", 2, "source"},
    {"recommend --cpuid=@dump --glibc=2.36", 0, ""},
    {"recommend --cpuid=@dump --glibc=2.36 --workload=compiler", 2,
     "--workload"},
    {"recommend --workload=no-such", 2, "compiler, "},
    {"recommend --workload=@none", 2, "@none"},
    {"recommend --workload=@folder", 2, "@folder"},
    {"recommend --workload=@garbage", 2, "@garbage"},
    {"recommend --workload=@empty", 2, "@empty"},
    {"recommend --workload=@unreadable", 2, "@unreadable"},
    {"recommend @dump", 2, "--glibc"},
    {"recommend @none --glibc=2.36", 2, "@none"},
    {"recommend @folder --glibc=2.36", 2, "no file"},
    {"recommend @dump --glibc=2.36 --workload=no-such", 2, "--workload"},
    {"recommend @dump --glibc=2.36 --scope=system", 2, "--scope"},
    {"recommend @dump --glibc=2.36 --seed=1", 2, "--seed"},
    {"recommend @dump --glibc=2.36 --source=libc", 2, "--source"},
    {"verify", 2, "GLIBC_TUNABLES"},
    {"verify glibc.no_such_name=1", 1, ""},
    // Nothing that is measured.
    {"verify glibc.malloc.arena_max=1", 0, ""},
    {"verify a=1 b=1", 2, "one STRING"},
    {"verify glibc.malloc.arena_max=1 --runs=30", 2, "PROGRAM"},
    {"verify glibc.malloc.arena_max=1 -- @none", 2, "@none"},
    {"verify glibc.malloc.arena_max=1 -- @garbage", 2, "@garbage"},
    {"verify glibc.malloc.arena_max=1 -- no-such-program", 2, "PATH"},
    {"verify glibc.malloc.arena_max=1 -- @fails_with_it", 1, ""},
    // Less than the rounds that an interval needs.
    {"verify glibc.malloc.arena_max=1 --budget=0.1 -- @slow", 3, ""},
};

// Files that are good, or wrong in one way each.
class Files {
 public:
  Files() {
    Make("empty", "");
    Make("garbage", std::string("\x7f\x80\0\xff\x1b[31m\n\n\r\x01", 13));
    Make("archive.tar.gz", "\x1f\x8b\x08 no gzip");
    paths_["archive"] = paths_["archive.tar.gz"];
    paths_["dump"] = kDump;
    paths_["loader"] = "advisor/glibc/replay_fake_loader";
    paths_["lscpu"] = "testdata/inputs/lscpu/emerald_rapids_guest.lscpu.txt";
    paths_["qemu"] =
        "testdata/cpuid/amd_06-06-03_qemu-virtual-version-2-0-0_qemu-tcg_"
        "qemu72-tcg-qemu64-pc-2.0.txt";
    // Of this test, where a path stands for others.
    paths_["pid"] = absl::StrCat(getpid());
    Make("unit",
         "[Service]\n"
         "Environment=GLIBC_TUNABLES=glibc.cpu.x86_non_temporal_treshold=1\n");
    MakeScript("fails_with_it", "test -z \"$GLIBC_TUNABLES\"");
    MakeScript("slow", "sleep 0.2");
    MakeScript("tells",
               "{ echo $OWN; for n in 0 1 2 3 4 5 6 7 8 9; do"
               "    if test -e /proc/$$/fd/$n; then echo $n; fi; done;"
               "  ulimit -c; pwd; } >\"$TOLD.$$\"; mv \"$TOLD.$$\" \"$TOLD\";"
               "sleep 0.2");
    Make("off", "{\"schema_version\":1,\"measure\":\"off\"}\n");
    paths_["results"] = "testdata/golden/recommend/everything.jsonl";
    paths_["folder"] = absl::StrCat(::testing::TempDir(), "/folder");
    mkdir(paths_["folder"].c_str(), 0700);
    paths_["none"] = "/no/such/file";
    paths_["missing_archive"] = "/no/such/file.tar.gz";
    // Can be opened; the first page of the address space cannot be read.
    paths_["unreadable"] = "/proc/self/mem";
    paths_["pipe"] = absl::StrCat(::testing::TempDir(), "/pipe");
    mkfifo(paths_["pipe"].c_str(), 0600);
    // A folder with a pipe in it, and one whose links lead back to it.
    for (const char* const name : {"pipes", "loops"}) {
      paths_[name] = absl::StrCat(::testing::TempDir(), "/", name);
      mkdir(paths_[name].c_str(), 0700);
    }
    mkfifo((paths_["pipes"] + "/pipe").c_str(), 0600);
    for (const char* const link : {"/a", "/b"}) {
      if (symlink(".", (paths_["loops"] + link).c_str()) != 0) {
        EXPECT_EQ(errno, EEXIST);
      }
    }
    std::ofstream(paths_["loops"] + "/dump") << std::ifstream(kDump).rdbuf();
  }

  std::string Path(const std::string& name) const { return paths_.at(name); }

  // The words of `text`, with paths for names.
  std::vector<std::string> Words(absl::string_view text) const {
    std::vector<std::string> words;
    for (const absl::string_view word :
         absl::StrSplit(text, ' ', absl::SkipEmpty())) {
      const size_t at = word.find('@');
      words.push_back(
          at == absl::string_view::npos
              ? std::string(word)
              : absl::StrCat(word.substr(0, at),
                             Path(std::string(word.substr(at + 1)))));
    }
    return words;
  }

 private:
  void Make(const std::string& name, const std::string& content) {
    paths_[name] = absl::StrCat(::testing::TempDir(), "/", name);
    std::ofstream(paths_[name], std::ios::binary) << content;
  }

  void MakeScript(const std::string& name, const std::string& script) {
    Make(name, absl::StrCat("#!/bin/sh\n", script, "\n"));
    chmod(paths_[name].c_str(), 0700);
  }

  std::map<std::string, std::string> paths_;
};

class ExitPathsTest : public testing::Test {
 protected:
  static Command CommandOf(std::vector<std::string> words) {
    Command command;
    words.insert(words.begin(), kProgram);
    command.argv = std::move(words);
    command.environment = Environment::OfThisProcess().ForChild();
    command.time_limit = absl::Minutes(2);
    // Of it and of its children.
    command.file_limit = 64 << 20;
    return command;
  }

  CommandResult RunWords(const std::string& words) const {
    const absl::StatusOr<CommandResult> result =
        RealSubprocess().Run(CommandOf(files_.Words(words)));
    EXPECT_TRUE(result.ok()) << result.status();
    return result.value_or(CommandResult());
  }

  void ExpectError(const std::string& words, absl::string_view needle) const {
    const CommandResult result = RunWords(words);
    EXPECT_EQ(result.exit_status, 2) << words << ": " << result.Describe();
    EXPECT_EQ(result.standard_output, "") << words;
    ExpectOneLine(result, "advisor", words, needle);
  }

  static std::string Base(absl::string_view command) {
    for (const BaseWords& row : kBaseWords) {
      if (row.command == command) return absl::StrCat(command, " ", row.words);
    }
    ADD_FAILURE() << command << ": needs a row of kBaseWords";
    return std::string(command);
  }

  Files files_;
};

TEST_F(ExitPathsTest, Rows) {
  for (const Row& row : kRows) {
    const std::string words = row.words;
    const CommandResult result = RunWords(words);
    EXPECT_EQ(result.exit_status, row.exit_status)
        << words << ": " << result.Describe() << result.standard_error;
    if (row.exit_status != 2) {
      EXPECT_NE(result.standard_output, "") << words;
      EXPECT_EQ(result.standard_error, "") << words;
    } else {
      EXPECT_EQ(result.standard_output, "") << words;
      std::string needle = row.error;
      if (needle[0] == '@') needle = files_.Path(needle.substr(1));
      ExpectOneLine(result, "advisor", words, needle);
    }
  }
}

TEST_F(ExitPathsTest, EachStatusOfEachCommandHasARow) {
  std::map<std::string, std::set<int>> in_rows;
  for (const Row& row : kRows) {
    const std::string words = row.words;
    in_rows[words.substr(0, words.find(' '))].insert(row.exit_status);
  }
  std::set<absl::string_view> commands;
  for (const Ends& ends : kEnds) {
    EXPECT_EQ(in_rows[ends.command], ends.statuses) << ends.command;
    commands.insert(ends.command);
  }
  for (const CommandRow* const command : AllCommands()) {
    EXPECT_EQ(commands.count(command->name), 1)
        << command->name << ": needs a row of kEnds";
  }
}

TEST_F(ExitPathsTest, EveryCommandAnswersAndHelps) {
  for (const CommandRow* const command : AllCommands()) {
    for (const std::string& words :
         {Base(command->name), absl::StrCat(command->name, " --help"),
          absl::StrCat("help ", command->name)}) {
      const CommandResult result = RunWords(words);
      EXPECT_TRUE(result.exit_status == 0 || result.exit_status == 1)
          << words << ": " << result.Describe() << result.standard_error;
      EXPECT_NE(result.standard_output, "") << words;
      EXPECT_EQ(result.standard_error, "") << words;
    }
  }
}

TEST_F(ExitPathsTest, EveryCommandRefusesWrongWords) {
  for (const CommandRow* const command : AllCommands()) {
    const std::string base = Base(command->name);
    ExpectError(absl::StrCat(base, " --no-such-flag"), "no-such-flag");
    if (command->max_arguments != kAnyNumber) {
      std::string words(command->name);
      for (size_t i = 0; i <= command->max_arguments; ++i) words += " word";
      ExpectError(words, "unexpected argument");
    }
    for (const FlagRow& flag : command->flags) {
      const std::string name = absl::StrCat(" --", flag.name);
      ExpectError(absl::StrCat(base, name, "x"), flag.name);
      if (flag.value.empty()) {
        ExpectError(absl::StrCat(base, name, "=value"), flag.name);
        continue;
      }
      ExpectError(absl::StrCat(command->name, name), flag.name);
      ExpectError(absl::StrCat(command->name, name, "="), flag.name);
      if (!flag.repeated)
        ExpectError(absl::StrCat(command->name, name, "=a", name, "=b"),
                    flag.name);
      const bool is_checked = !Choices(flag).empty() ||
                              flag.value == "NUMBER" || flag.value == "N" ||
                              flag.value == "SECONDS" || flag.value == "BUILD";
      // That of a process has its rows: it excludes the words of the base.
      if (is_checked && !absl::StrContains(base, name) && flag.name != "pid") {
        ExpectError(absl::StrCat(base, name, "=-wrong-"), "-wrong-");
      }
    }
  }
}

TEST_F(ExitPathsTest, EveryCommandRefusesWrongDumps) {
  for (const CommandRow* const command : AllCommands()) {
    const std::string base = Base(command->name);
    const bool takes_dump = absl::c_any_of(
        command->flags,
        [](const FlagRow& flag) { return flag.name == "cpuid"; });
    if (!takes_dump) continue;
    for (const char* const name :
         {"empty", "garbage", "folder", "none", "unreadable"}) {
      const std::string words =
          absl::StrContains(base, "--cpuid=@dump")
              ? absl::StrReplaceAll(base, {{"@dump", absl::StrCat("@", name)}})
              : absl::StrCat(base, " --cpuid=@", name);
      ExpectError(words, files_.Path(name));
    }
  }
}

// Of several files, each that is left out has a line before the last one.
TEST_F(ExitPathsTest, NoFileOfSeveralIsGood) {
  for (const auto& [words, end] :
       {std::make_pair("predict @archive @archive",
                       "advisor: none of the files could be predicted for"),
        std::make_pair("predict @none @archive --format=json",
                       "advisor: none of the files could be predicted for"),
        std::make_pair("predict @none @archive --format=csv",
                       "advisor: none of the files could be predicted for"),
        std::make_pair("recommend @none @archive --glibc=2.36",
                       "advisor: none of the files tells of a machine")}) {
    const CommandResult result = RunWords(words);
    EXPECT_EQ(result.exit_status, 2) << result.Describe();
    EXPECT_EQ(result.standard_output, "");
    const std::vector<std::string> lines =
        absl::StrSplit(result.standard_error, '\n');
    ASSERT_EQ(lines.size(), 4) << result.standard_error;
    EXPECT_TRUE(absl::StrContains(lines[1], files_.Path("archive")))
        << lines[1];
    EXPECT_EQ(lines[2], end);
  }
}

// What is good beside it is told, also where it comes after.
TEST_F(ExitPathsTest, AFileOfSeveralIsNotGood) {
  for (const char* const words :
       {"predict @dump @missing_archive @dump --format=csv",
        "predict @dump @none @dump --format=csv",
        "recommend @dump @missing_archive @dump --glibc=2.36"}) {
    const CommandResult result = RunWords(words);
    EXPECT_EQ(result.exit_status, 0) << words << result.Describe();
    const std::vector<std::string> lines =
        absl::StrSplit(result.standard_error, '\n');
    ASSERT_EQ(lines.size(), 3) << words << result.standard_error;
    EXPECT_TRUE(absl::StrContains(lines[0], "/no/such/")) << lines[0];
    EXPECT_EQ(lines[1], "advisor: 2 machines, 1 file left out");
    if (!absl::StrContains(words, "csv")) continue;
    EXPECT_EQ(absl::c_count(result.standard_output, '\n'), 1 + 2 * 34);
  }
}

// Bytes that are no text do not keep a JSON answer from being one.
TEST_F(ExitPathsTest, JsonOfAStringThatIsNoText) {
  for (const CommandRow* const command : AllCommands()) {
    const auto has = [&](absl::string_view name) {
      return absl::c_any_of(command->flags, [&](const FlagRow& flag) {
        return flag.name == name;
      });
    };
    if (!has("format") || !has("glibc_tunables")) continue;
    const std::string words = absl::StrCat(
        Base(command->name), " --format=json --glibc_tunables=a=\xff");
    const CommandResult result = RunWords(words);
    EXPECT_TRUE(result.exit_status == 0 || result.exit_status == 1)
        << words << ": " << result.Describe() << result.standard_error;
    EXPECT_EQ(result.standard_error, "") << words;
  }
}

// The same with the lines of results; what is good is merged.
TEST_F(ExitPathsTest, LinesThatAreNoResults) {
  const CommandResult none = RunWords("merge @off @off");
  EXPECT_EQ(none.exit_status, 2) << none.Describe();
  EXPECT_EQ(none.standard_output, "");
  EXPECT_EQ(absl::c_count(none.standard_error, '\n'), 3);
  EXPECT_TRUE(
      absl::EndsWith(none.standard_error,
                     "advisor: none of the lines is a measured result\n"));
  const CommandResult some = RunWords("merge @off @results");
  EXPECT_EQ(some.exit_status, 0) << some.Describe();
  EXPECT_NE(some.standard_output, "");
  const std::vector<std::string> lines =
      absl::StrSplit(some.standard_error, '\n');
  ASSERT_EQ(lines.size(), 3) << some.standard_error;
  EXPECT_TRUE(absl::StrContains(lines[0], files_.Path("off"))) << lines[0];
  EXPECT_EQ(lines[1], "advisor: 1 result, 1 line left out");
}

// What a user's program is given is what `help verify` says.
TEST_F(ExitPathsTest, WhatAProgramToVerifyIsGiven) {
  const Descriptor leaked(open("/dev/zero", O_RDONLY));
  ASSERT_GE(leaked.get(), 0);
  Command command = CommandOf(
      files_.Words("verify glibc.malloc.arena_max=1 --budget=0.1 -- @tells"));
  const std::string told = absl::StrCat(::testing::TempDir(), "/told");
  command.environment =
      command.environment.With("TOLD", told).With("OWN", "kept");
  command.file_limit = 1 << 16;
  const absl::StatusOr<CommandResult> result = RealSubprocess().Run(command);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->exit_status, 3) << result->standard_error;
  EXPECT_EQ(RealFileReader().Read(told).value_or(""),
            absl::StrCat("kept\n0\n1\n2\n0\n",
                         std::filesystem::current_path().string(), "\n"));
}

TEST_F(ExitPathsTest, AFileWithoutPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read every file";
  const std::string path = absl::StrCat(::testing::TempDir(), "/locked");
  std::ofstream(path) << "text";
  ASSERT_EQ(chmod(path.c_str(), 0), 0);
  ExpectError(absl::StrCat("predict --glibc=2.36 --cpuid=", path), path);
}

TEST_F(ExitPathsTest, EveryCommandTellsThatItCannotWrite) {
  const Descriptor full(open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_GE(full.get(), 0);
  for (const CommandRow* const command : AllCommands()) {
    const std::string words = Base(command->name);
    const CommandResult result =
        RunInto(CommandOf(files_.Words(words)), full.get());
    EXPECT_EQ(result.exit_status, 4) << words << ": " << result.Describe();
    ExpectOneLine(result, "advisor", words, "standard output");
  }
}

// As every program in `advisor | head`: it ends without a word.
TEST_F(ExitPathsTest, NobodyReadsTheAnswer) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  close(ends[0]);
  const Descriptor write_end(ends[1]);
  for (const CommandRow* const command : AllCommands()) {
    const std::string words = Base(command->name);
    const CommandResult result =
        RunInto(CommandOf(files_.Words(words)), write_end.get());
    EXPECT_EQ(result.signal, SIGPIPE) << words << ": " << result.Describe();
    EXPECT_EQ(result.standard_error, "") << words;
  }
}

TEST_F(ExitPathsTest, ASignalEndsItWithOneLine) {
  // Somebody has it open for writing, and writes nothing.
  const Descriptor writer(open(files_.Path("pipe").c_str(), O_RDWR));
  ASSERT_GE(writer.get(), 0);
  std::vector<std::string> lines = {"predict --glibc=2.36 -",
                                    "predict --glibc=2.36 @pipe",
                                    "compare @pipe @dump"};
  for (const CommandRow* const command : AllCommands()) {
    for (const FlagRow& flag : command->flags) {
      if (flag.name != "cpuid") continue;
      const std::string base = Base(command->name);
      lines.push_back(absl::StrContains(base, "--cpuid=@dump")
                          ? absl::StrReplaceAll(base, {{"@dump", "@pipe"}})
                          : absl::StrCat(base, " --cpuid=@pipe"));
    }
  }
  for (const std::string& words : lines) {
    for (const int signal : {SIGINT, SIGTERM}) {
      const CommandResult result = RunAndSignal(CommandOf(files_.Words(words)),
                                                signal, /*has_child=*/false);
      EXPECT_EQ(result.exit_status, 128 + signal)
          << words << ": " << result.Describe();
      EXPECT_EQ(result.standard_output, "") << words;
      EXPECT_EQ(result.standard_error, "advisor: interrupted\n") << words;
    }
  }
}

TEST_F(ExitPathsTest, ASignalEndsAMeasurementWithOneLine) {
  const std::string children =
      absl::StrCat("/proc/self/task/", getpid(), "/children");
  if (!RealFileReader().Read(children).ok()) {
    GTEST_SKIP() << "the kernel does not list children";
  }
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const CommandResult result =
        RunAndSignal(CommandOf({"recommend", "--measure=full"}), signal,
                     /*has_child=*/true);
    EXPECT_EQ(result.exit_status, 128 + signal) << result.Describe();
    EXPECT_EQ(result.standard_output, "");
    EXPECT_EQ(result.standard_error, "advisor: interrupted\n");
  }
}

}  // namespace
}  // namespace advisor
