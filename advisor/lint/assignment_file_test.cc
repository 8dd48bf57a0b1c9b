#include "advisor/lint/assignment_file.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

// "LINE NAME=VALUE" of each, "$" after the line where it expands.
std::string Words(const std::vector<FileAssignment>& assignments) {
  std::string words;
  for (const FileAssignment& assignment : assignments) {
    absl::StrAppend(&words, assignment.line, assignment.expands ? "$ " : " ",
                    assignment.name, "=", assignment.value, "|");
  }
  return words;
}

TEST(PamEnvironment, TakesOnePairOfQuotesAndNoMore) {
  EXPECT_EQ(Words(ParsePamEnvironment("# A=1\n"
                                      "PATH=\"/usr/bin\"\n"
                                      "  export B='x y'\n"
                                      "C=a#b\n"
                                      "not an assignment\n"
                                      "D=\"a\"b\"\n"
                                      "E=\n")),
            "2 PATH=/usr/bin|3 B=x y|4 C=a|6 D=a\"b|7 E=|");
}

// systemd 252's own generator of environment.d takes these lines so (and then
// expands '$').
TEST(SystemdEnvironmentFile, FollowsQuotesAndBackslashes) {
  EXPECT_EQ(Words(ParseSystemdEnvironmentFile("; A=1\n"
                                              "# B=2 \\\n"
                                              "C=still a comment\n"
                                              "D = spaced  \n"
                                              "E=\"a b\"'c d'\n"
                                              "F=\"two\n"
                                              "lines\"\n"
                                              "G=one\\\n"
                                              "two\n"
                                              "H=\"a\\$b\\n\"\n"
                                              "I=$HOME\n"
                                              "1J=no name\n"
                                              "no assignment\n"
                                              "K=a\"b\n"
                                              "L=last")),
            "4 D=spaced|5 E=a bc d|6 F=two\nlines|8 G=onetwo|10 H=a$b\\n|"
            "11$ I=$HOME|14 K=a\"b|15 L=last|");
}

TEST(ShellAssignments, AreWordsOfTheirOwn) {
  const auto find = [](absl::string_view text) {
    return Words(FindShellAssignments(text, "T"));
  };
  EXPECT_EQ(find("export T=a:b\n"), "1 T=a:b|");
  EXPECT_EQ(find("# T=a\n\nT='a b' program\n"), "3 T=a b|");
  EXPECT_EQ(find("XT=a\necho \"T=b\"\n"), "");
  EXPECT_EQ(find("[ -n x ] && export T=\"a\\\"b$T\"; echo\n"), "1$ T=a\"b$T|");
  EXPECT_EQ(find("T=a;T=b"), "1 T=a|1 T=b|");
  EXPECT_EQ(find("T="), "1 T=|");
  // What stands in a value is none; what follows it is.
  EXPECT_EQ(find("T=\\ T=a\nT='x T=b'; T=c"), "1 T= T=a|2 T=x T=b|2 T=c|");
}

}  // namespace
}  // namespace advisor
