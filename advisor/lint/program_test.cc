#include "advisor/lint/program.h"

#include <unistd.h>

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "advisor/host/environment.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::HasSubstr;

std::string Bytes(absl::string_view text) { return std::string(text); }

TEST(FindRpmLibcVersion, FindsTheStringsOfTheHeader) {
  const std::string header =
      absl::StrCat(Bytes(absl::string_view("\x01\0\0C\0glibc-common\0", 17)),
                   Bytes(absl::string_view("2.28\0"
                                           "1.el8\0",
                                           11)),
                   "junk", Bytes(absl::string_view("C\0glibc\0", 8)),
                   Bytes(absl::string_view("2.28\0", 5)),
                   Bytes(absl::string_view("251.el8_10.2\0The GNU", 20)));
  EXPECT_EQ(FindRpmLibcVersion(header).value_or("none"), "2.28-251.el8_10.2");
  EXPECT_FALSE(FindRpmLibcVersion(header.substr(0, 40)).has_value());
  EXPECT_FALSE(FindRpmLibcVersion("").has_value());
}

TEST(BuildOf, FallsBackFromRevisionToPackageToRelease) {
  FakeFileReader files;
  InstalledLibc libc;
  libc.banner.emplace();
  libc.banner->release = "2.28";
  EXPECT_EQ(BuildOf(files, libc)->name(), "2.28");
  files.Add("/var/lib/rpm/Packages",
            absl::StrCat(Bytes(absl::string_view("C\0glibc\0", 8)),
                         Bytes(absl::string_view("2.28\0", 5)),
                         Bytes(absl::string_view("251.el8_10.2\0", 13))));
  EXPECT_EQ(BuildOf(files, libc)->name(), "2.28-251.el8_10.2");
  libc.package_version = "2.28-10+deb10u2";
  EXPECT_EQ(BuildOf(files, libc)->name(), "2.28-10+deb10u2");
  libc.banner->revision = "2.28-10+deb10u1";
  EXPECT_EQ(BuildOf(files, libc)->name(), "2.28-10+deb10u1");
  // An RPM data base of another release says nothing.
  InstalledLibc other;
  other.banner.emplace();
  other.banner->release = "2.36";
  EXPECT_EQ(BuildOf(files, other)->name(), "2.36");
}

TEST(ExamineProgram, KnowsThisProgram) {
  const RealFileReader files;
  const ProgramFacts facts = ExamineProgram(files, "/proc/self/exe");
  if (!facts.build.has_value()) {
    GTEST_SKIP() << "needs a glibc of 2.26 to 2.42: " << facts.problem;
  }
  EXPECT_FALSE(facts.is_static);
}

TEST(ExamineProgram, SaysWhatIsWrong) {
  FakeFileReader files;
  EXPECT_THAT(ExamineProgram(files, "/none").problem, HasSubstr("/none"));
  files.Add("/text", "no program");
  EXPECT_THAT(ExamineProgram(files, "/text").problem, HasSubstr("ELF"));
}

std::string Auxv(uint64_t secure) {
  const uint64_t words[] = {6, 4096, 23, secure, 0, 0};
  return std::string(reinterpret_cast<const char*>(words), sizeof(words));
}

TEST(ReadProcess, TakesEnvironmentAndAuxiliaryVector) {
  FakeFileReader files;
  FakeProcessDoor door;
  door.AddExecutable(5, "/usr/bin/x");
  files.Add("/proc/5/environ",
            Bytes(absl::string_view("A=b\0GLIBC_TUNABLES=c=d\0", 23)));
  files.Add("/proc/5/auxv", Auxv(1));
  absl::StatusOr<ProcessFacts> facts = ReadProcess(files, door, 5);
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(facts->program, "/usr/bin/x");
  EXPECT_EQ(facts->glibc_tunables.value_or("none"), "c=d");
  EXPECT_EQ(facts->secure, true);
  files.Add("/proc/5/auxv", Auxv(0));
  files.Add("/proc/5/environ", "XGLIBC_TUNABLES=c=d");
  facts = ReadProcess(files, door, 5);
  EXPECT_EQ(facts->secure, false);
  EXPECT_FALSE(facts->glibc_tunables.has_value());
  EXPECT_TRUE(absl::IsNotFound(ReadProcess(files, door, 6).status()));
}

TEST(FindTunablesInEnviron, PutsThePiecesTogether) {
  const auto find = [](std::string text) {
    for (char& c : text) {
      if (c == '|') c = '\0';
    }
    return FindTunablesInEnviron(text).value_or("none");
  };
  EXPECT_EQ(find("A=b|GLIBC_TUNABLES=glibc.a=1:glibc.b=2|C=d|"),
            "glibc.a=1:glibc.b=2");
  // As a loader of 2.36 leaves it.
  EXPECT_EQ(find("A=b|GLIBC_TUNABLES=glibc.a=1|glibc.b=2:x=y|glibc.c=3|C=d|"),
            "glibc.a=1:glibc.b=2:x=y:glibc.c=3");
  EXPECT_EQ(find("GLIBC_TUNABLES=glibc.a=1||C=d|"), "glibc.a=1:");
  EXPECT_EQ(find("GLIBC_TUNABLES=glibc.a=1|"), "glibc.a=1");
  EXPECT_EQ(find("GLIBC_TUNABLES=|glibc.b=2"), ":glibc.b=2");
  EXPECT_EQ(find("A=b|glibc.b=2|"), "none");
  EXPECT_EQ(find(""), "none");
}

TEST(ReadProcess, ReadsThisProcess) {
  const absl::StatusOr<ProcessFacts> facts =
      ReadProcess(RealFileReader(), RealProcessDoor(), getpid());
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(facts->secure, false);
  EXPECT_EQ(facts->glibc_tunables,
            Environment::OfThisProcess().Get("GLIBC_TUNABLES"));
}

}  // namespace
}  // namespace advisor
