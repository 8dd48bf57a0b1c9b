#include "advisor/command_table.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "advisor/command_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::HasSubstr;

TEST(CommandTableTest, IsSortedAndComplete) {
  std::vector<std::string> names;
  for (const CommandRow* command : AllCommands()) {
    const std::string name(command->name);
    names.push_back(name);
    EXPECT_TRUE(std::all_of(name.begin(), name.end(), absl::ascii_islower));
    EXPECT_FALSE(command->summary.empty()) << name;
    EXPECT_FALSE(absl::ascii_isupper(command->summary[0])) << name;
    EXPECT_NE(command->summary.back(), '.') << name;
    EXPECT_TRUE(absl::EndsWith(
        absl::StripTrailingAsciiWhitespace(command->description), "."))
        << name;
    EXPECT_LE(command->min_arguments, command->max_arguments) << name;
    EXPECT_EQ(command->arguments.empty(), command->max_arguments == 0) << name;
    EXPECT_NE(command->run, nullptr) << name;
  }
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
}

TEST(CommandTableTest, FlagsAreSortedAndComplete) {
  for (const CommandRow* command : AllCommands()) {
    absl::string_view previous;
    for (const FlagRow& flag : command->flags) {
      EXPECT_LT(previous, flag.name) << command->name;
      EXPECT_NE(flag.name, "help") << command->name;
      EXPECT_NE(flag.description.back(), '.')
          << command->name << " " << flag.name;
      previous = flag.name;
    }
  }
}

TEST(CommandTableTest, HelpFitsEightyColumns) {
  const CommandTestMachine machine;
  std::string all = machine.Run({"help"}, AllCommands()).out;
  for (const CommandRow* command : AllCommands()) {
    EXPECT_THAT(all, HasSubstr(absl::StrCat("\n  ", command->name, " ")));
  }
  for (const CommandRow* command : AllCommands()) {
    const CommandAnswer answer =
        machine.Run({"help", std::string(command->name)}, AllCommands());
    EXPECT_EQ(answer.exit_status, 0);
    absl::StrAppend(&all, answer.out);
  }
  for (const absl::string_view line : absl::StrSplit(all, '\n')) {
    EXPECT_LE(line.size(), 80u) << line;
  }
}

TEST(CommandTableTest, VersionIsOneLine) {
  const CommandTestMachine machine;
  const CommandAnswer answer = machine.Run({"version"}, AllCommands());
  EXPECT_EQ(answer.exit_status, 0);
  EXPECT_THAT(answer.out, ::testing::MatchesRegex("advisor [0-9.]+\n"));
  EXPECT_EQ(machine.Run({"--version"}, AllCommands()).out, answer.out);
}

}  // namespace
}  // namespace advisor
