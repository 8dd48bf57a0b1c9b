#include "advisor/input/cpu_template.h"

#include <string>

#include "advisor/cpu/feature_table.h"
#include "advisor/input/formats_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string OneModifier(const std::string& leaf, const std::string& reg,
                        const std::string& bitmap) {
  return "{\"cpuid_modifiers\": [\n{\"leaf\": " + leaf +
         ", \"subleaf\": \"0x0\", \"flags\": 0,\n\"modifiers\": "
         "[{\"register\": \"" +
         reg + "\",\n\"bitmap\": \"" + bitmap + "\"}]}]}\n";
}

TEST(FirecrackerTest, ATemplateAloneIsPartial) {
  const MachineInput input = ReadInput("firecracker/mask_avx512_and_erms.json");
  EXPECT_EQ(input.format, "Firecracker CPU template");
  EXPECT_THAT(input.cores, IsEmpty());
  EXPECT_FALSE(input.has_features);
  ASSERT_TRUE(input.cpu_template.has_value());
  EXPECT_EQ(input.cpu_template->modifiers.size(), 3u);
  ASSERT_EQ(input.unknown.size(), 1u);
  EXPECT_EQ(input.unknown[0].command, "cpuid -r");
}

TEST(FirecrackerTest, BitmapsEndAtBitZero) {
  const auto input =
      ParseMachineInput(OneModifier("\"0b111\"", "ebx", "0b1x0"), "t.json");
  ASSERT_TRUE(input.ok()) << input.status();
  const RegisterModifier& modifier = input->cpu_template->modifiers[0];
  EXPECT_EQ(modifier.leaf, 7u);
  EXPECT_EQ(modifier.reg, Register::kEbx);
  EXPECT_EQ(modifier.mask, 0b101u);
  EXPECT_EQ(modifier.value, 0b100u);
}

TEST(FirecrackerTest, AppliedItMasksWhatItNames) {
  MachineInput base = ReadInput("cpuid_r/emerald_rapids_2_cpus.txt");
  const MachineInput masks = ReadInput("firecracker/mask_avx512_and_erms.json");
  const MachineInput guest = ApplyCpuTemplate(base, *masks.cpu_template);
  const CpuidTable& cpu = guest.cores[0].cpuid;
  EXPECT_EQ(IsFeatureUsable(base.cores[0].cpuid, "AVX512VL"), true);
  EXPECT_EQ(IsFeatureUsable(cpu, "AVX512VL"), false);
  EXPECT_EQ(IsFeatureUsable(cpu, "ERMS"), false);
  EXPECT_EQ(IsFeatureUsable(cpu, "AVX2"), true);
  EXPECT_EQ(cpu.Query(7)->ecx, base.cores[0].cpuid.Query(7)->ecx);
  EXPECT_EQ(cpu.Xcr0(), 0x7u);
  EXPECT_THAT(guest.warnings, IsEmpty());
  EXPECT_TRUE(guest.has_cache_leaves);
}

TEST(FirecrackerTest, ALeafThatTheBaseLacksIsAWarning) {
  const auto modifier =
      ParseMachineInput(OneModifier("\"0x40000010\"", "eax", "0b1"), "t.json");
  ASSERT_TRUE(modifier.ok()) << modifier.status();
  const MachineInput guest = ApplyCpuTemplate(
      ReadInput("cpuid_r/emerald_rapids_2_cpus.txt"), *modifier->cpu_template);
  EXPECT_THAT(guest.warnings,
              ElementsAre(HasSubstr("stay absent: 0x40000010:0")));
  EXPECT_FALSE(guest.cores[0].cpuid.Query(0x40000010).has_value());
}

struct ErrorCase {
  std::string text;
  std::string message;
};

class FirecrackerErrorTest : public testing::TestWithParam<ErrorCase> {};

TEST_P(FirecrackerErrorTest, NamesTheLine) {
  const auto input = ParseMachineInput(GetParam().text, "t.json");
  ASSERT_FALSE(input.ok());
  EXPECT_EQ(std::string(input.status().message()), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, FirecrackerErrorTest,
    testing::Values(
        ErrorCase{OneModifier("\"0x7\"", "ebx", "0b12"),
                  "t.json:4: expected \"0b\" and up to 32 of 0, 1 and x, found "
                  "\"0b12\""},
        ErrorCase{OneModifier("\"0x7\"", "rbx", "0b1"),
                  "t.json:3: expected eax, ebx, ecx or edx, found \"rbx\""},
        ErrorCase{OneModifier("\"seven\"", "ebx", "0b1"),
                  "t.json:2: expected \"leaf\" as \"0x...\" in a modifier, "
                  "found \"seven\""},
        ErrorCase{"{\"cpuid_modifiers\": 5\n}",
                  "t.json:1: expected an array of modifiers, found \"5\""},
        ErrorCase{"{\"cpuid_modifiers\":\n[{}]}",
                  "t.json:2: expected \"leaf\" as \"0x...\" in a modifier, "
                  "found an object"},
        ErrorCase{"{\"cpuid_modifiers\":\n[\n",
                  "t.json:2: expected JSON, found the end of the file"},
        ErrorCase{"{\"cpuid_modifiers\":\n[\n\n}",
                  "t.json:4: expected JSON, found \"}\""},
        ErrorCase{"{\n\"reg_modifiers\": []}",
                  "t.json:2: expected \"cpuid_modifiers\" (x86), found "
                  "\"reg_modifiers\" (Arm)"}));

}  // namespace
}  // namespace advisor
