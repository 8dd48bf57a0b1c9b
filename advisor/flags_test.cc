#include "advisor/flags.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr FlagRow kRows[] = {
    {"all", "", "everything"},
    {"cpuid", "FILE", "a dump"},
    {"glibc", "RELEASE|LOADER", "which one"},
    {"measure", "off|quick|full", "how long"},
    {"with", "FILE", "several", true},
};

std::string ErrorOf(const std::vector<std::string>& words) {
  const absl::Status status = Flags::Parse(words, kRows).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  return std::string(status.message());
}

TEST(FlagsTest, ReadsEveryForm) {
  const Flags flags = *Flags::Parse(
      {"a", "--cpuid=x=y", "--measure", "full", "--all", "b", "--", "--c"},
      kRows);
  EXPECT_EQ(flags.Get("cpuid"), "x=y");
  EXPECT_EQ(flags.Get("measure"), "full");
  EXPECT_EQ(flags.Get("all"), "");
  EXPECT_FALSE(flags.Has("glibc"));
  EXPECT_THAT(flags.arguments(), ElementsAre("a", "b", "--c"));
}

TEST(FlagsTest, SomeMayBeRepeated) {
  const Flags flags = *Flags::Parse({"--with=b", "--with", "a"}, kRows);
  EXPECT_THAT(flags.GetAll("with"), ElementsAre("b", "a"));
  EXPECT_EQ(flags.Get("with"), "a");
  EXPECT_THAT(flags.GetAll("cpuid"), IsEmpty());
  EXPECT_EQ(ErrorOf({"--cpuid=a", "--cpuid=b"}), "--cpuid is given twice");
}

TEST(FlagsTest, NothingIsValidToo) {
  const Flags flags = *Flags::Parse({}, {});
  EXPECT_THAT(flags.arguments(), IsEmpty());
}

TEST(FlagsTest, LoneDashIsAnArgument) {
  EXPECT_THAT(Flags::Parse({"-"}, kRows)->arguments(), ElementsAre("-"));
}

TEST(FlagsTest, UpperCaseValuesAreFree) {
  EXPECT_EQ(Flags::Parse({"--glibc=2.36"}, kRows)->Get("glibc"), "2.36");
}

TEST(FlagsTest, SaysInOneLineWhatIsWrong) {
  EXPECT_EQ(ErrorOf({"--cpuuid=x"}),
            "unknown flag --cpuuid; did you mean --cpuid?");
  EXPECT_EQ(ErrorOf({"-cpuid=x"}),
            "unknown flag -cpuid; did you mean --cpuid?");
  EXPECT_EQ(ErrorOf({"---cpuid=x"}),
            "unknown flag ---cpuid; did you mean --cpuid?");
  EXPECT_EQ(ErrorOf({"--frobnicate"}), "unknown flag --frobnicate");
  EXPECT_EQ(ErrorOf({"--=x"}), "unknown flag --");
  EXPECT_EQ(ErrorOf({"---"}), "unknown flag ---");
  EXPECT_EQ(ErrorOf({"--all=yes"}), "--all takes no value");
  EXPECT_EQ(ErrorOf({"--cpuid"}), "--cpuid needs a value: --cpuid=FILE");
  EXPECT_EQ(ErrorOf({"--cpuid="}), "--cpuid needs a value: --cpuid=FILE");
  EXPECT_EQ(ErrorOf({"--cpuid", "--all"}),
            "--cpuid needs a value: --cpuid=FILE");
  EXPECT_EQ(ErrorOf({"--measure=ful"}),
            "--measure: expected off|quick|full, found \"ful\"; did you mean "
            "full?");
  EXPECT_EQ(ErrorOf({"--cpuid=x", "--cpuid=y"}), "--cpuid is given twice");
}

}  // namespace
}  // namespace advisor
