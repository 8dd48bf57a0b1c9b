#include "advisor/command_compare.h"

#include <string>
#include <vector>

#include "advisor/command_testing.h"
#include "advisor/render/golden.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kHost[] = "testdata/cpuid/field/seed_host_37m.txt";
constexpr char kGuest[] = "testdata/cpuid/field/seed_guest_htt0.txt";

CommandAnswer Compare(std::vector<std::string> words, int columns = 80) {
  CommandTestMachine machine;
  machine.use_real_files = true;
  machine.columns = columns;
  words.insert(words.begin(), "compare");
  return machine.Run(words, kCompareCommand);
}

TEST(CompareTest, TextIsAsReviewed) {
  ExpectGolden("testdata/golden/predict/compare_seed_2.28.txt",
               Compare({kHost, kGuest, "--glibc=2.28"}).out);
  ExpectGolden("testdata/golden/predict/compare_seed_all.txt",
               Compare({kHost, kGuest}).out);
  ExpectGolden("testdata/golden/predict/compare_seed_all_60_columns.txt",
               Compare({kHost, kGuest}, 60).out);
}

TEST(CompareTest, NamesTheBitAndTheSetting) {
  const CommandAnswer answer = Compare(
      {"testdata/cpuid/field/seed_guest_4_cores.txt", kGuest, "--glibc=2.28"});
  EXPECT_EQ(answer.exit_status, 0);
  EXPECT_THAT(answer.out,
              AllOf(HasSubstr("non_temporal_threshold: host 12582912, guest 0"),
                    HasSubstr("1:0:EDX[28]"), HasSubstr("<topology"),
                    HasSubstr("-smp")));
}

TEST(CompareTest, EqualMachines) {
  EXPECT_THAT(Compare({kHost, kHost}).out, HasSubstr("nothing"));
}

TEST(CompareTest, PartialInputIsRefused) {
  CommandTestMachine machine;
  machine.files.Add("/cpuinfo",
                    "processor\t: 0\nvendor_id\t: GenuineIntel\n"
                    "cpu family\t: 6\nmodel\t\t: 62\nstepping\t: 7\n"
                    "cpuid level\t: 13\nflags\t\t: fpu sse2 ht\n\n");
  const CommandAnswer answer =
      machine.Run({"compare", "/cpuinfo", "/cpuinfo"}, kCompareCommand);
  EXPECT_EQ(answer.exit_status, 2);
  EXPECT_THAT(answer.err, HasSubstr("cpuid -r"));
  EXPECT_THAT(answer.out, IsEmpty());
}

}  // namespace
}  // namespace advisor
