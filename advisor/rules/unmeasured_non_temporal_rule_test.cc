#include "advisor/rules/unmeasured_non_temporal_rule.h"

#include <string>

#include "advisor/cpu/cpuid_dump.h"
#include "advisor/glibc/prediction.h"
#include "advisor/host/file_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::HasSubstr;

CpuidTable Dump(const std::string& name) {
  const std::string path = "testdata/cpuid/" + name;
  return ParseCpuidDump(*RealFileReader().Read(path), path)->cpus[0];
}

UnmeasuredAdvice Advise(const CpuidTable& cpu, const GlibcBuild& build) {
  EffectiveThresholds now;
  now.non_temporal_threshold =
      Predict(cpu, build).thresholds.non_temporal_threshold;
  return AdviseNonTemporalThreshold(cpu, build, now);
}

// The report that started this project: 78 cycles on the host, 1503 here.
TEST(UnmeasuredNonTemporalRuleTest, CuresTheFieldReportsGuest) {
  const CpuidTable guest = Dump("field/seed_guest_htt0.txt");
  const UnmeasuredAdvice advice = Advise(guest, GlibcBuild::Tag(28));
  ASSERT_TRUE(advice.setting.has_value());
  EXPECT_EQ(advice.setting->name, "glibc.tune.x86_non_temporal_threshold");
  EXPECT_EQ(advice.setting->value, 12582912u);
  EXPECT_EQ(advice.setting->value_before, 0u);
  EXPECT_THAT(advice.reason, HasSubstr("bypasses the caches"));
  // From 2.33 on the guest is healthy.
  EXPECT_FALSE(Advise(guest, GlibcBuild::Tag(33)).setting.has_value());
  EXPECT_EQ(Advise(guest, GlibcBuild::Tag(30)).setting->name,
            "glibc.cpu.x86_non_temporal_threshold");
}

TEST(UnmeasuredNonTemporalRuleTest, LeavesItsHost) {
  const CpuidTable host = Dump("field/seed_host_30m.txt");
  EXPECT_FALSE(Advise(host, GlibcBuild::Tag(28)).setting.has_value());
}

TEST(UnmeasuredNonTemporalRuleTest, WithoutAnyCacheInformation) {
  CpuidTable unknown;
  unknown.Set(0, 0, {7, 0x6e6b6e55, 0x6e776f6e, 0x206e776f});
  unknown.Set(7, 0, {0, 1u << 9, 0, 0});  // ERMS
  for (const int release : {28, 34, 36, 37}) {
    const UnmeasuredAdvice advice = Advise(unknown, GlibcBuild::Tag(release));
    ASSERT_TRUE(advice.setting.has_value()) << release;
    EXPECT_EQ(advice.setting->value, uint64_t{64} << 20) << release;
  }
  // From 2.38 on it is 2^60 - 1 there: nothing to repair.
  EXPECT_FALSE(Advise(unknown, GlibcBuild::Tag(38)).setting.has_value());
}

}  // namespace
}  // namespace advisor
