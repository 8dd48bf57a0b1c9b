#include "advisor/cpu/cpuid_dump.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "advisor/host/file_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::Pair;

constexpr char kLeaf0[] =
    "   0x00000000 0x00: eax=0x00000001 ebx=0x756e6547 ecx=0x6c65746e "
    "edx=0x49656e69\n";
constexpr char kLeaf1[] =
    "   0x00000001 0x00: eax=0x000306e7 ebx=0x00010800 ecx=0x80000201 "
    "edx=0x078bfbff\n";
constexpr char kExtended[] =
    "   0x80000000 0x00: eax=0x80000000 ebx=0x00000000 ecx=0x00000000 "
    "edx=0x00000000\n";

void ExpectSame(const CpuidDump& left, const CpuidDump& right) {
  EXPECT_EQ(left.notes, right.notes);
  ASSERT_EQ(left.cpus.size(), right.cpus.size());
  for (size_t i = 0; i < left.cpus.size(); ++i) {
    EXPECT_EQ(left.cpus[i].entries().size(), right.cpus[i].entries().size());
    for (const auto& [input, registers] : left.cpus[i].entries()) {
      EXPECT_THAT(right.cpus[i].Query(input.leaf, input.subleaf),
                  Optional(registers));
    }
    EXPECT_EQ(left.cpus[i].Xcr0(), right.cpus[i].Xcr0());
  }
}

std::string ErrorOf(absl::string_view text) {
  const absl::StatusOr<CpuidDump> dump = ParseCpuidDump(text, "x.txt");
  EXPECT_TRUE(absl::IsInvalidArgument(dump.status())) << text;
  return std::string(dump.status().message());
}

TEST(ParseCpuidDumpTest, ReadsEveryRecordedCpuAndWritesItBack) {
  const RealFileReader files;
  const auto names = files.List("testdata/cpuid");
  ASSERT_TRUE(names.ok()) << names.status();
  int parsed = 0;
  for (const std::string& name : *names) {
    if (!absl::EndsWith(name, ".txt")) continue;
    SCOPED_TRACE(name);
    const auto text = files.Read(absl::StrCat("testdata/cpuid/", name));
    ASSERT_TRUE(text.ok()) << text.status();
    const auto dump = ParseCpuidDump(*text, name);
    ASSERT_TRUE(dump.ok()) << dump.status();
    EXPECT_GT(dump->cpus[0].entries().size(), 5);
    EXPECT_EQ(dump->notes.count("machine"), 1);
    const auto again = ParseCpuidDump(FormatCpuidDump(*dump), name);
    ASSERT_TRUE(again.ok()) << again.status();
    ExpectSame(*dump, *again);
    ++parsed;
  }
  EXPECT_GE(parsed, 49);
}

TEST(ParseCpuidDumpTest, ReadsOneCpu) {
  const auto dump =
      ParseCpuidDump(absl::StrCat("# role: guest\n# just a remark\n\nCPU:\n",
                                  kLeaf0, kLeaf1, kExtended),
                     "x.txt");
  ASSERT_TRUE(dump.ok()) << dump.status();
  EXPECT_THAT(dump->notes, ElementsAre(Pair("role", "guest")));
  ASSERT_EQ(dump->cpus.size(), 1);
  EXPECT_THAT(
      dump->cpus[0].Query(1),
      Optional(CpuidRegisters{0x306e7, 0x10800, 0x80000201, 0x078bfbff}));
  EXPECT_EQ(dump->cpus[0].Query(4), std::nullopt);
}

TEST(ParseCpuidDumpTest, ReadsManyCpusAndForeignLineEnds) {
  const std::string text = absl::StrReplaceAll(
      absl::StrCat("CPU 0:\n", kLeaf0, kLeaf1, kExtended, "CPU 1:\n", kLeaf0,
                   absl::StrReplaceAll(kLeaf1, {{"0x00010800", "0x01010800"}}),
                   kExtended),
      {{"\n", "\r\n"}});
  const auto dump = ParseCpuidDump(text, "x.txt");
  ASSERT_TRUE(dump.ok()) << dump.status();
  ASSERT_EQ(dump->cpus.size(), 2);
  EXPECT_EQ(dump->cpus[0].Execute(1).ebx, 0x00010800);
  EXPECT_EQ(dump->cpus[1].Execute(1).ebx, 0x01010800);
}

