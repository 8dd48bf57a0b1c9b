#include "advisor/cpu/feature_table.h"

#include <set>
#include <tuple>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

// Everything set, up to leaf 0xD and 0x80000008, under the given XCR0.
CpuidTable Generous(std::optional<uint64_t> xcr0) {
  constexpr uint32_t kAll = ~uint32_t{0};
  CpuidTable cpu;
  cpu.Set(0, 0, {0xd, 0, 0, 0});
  cpu.Set(1, 0, {kAll, kAll, kAll, kAll});
  cpu.Set(7, 0, {1, kAll, kAll, kAll & ~(1u << 11)});
  cpu.Set(7, 1, {kAll, kAll, kAll, kAll});
  cpu.Set(0xd, 0, {7, 0x340, 0x340, 0});
  cpu.Set(0xd, 1, {kAll, 0, 0, 0});
  cpu.Set(0x80000000, 0, {0x80000008, 0, 0, 0});
  cpu.Set(0x80000001, 0, {0, 0, kAll, kAll});
  cpu.SetXcr0(xcr0);
  return cpu;
}

TEST(FeatureTableTest, IsSortedAndNamesAreUnique) {
  std::set<absl::string_view> names;
  std::tuple<uint32_t, uint32_t, Register, int> last{0, 0, Register::kEax, -1};
  for (const FeatureRow& row : FeatureTable()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    const std::tuple<uint32_t, uint32_t, Register, int> place{
        row.leaf, row.subleaf, row.reg, row.bit};
    EXPECT_LT(last, place) << row.name;
    EXPECT_LT(row.bit, 32) << row.name;
    last = place;
  }
  // The names that glibc's selectors ask for.
  for (const char* name :
       {"SSE2", "SSSE3", "ERMS", "FSRM", "AVX", "AVX2", "RTM", "BMI2",
        "AVX512F", "AVX512VL", "AVX512BW", "AVX_VNNI", "HTT", "OSXSAVE"}) {
    EXPECT_EQ(names.count(name), 1) << name;
  }
}

TEST(IsFeatureUsableTest, StateDecidesOverAvxAndAvx512) {
  const CpuidTable all = Generous(0xe7);
  EXPECT_THAT(IsFeatureUsable(all, "AVX512VL"), Optional(true));
  EXPECT_THAT(IsFeatureUsable(all, "AVX2"), Optional(true));
  const CpuidTable avx = Generous(0x07);
  EXPECT_THAT(IsFeatureUsable(avx, "AVX512VL"), Optional(false));
  EXPECT_THAT(IsFeatureUsable(avx, "AVX2"), Optional(true));
  EXPECT_THAT(IsFeatureUsable(avx, "AVX_VNNI"), Optional(true));
  const CpuidTable sse = Generous(0x03);
  EXPECT_THAT(IsFeatureUsable(sse, "AVX2"), Optional(false));
  EXPECT_THAT(IsFeatureUsable(sse, "ERMS"), Optional(true));
  const CpuidTable untold = Generous(std::nullopt);
  EXPECT_THAT(IsFeatureUsable(untold, "AVX2"), Optional(false));
  EXPECT_THAT(IsFeatureUsable(untold, "SSSE3"), Optional(true));
}

TEST(IsFeatureUsableTest, StateIsNothingWithoutOsxsaveOrTheBaseFeature) {
  CpuidTable cpu = Generous(0xe7);
  cpu.Set(1, 0, {0, 0, ~(1u << 27), ~0u});
  EXPECT_THAT(IsFeatureUsable(cpu, "AVX"), Optional(false));
  EXPECT_THAT(IsFeatureUsable(cpu, "XSAVE"), Optional(false));
  cpu = Generous(0xe7);
  cpu.Set(1, 0, {0, 0, ~(1u << 28), ~0u});
  EXPECT_THAT(IsFeatureUsable(cpu, "AVX2"), Optional(false));
  // AVX512F does not ask for the AVX bit.
  EXPECT_THAT(IsFeatureUsable(cpu, "AVX512F"), Optional(true));
  cpu = Generous(0xe7);
  cpu.Set(7, 0, {1, ~(1u << 16), 0, 0});
  EXPECT_THAT(IsFeatureUsable(cpu, "AVX512VL"), Optional(false));
}

TEST(IsFeatureUsableTest, RtmThatAlwaysAbortsIsNotUsable) {
  CpuidTable cpu = Generous(7);
  EXPECT_THAT(IsFeatureUsable(cpu, "RTM"), Optional(true));
  cpu.Set(7, 0, {1, ~0u, ~0u, ~0u});
  EXPECT_THAT(IsFeatureUsable(cpu, "RTM"), Optional(false));
}

TEST(IsFeatureUsableTest, LeavesAboveTheHighestDoNotCount) {
  CpuidTable cpu = Generous(7);
  cpu.Set(0, 0, {2, 0, 0, 0});
  EXPECT_THAT(IsFeatureUsable(cpu, "ERMS"), Optional(false));
  EXPECT_THAT(IsFeatureUsable(cpu, "AVX"), Optional(true));
}

TEST(IsFeatureUsableTest, UnknownNamesAreUnknown) {
  EXPECT_EQ(IsFeatureUsable(Generous(7), "AVX2_Usable"), std::nullopt);
}

TEST(DescribeFeatureTest, SaysWhy) {
  for (const FeatureState& feature : DecodeFeatures(Generous(0x7))) {
    if (feature.name() != "AVX512VL") continue;
    EXPECT_TRUE(feature.cpuid);
    EXPECT_EQ(DescribeFeature(feature),
              "AVX512VL (7:0:EBX[31]): not usable, OSXSAVE, AVX512F or its "
              "state in XCR0[7:5] is missing");
  }
}

}  // namespace
}  // namespace advisor
