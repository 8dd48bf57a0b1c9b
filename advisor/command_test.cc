#include "advisor/command.h"

#include <cerrno>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "advisor/command_help.h"
#include "advisor/command_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// What the commands below were last called with.
std::string last_call;

absl::StatusOr<ExitStatus> Recommend(const CommandContext& context,
                                     const Flags& flags) {
  last_call = absl::StrCat("recommend ", flags.Get("measure").value_or("-"));
  context.out << "answer\n";
  return ExitStatus::kAnswered;
}

absl::StatusOr<ExitStatus> Fail(const CommandContext&, const Flags& flags) {
  const std::string kind = flags.arguments()[0];
  if (kind == "finding") return ExitStatus::kFinding;
  if (kind == "inconclusive") return ExitStatus::kInconclusive;
  if (kind == "missing") return absl::NotFoundError("x: No such file");
  if (kind == "weird") return absl::NotFoundError("a\nb\x1b[31m\t\xc3\xa9");
  if (kind == "busy") return absl::UnavailableError("no quiet time");
  if (kind == "throw") throw std::runtime_error("thrown");
  return absl::InternalError("no such state");
}

constexpr FlagRow kRecommendFlags[] = {
    {"cpuid", "FILE", "a dump"},
    {"measure", "off|quick|full",
     "how long to measure, in quite a lot of words that go on beyond the end "
     "of "
     "the line; quick by default"},
};

constexpr CommandRow kFail = {"fail", "fails",  "KIND", 1,
                              1,      "Fails.", {},     &Fail};
constexpr CommandRow kRecommend = {
    "recommend", "says what to set", "",        0, 0,
    "Says it.",  kRecommendFlags,    &Recommend};

constexpr const CommandRow* kTable[] = {&kFail, &kHelpCommand, &kRecommend};

CommandAnswer RunWords(const std::vector<std::string>& words) {
  last_call.clear();
  return CommandTestMachine().Run(words, kTable);
}

TEST(CommandLineTest, RunsTheNamedOrTheDefaultCommand) {
  EXPECT_EQ(RunWords({"recommend", "--measure=full"}).exit_status, 0);
  EXPECT_EQ(last_call, "recommend full");
  const CommandAnswer answer = RunWords({});
  EXPECT_EQ(answer.exit_status, 0);
  EXPECT_EQ(answer.out, "answer\n");
  EXPECT_THAT(answer.err, IsEmpty());
  EXPECT_EQ(last_call, "recommend -");
  RunWords({"--measure=off"});
  EXPECT_EQ(last_call, "recommend off");
}

TEST(CommandLineTest, WithoutTheDefaultCommandThatIsAnError) {
  EXPECT_EQ(CommandTestMachine().Run({}, kFail).err,
            "advisor: unknown command recommend (advisor help)\n");
}

struct ErrorCase {
  std::vector<std::string> words;
  int exit_status;
  std::string err;
};

TEST(CommandLineTest, EveryErrorIsOneLineAndItsExitStatus) {
  const ErrorCase kCases[] = {
      {{"recomend"},
       2,
       "unknown command recomend; did you mean recommend? (advisor help)"},
      {{"dump.txt"}, 2, "unknown command dump.txt (advisor help)"},
      {{"help", "fial"},
       2,
       "unknown command fial; did you mean fail? (advisor help)"},
      {{"help", "fail", "fail"},
       2,
       "help: unexpected argument \"fail\" (advisor help help)"},
      {{"recommend", "x"},
       2,
       "recommend: unexpected argument \"x\" (advisor help recommend)"},
      {{"fail"},
       2,
       "fail: missing argument: advisor fail KIND (advisor help fail)"},
      {{"--mesure=off"},
       2,
       "recommend: unknown flag --mesure; did you mean --measure? (advisor "
       "help recommend)"},
      {{"fail", "missing"}, 2, "x: No such file"},
      {{"fail", "busy"}, 3, "no quiet time"},
      {{"fail", "internal"}, 4, "internal error: no such state"},
      {{"fail", "throw"}, 4, "internal error: thrown"},
      {{"fail", "weird"}, 2, "a\\x0ab\\x1b[31m\\x09\xc3\xa9"},
  };
  for (const ErrorCase& error : kCases) {
    const CommandAnswer answer = RunWords(error.words);
    EXPECT_EQ(answer.exit_status, error.exit_status) << error.err;
    EXPECT_EQ(answer.err, absl::StrCat("advisor: ", error.err, "\n"));
    EXPECT_THAT(answer.out, IsEmpty());
  }
}

TEST(CommandLineTest, FindingAndInconclusiveAreAnswers) {
  EXPECT_EQ(RunWords({"fail", "finding"}).exit_status, 1);
  EXPECT_EQ(RunWords({"fail", "inconclusive"}).exit_status, 3);
  EXPECT_THAT(RunWords({"fail", "finding"}).err, IsEmpty());
}

TEST(CommandLineTest, HelpHasManySpellings) {
  const std::string list = RunWords({"help"}).out;
  EXPECT_THAT(list, HasSubstr("  fail       fails\n"));
  EXPECT_EQ(RunWords({"--help"}).out, list);
  EXPECT_EQ(RunWords({"-h"}).out, list);
  const CommandAnswer one = RunWords({"help", "recommend"});
  EXPECT_EQ(one.exit_status, 0);
  EXPECT_EQ(one.out, R"(Usage: advisor recommend [flags]

Says it.

  --cpuid=FILE              a dump
  --measure=off|quick|full  how long to measure, in quite a lot of words that go
                            on beyond the end of the line; quick by default

Exit status: 0 answered (also when there is nothing to set); 1 a check found
something; 2 wrong usage or unreadable input; 3 inconclusive; 4 internal error;
128+N ended by signal N.
)");
  EXPECT_EQ(RunWords({"recommend", "--help"}).out, one.out);
  EXPECT_EQ(RunWords({"recommend", "--typo", "-h"}).out, one.out);
}

TEST(CommandLineTest, TheManualPageHasWhatHelpHas) {
  const CommandAnswer page = RunWords({"help", "--format=man"});
  EXPECT_EQ(page.exit_status, 0);
  EXPECT_THAT(page.out, HasSubstr(".SS \"advisor fail KIND\"\n"));
  EXPECT_THAT(page.out, HasSubstr(R"(.TP
.B \-\-measure=off|quick|full
how long to measure,)"));
  EXPECT_THAT(page.out, HasSubstr(".B 3\ninconclusive\n"));
  const CommandAnswer one = RunWords({"help", "fail", "--format=man"});
  EXPECT_EQ(one.exit_status, 2);
  EXPECT_THAT(one.err, HasSubstr("name none"));
}

TEST(CommandLineTest, ArgumentAfterTwoDashesIsNoHelpFlag) {
  EXPECT_EQ(RunWords({"fail", "--", "-h"}).exit_status, 4);
}

TEST(CommandLineTest, LostOutputIsAnError) {
  std::ostringstream out;
  std::ostringstream err;
  out.setstate(std::ios::badbit);
  const CommandTestMachine machine;
  const RealDialogueStarter dialogues;
  const CommandContext context{machine.files,
                               machine.subprocess,
                               dialogues,
                               machine.environment,
                               machine.clock,
                               out,
                               err,
                               false,
                               80,
                               kTable};
  EXPECT_EQ(RunCommandLine({"recommend"}, context), 4);
  EXPECT_THAT(err.str(), StartsWith("advisor: internal error: cannot write"));
}

}  // namespace
}  // namespace advisor