TEST(ParseCpuidDumpTest, TakesXcr0FromTheNoteOrFromLeafD) {
  const std::string leaves = absl::StrCat(
      "CPU:\n",
      absl::StrReplaceAll(kLeaf0, {{"eax=0x00000001", "eax=0x0000000d"}}),
      absl::StrReplaceAll(kLeaf1, {{"ecx=0x80000201", "ecx=0x8c000201"}}),
      "   0x0000000d 0x00: eax=0x00000007 ebx=0x00000340 ecx=0x00000340 "
      "edx=0x00000001\n",
      kExtended);
  const auto xcr0 = [](const std::string& text) {
    return ParseCpuidDump(text, "x.txt")->cpus[0].Xcr0();
  };
  EXPECT_THAT(xcr0(leaves), Optional(0x100000007));
  EXPECT_THAT(xcr0(absl::StrCat("# xcr0: 0xe7\n", leaves)), Optional(0xe7));
  EXPECT_EQ(xcr0(absl::StrCat("# xcr0: none (no XSAVE)\n", leaves)),
            std::nullopt);
  EXPECT_EQ(xcr0(absl::StrReplaceAll(leaves, {{"0x8c000201", "0x84000201"}})),
            std::nullopt);
}

TEST(ParseCpuidDumpTest, ErrorsNameTheLine) {
  const std::string head = absl::StrCat("# role: guest\nCPU:\n", kLeaf0);
  EXPECT_THAT(ErrorOf(""), HasSubstr("x.txt:1: expected \"CPU:\""));
  EXPECT_THAT(ErrorOf("# only: a comment\n"), HasSubstr("end of the file"));
  EXPECT_THAT(ErrorOf(kLeaf0), HasSubstr("x.txt:1: expected \"CPU:\" or"));
  EXPECT_THAT(ErrorOf("CPU:\n"), HasSubstr("expected leaf 0x00000000"));
  EXPECT_THAT(ErrorOf(head + "hello\n"),
              HasSubstr("x.txt:4: expected \"0xLLLLLLLL 0xSS: eax="));
  EXPECT_THAT(ErrorOf(head + "hello\n"), HasSubstr("found \"hello\""));
  EXPECT_THAT(ErrorOf("CPU x:\n"), HasSubstr("found \"CPU x:\""));
  EXPECT_THAT(ErrorOf(absl::StrCat("# xcr0: 0xz\n", head)),
              HasSubstr("x.txt:1: expected \"xcr0: 0x...\""));
}

TEST(ParseCpuidDumpTest, RefusesWhatIsCut) {
  const std::string whole = absl::StrCat("CPU:\n", kLeaf0, kLeaf1, kExtended);
  ASSERT_TRUE(ParseCpuidDump(whole, "x.txt").ok());
  // One hex digit less, half a line less, a whole line less.
  EXPECT_THAT(ErrorOf(whole.substr(0, whole.size() - 2)),
              HasSubstr("x.txt:4: expected \"0xLLLLLLLL"));
  EXPECT_THAT(ErrorOf(whole.substr(0, whole.size() - 40)),
              HasSubstr("x.txt:4: expected \"0xLLLLLLLL"));
  EXPECT_THAT(ErrorOf(absl::StrCat("CPU:\n", kLeaf0, kLeaf1)),
              HasSubstr("expected leaf 0x80000000 among a CPU's lines, found "
                        "an end after 0x00000001"));
  EXPECT_THAT(ErrorOf(absl::StrCat("CPU:\n", kExtended, kLeaf0)),
              HasSubstr("expected leaves up to 0x00000001, found an end after "
                        "0x00000000"));
}

// Every line that a recorded machine could lose at its end matters.
TEST(ParseCpuidDumpTest, RefusesARecordedDumpThatIsCutAtALineEnd) {
  const std::string name =
      "testdata/cpuid/amd_19-01-01_epyc-milan_qemu-tcg_qemu72-tcg-epyc-milan"
      ".txt";
  const std::string whole = *RealFileReader().Read(name);
  for (const char* line : {"   0x00000004 ", "   0x0000000d 0x01",
                           "   0x80000002", "   0x80000006", "   0x8000001d"}) {
    const size_t at = whole.find(line);
    ASSERT_NE(at, std::string::npos) << line;
    EXPECT_THAT(ErrorOf(whole.substr(0, at)), HasSubstr(": expected lea"))
        << line;
  }
}

