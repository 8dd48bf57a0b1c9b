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

constexpr char kMemmove[] = "avx_unaligned_erms";

UnmeasuredAdvice Advise(const CpuidTable& cpu, const GlibcBuild& build) {
  const Prediction prediction = Predict(cpu, build);
  EffectiveThresholds now;
  now.non_temporal_threshold = prediction.thresholds.non_temporal_threshold;
  return AdviseNonTemporalThreshold(cpu, build, prediction.memmove, now);
}

// The report that started this project: 78 cycles on the host, 1503 here.
TEST(UnmeasuredNonTemporalRuleTest, CuresTheFieldReportsGuest) {
  const CpuidTable guest = Dump("field/seed_guest_htt0.txt");
  const UnmeasuredAdvice advice = Advise(guest, GlibcBuild::Tag(28));
  ASSERT_FALSE(advice.settings.empty());
  EXPECT_EQ(advice.settings[0].name, "glibc.tune.x86_non_temporal_threshold");
  EXPECT_EQ(advice.settings[0].value, 12582912u);
  EXPECT_EQ(advice.settings[0].value_before, 0u);
  EXPECT_THAT(advice.reason, HasSubstr("bypasses the caches"));
  // From 2.33 on the guest is healthy.
  EXPECT_TRUE(Advise(guest, GlibcBuild::Tag(33)).settings.empty());
  EXPECT_EQ(Advise(guest, GlibcBuild::Tag(30)).settings[0].name,
            "glibc.cpu.x86_non_temporal_threshold");
}

TEST(UnmeasuredNonTemporalRuleTest, LeavesItsHost) {
  const CpuidTable host = Dump("field/seed_host_30m.txt");
  EXPECT_TRUE(Advise(host, GlibcBuild::Tag(28)).settings.empty());
}

TEST(UnmeasuredNonTemporalRuleTest, WithoutAnyCacheInformation) {
  CpuidTable unknown;
  unknown.Set(0, 0, {7, 0x6e6b6e55, 0x6e776f6e, 0x206e776f});
  unknown.Set(7, 0, {0, 1u << 9, 0, 0});  // ERMS
  for (const int release : {28, 34, 36, 37}) {
    const UnmeasuredAdvice advice = Advise(unknown, GlibcBuild::Tag(release));
    ASSERT_FALSE(advice.settings.empty()) << release;
    EXPECT_EQ(advice.settings[0].value, uint64_t{64} << 20) << release;
  }
  // 2.35 needs a second one; its branch does not.
  EXPECT_EQ(Advise(unknown, GlibcBuild::Tag(35)).settings.size(), 2u);
  EXPECT_EQ(Advise(unknown, GlibcBuild::Tag(35)).settings[1].name,
            "glibc.cpu.x86_rep_movsb_threshold");
  EXPECT_EQ(Advise(unknown, GlibcBuild::Tag(36)).settings.size(), 1u);
  // From 2.38 on it is 2^60 - 1 there: nothing to repair.
  EXPECT_TRUE(Advise(unknown, GlibcBuild::Tag(38)).settings.empty());
}

// As predict, which calls it a cliff.
TEST(UnmeasuredNonTemporalRuleTest, RaisesWhatIsBelowEveryL2) {
  const CpuidTable host = Dump("field/seed_host_30m.txt");
  EffectiveThresholds now;
  for (const uint64_t tiny : {16448, 20000, 131071}) {
    now.non_temporal_threshold = tiny;
    EXPECT_THAT(
        AdviseNonTemporalThreshold(host, GlibcBuild::Tag(36), kMemmove, now)
            .reason,
        HasSubstr("would fit L2"));
  }
  now.non_temporal_threshold = 131072;
  EXPECT_TRUE(
      AdviseNonTemporalThreshold(host, GlibcBuild::Tag(36), kMemmove, now)
          .settings.empty());
}

// 0 there as well, but no copy goes by it; predict says the same.
TEST(UnmeasuredNonTemporalRuleTest, LeavesAVariantThatDoesNotReadIt) {
  const CpuidTable guest = Dump("field/seed_guest_htt0.txt");
  EffectiveThresholds now;
  now.non_temporal_threshold = 0;
  for (const char* const memmove : {"ssse3", "ssse3_back", "erms"}) {
    const UnmeasuredAdvice advice =
        AdviseNonTemporalThreshold(guest, GlibcBuild::Tag(28), memmove, now);
    EXPECT_TRUE(advice.settings.empty()) << memmove;
    EXPECT_THAT(advice.reason, HasSubstr("does not read")) << memmove;
  }
}

// What is measured beats what is claimed, for the value; whether anything is
// wrong does not depend on it.
TEST(UnmeasuredNonTemporalRuleTest, TakesTheMeasuredCacheForTheValue) {
  const CpuidTable guest = Dump("field/seed_guest_htt0.txt");
  EffectiveThresholds now;
  now.non_temporal_threshold = 0;
  const UnmeasuredAdvice advice = AdviseNonTemporalThreshold(
      guest, GlibcBuild::Tag(28), kMemmove, now, uint64_t{4} << 20);
  ASSERT_FALSE(advice.settings.empty());
  EXPECT_EQ(advice.settings[0].value, uint64_t{3} << 20);
  EXPECT_THAT(advice.reason, HasSubstr("4194304 bytes of last-level cache"));
  // A sliver of a cache is no reason to bypass L2.
  EXPECT_EQ(AdviseNonTemporalThreshold(guest, GlibcBuild::Tag(28), kMemmove,
                                       now, 65536)
                .settings[0]
                .value,
            uint64_t{1} << 20);
  now.non_temporal_threshold = 12582912;
  EXPECT_TRUE(AdviseNonTemporalThreshold(guest, GlibcBuild::Tag(28), kMemmove,
                                         now, uint64_t{4} << 20)
                  .settings.empty());
}

}  // namespace
}  // namespace advisor