TEST(ParseCpuidDumpTest, RefusesTwoAnswersForOneLeaf) {
  const std::string whole = absl::StrCat("CPU:\n", kLeaf0, kLeaf1, kExtended);
  EXPECT_TRUE(ParseCpuidDump(whole + kLeaf1, "x.txt").ok());
  EXPECT_THAT(ErrorOf(whole + absl::StrReplaceAll(
                                  kLeaf1, {{"0x000306e7", "0x000306e4"}})),
              HasSubstr("x.txt:5: expected one answer"));
}

TEST(ParseCpuidDumpTest, QuotesJunkInOneShortLine) {
  const std::string error = ErrorOf(std::string(100000, '\0'));
  EXPECT_THAT(error, HasSubstr("found \"\\x00\\x00"));
  EXPECT_FALSE(absl::StrContains(error, "\n"));
  EXPECT_LT(error.size(), 400);
}

TEST(ParseCpuidDumpTest, SeesACutInAnyOrderOfRanges) {
  const std::string cut =
      absl::StrReplaceAll(kExtended, {{"eax=0x80000000", "eax=0x80000008"}});
  // Nothing of a range is missing at its end in the first.
  EXPECT_TRUE(
      ParseCpuidDump(absl::StrCat("CPU:\n", kExtended, kLeaf0, kLeaf1), "x")
          .ok());
  for (const std::string& text :
       {absl::StrCat(kLeaf0, kLeaf1, cut), absl::StrCat(cut, kLeaf0, kLeaf1),
        absl::StrCat(kExtended, kLeaf0)}) {
    EXPECT_THAT(ErrorOf(absl::StrCat("CPU:\n", text)),
                HasSubstr("expected leaves up to"));
  }
}

TEST(ParseCpuidDumpTest, AcceptsOneXcr0Only) {
  const std::string leaves = absl::StrCat(kLeaf0, kLeaf1, kExtended);
  EXPECT_EQ(ErrorOf(absl::StrCat("# xcr0: 0x7\n# xcr0: none\nCPU:\n", leaves)),
            "x.txt:2: expected one XCR0, found a second one, \"none\"");
  EXPECT_EQ(ErrorOf(absl::StrCat("CPU:\n# xcr0: 0x7\n# xcr0: 0x3\n", leaves)),
            "x.txt:3: expected one XCR0, found a second one, \"0x3\"");
}

TEST(FormatCpuidDumpTest, KeepsNotesThatStandTwiceOrAreEmpty) {
  const auto dump =
      ParseCpuidDump(absl::StrCat("# machine: one\n# machine:\n# machine: two\n"
                                  "# role:\n# role: guest\n# role:\n# source:\n"
                                  "# xcr0: 0x7\n# xcr0: 0x07\nCPU:\n",
                                  kLeaf0, kLeaf1, kExtended),
                     "in");
  ASSERT_TRUE(dump.ok()) << dump.status();
  EXPECT_THAT(dump->notes,
              ElementsAre(Pair("machine", "one; two"), Pair("role", "guest"),
                          Pair("source", ""), Pair("xcr0", "0x7")));
  const auto again = ParseCpuidDump(FormatCpuidDump(*dump), "again");
  ASSERT_TRUE(again.ok()) << again.status();
  ExpectSame(*dump, *again);
}

TEST(FormatCpuidDumpTest, KeepsEveryNativeLeaf) {
  CpuidDump dump;
  dump.cpus.push_back(ReadNativeCpuid());
  dump.cpus.push_back(dump.cpus[0]);
  dump.cpus[1].SetXcr0(0x3);
  dump.notes["machine"] = "this one";
  const auto again = ParseCpuidDump(FormatCpuidDump(dump), "native");
  ASSERT_TRUE(again.ok()) << again.status();
  ExpectSame(dump, *again);
}

}  // namespace
}  // namespace advisor
