#include "advisor/glibc/thresholds.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "advisor/glibc/expected_vectors.h"
#include "advisor/glibc/prediction.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

constexpr uint64_t kMax = ~uint64_t{0};

Thresholds With(const CpuidTable& cpu, absl::string_view build_name,
                absl::string_view tunable = "") {
  const GlibcBuild build = *ParseGlibcBuild(build_name);
  const std::string text =
      tunable.empty() ? "" : absl::StrCat(build.tunable_namespace(), tunable);
  return Predict(cpu, build, text).thresholds;
}

class Tunables : public ::testing::Test {
 protected:
  // ERMS, no FSRM, AVX-512, 24 cores.
  const CpuidTable skx_ = VectorNamed("skx_host");
  // ERMS and FSRM.
  const CpuidTable zen3_ = VectorNamed("zen3_7763");
  // The unknown vendor with and without ERMS.
  const CpuidTable unknown_ = VectorNamed("unknown_erms");
};

TEST_F(Tunables, NonTemporalHasNoFloorUntil236) {
  for (const char* build : {"2.26", "2.32", "2.33", "2.35", "2.36"}) {
    EXPECT_EQ(With(skx_, build, "x86_non_temporal_threshold=0x1000")
                  .non_temporal_threshold,
              0x1000u)
        << build;
    EXPECT_EQ(With(skx_, build, "x86_non_temporal_threshold=0")
                  .non_temporal_threshold,
              With(skx_, build).non_temporal_threshold)
        << build;
    EXPECT_EQ(With(skx_, build, "x86_non_temporal_threshold=-1")
                  .non_temporal_threshold,
              kMax)
        << build;
  }
}

TEST_F(Tunables, NonTemporalMustBeAbove0x4040From237) {
  for (const char* build :
       {"2.37", "2.39", "2.42", "2.34+branch", "2.36+branch"}) {
    const uint64_t computed = With(skx_, build).non_temporal_threshold;
    for (const char* refused :
         {"0x1000", "0x4040", "0x1000000000000000", "-1"}) {
      EXPECT_EQ(With(skx_, build,
                     absl::StrCat("x86_non_temporal_threshold=", refused))
                    .non_temporal_threshold,
                computed)
          << build << " " << refused;
    }
    EXPECT_EQ(With(skx_, build, "x86_non_temporal_threshold=0x4041")
                  .non_temporal_threshold,
              0x4041u)
        << build;
    EXPECT_EQ(With(skx_, build, "x86_non_temporal_threshold=0xfffffffffffffff")
                  .non_temporal_threshold,
              kMaximumNonTemporalThreshold)
        << build;
  }
}

// 2.36 listed bounds that it did not keep.
TEST_F(Tunables, RecordOfAValueOutsideTheBounds) {
  const auto record = [&](const char* build) {
    return *With(skx_, build, "x86_non_temporal_threshold=0x1000")
                .records[static_cast<int>(Tunable::kX86NonTemporalThreshold)];
  };
  EXPECT_EQ(record("2.36").value, 0x1000u);
  EXPECT_EQ(record("2.36").minimum, 0u);
  EXPECT_EQ(record("2.36").maximum, kMax);
  EXPECT_EQ(record("2.37").minimum, 0x4040u);
}

TEST_F(Tunables, SizesMoveTheThresholdUntil232) {
  EXPECT_EQ(With(skx_, "2.28", "x86_shared_cache_size=0x100000")
                .non_temporal_threshold,
            0x100000u * 48 * 3 / 4);
  for (const char* build : {"2.33", "2.36", "2.42"}) {
    const Thresholds thresholds =
        With(skx_, build, "x86_shared_cache_size=0x100000");
    EXPECT_EQ(thresholds.shared_cache_size, 0x100000u) << build;
    EXPECT_EQ(thresholds.non_temporal_threshold,
              With(skx_, build).non_temporal_threshold)
        << build;
  }
}

TEST_F(Tunables, SizesAreRoundedDown) {
  for (const char* build : {"2.28", "2.33", "2.36", "2.42"}) {
    EXPECT_EQ(With(skx_, build, "x86_data_cache_size=1000").data_cache_size,
              768u)
        << build;
  }
  // Below 256 nothing is left; later builds keep their default then.
  EXPECT_EQ(With(skx_, "2.28", "x86_data_cache_size=255").data_cache_size, 0u);
  EXPECT_EQ(With(skx_, "2.34", "x86_data_cache_size=255").data_cache_size, 0u);
  EXPECT_EQ(With(skx_, "2.35", "x86_data_cache_size=255").data_cache_size,
            32768u);
}

TEST_F(Tunables, RepMovsbMustBeAboveEightVectors) {
  // Skylake-SP is in the class of 32-byte vectors.
  for (const char* build : {"2.33", "2.35", "2.39", "2.42"}) {
    const uint64_t computed = *With(skx_, build).rep_movsb_threshold;
    EXPECT_EQ(
        *With(skx_, build, "x86_rep_movsb_threshold=256").rep_movsb_threshold,
        computed)
        << build;
    EXPECT_EQ(
        *With(skx_, build, "x86_rep_movsb_threshold=257").rep_movsb_threshold,
        257u)
        << build;
    EXPECT_EQ(
        *With(skx_, build, "x86_rep_movsb_threshold=0").rep_movsb_threshold,
        computed)
        << build;
  }
  // In 2.32 the list's default of 2048 acts, and a refused value brings the
  // default by vector size.
  EXPECT_EQ(*With(skx_, "2.32").rep_movsb_threshold, 2048u);
  EXPECT_EQ(
      *With(skx_, "2.32", "x86_rep_movsb_threshold=256").rep_movsb_threshold,
      4096u);
  EXPECT_FALSE(With(skx_, "2.31").rep_movsb_threshold.has_value());
}

// Bug 32470: a 32-bit variable.
TEST_F(Tunables, RepMovsbIsCutTo32BitsUntil240) {
  const char* text = "x86_rep_movsb_threshold=4294967296";
  for (const char* build : {"2.33", "2.36", "2.40"}) {
    const Thresholds thresholds = With(skx_, build, text);
    EXPECT_EQ(*thresholds.rep_movsb_threshold, 0u) << build;
    EXPECT_EQ(
        thresholds.records[static_cast<int>(Tunable::kX86RepMovsbThreshold)]
            ->value,
        4294967296u)
        << build;
  }
  for (const char* build : {"2.41", "2.40+branch", "2.34+branch"}) {
    EXPECT_EQ(*With(skx_, build, text).rep_movsb_threshold, 4294967296u)
        << build;
  }
  // The comparison is signed as long as the variable is narrow.
  const char* huge = "x86_rep_movsb_threshold=0x8000000000000000";
  EXPECT_EQ(*With(skx_, "2.40", huge).rep_movsb_threshold, 8192u);
  EXPECT_EQ(*With(skx_, "2.41", huge).rep_movsb_threshold, uint64_t{1} << 63);
}

TEST_F(Tunables, StopFollowsTheThresholdFrom236) {
  const char* text = "x86_non_temporal_threshold=0x2000000";
  for (const char* build : {"2.34", "2.35"}) {
    EXPECT_EQ(*With(skx_, build, text).rep_movsb_stop_threshold,
              With(skx_, build).non_temporal_threshold)
        << build;
  }
  for (const char* build : {"2.36", "2.39", "2.35+branch"}) {
    EXPECT_EQ(*With(skx_, build, text).rep_movsb_stop_threshold, 0x2000000u)
        << build;
  }
  for (const char* build : {"2.34", "2.36", "2.39"}) {
    EXPECT_EQ(*With(zen3_, build, text).rep_movsb_stop_threshold, 524288u)
        << build;
  }
  EXPECT_EQ(*With(zen3_, "2.40", text).rep_movsb_stop_threshold, 0x2000000u);
}

TEST_F(Tunables, AmdRepMovsbIsTheComputedThresholdFrom240) {
  const Thresholds thresholds =
      With(zen3_, "2.40", "x86_non_temporal_threshold=0x4000000");
  EXPECT_EQ(thresholds.non_temporal_threshold, 0x4000000u);
  EXPECT_EQ(*thresholds.rep_movsb_threshold, 25165824u);
  EXPECT_EQ(*thresholds.memset_non_temporal_threshold, 25165824u);
  EXPECT_EQ(*With(zen3_, "2.39").rep_movsb_threshold, 2112u);
}

TEST_F(Tunables, AmdRepStosbGivesWayToTheUser) {
  EXPECT_EQ(*With(zen3_, "2.40").rep_stosb_threshold, kMax);
  EXPECT_EQ(
      *With(zen3_, "2.40", "x86_rep_stosb_threshold=2048").rep_stosb_threshold,
      2048u);
  // 0 is outside the list's bounds, so it is as if unset.
  EXPECT_EQ(
      *With(zen3_, "2.40", "x86_rep_stosb_threshold=0").rep_stosb_threshold,
      kMax);
  EXPECT_EQ(*With(zen3_, "2.39").rep_stosb_threshold, 2048u);
}

TEST_F(Tunables, MemsetThresholdTakesTheUsersValueEverywhere) {
  const char* text = "x86_memset_non_temporal_threshold=0x100000";
  EXPECT_EQ(*With(skx_, "2.40").memset_non_temporal_threshold, kMax);
  EXPECT_EQ(*With(skx_, "2.40", text).memset_non_temporal_threshold, 0x100000u);
  EXPECT_EQ(*With(skx_, "2.42", "x86_memset_non_temporal_threshold=0x4040")
                 .memset_non_temporal_threshold,
            kMax);
  EXPECT_FALSE(
      With(skx_, "2.39", text).memset_non_temporal_threshold.has_value());
}

TEST_F(Tunables, WithoutErmsRepStosbIsTheMemsetThresholdFrom241) {
  const CpuidTable zen2 = VectorNamed("zen2_7742");
  EXPECT_EQ(*With(zen2, "2.41").rep_stosb_threshold,
            *With(zen2, "2.41").memset_non_temporal_threshold);
  EXPECT_EQ(
      *With(zen2, "2.41", "x86_rep_stosb_threshold=4096").rep_stosb_threshold,
      *With(zen2, "2.41").memset_non_temporal_threshold);
  EXPECT_EQ(*With(zen2, "2.41", "x86_memset_non_temporal_threshold=0x100000")
                 .rep_stosb_threshold,
            0x100000u);
}

// Seven strings that look right and are not; checked on Debian's loader.
TEST(SilentRejects, OnDebian12) {
  const CpuidTable cpu = VectorNamed("zen5_9555");
  const GlibcBuild build = *ParseGlibcBuild("2.36-9+deb12u14");
  const Thresholds plain = Predict(cpu, build).thresholds;
  const auto with = [&](absl::string_view text) {
    return Predict(cpu, build, text).thresholds;
  };
  const std::string name = "glibc.cpu.x86_non_temporal_threshold";
  EXPECT_EQ(with(name + "=0x4040").non_temporal_threshold,
            plain.non_temporal_threshold);
  EXPECT_EQ(with(name + "=0x4041").non_temporal_threshold, 0x4041u);
  EXPECT_EQ(*with("glibc.cpu.x86_rep_movsb_threshold=512").rep_movsb_threshold,
            *plain.rep_movsb_threshold);
  EXPECT_EQ(*with("glibc.cpu.x86_rep_movsb_threshold=0").rep_movsb_threshold,
            *plain.rep_movsb_threshold);
  EXPECT_EQ(with("glibc.tune.x86_non_temporal_threshold=0x100000")
                .non_temporal_threshold,
            plain.non_temporal_threshold);
  EXPECT_EQ(with(name + "=1M").non_temporal_threshold,
            plain.non_temporal_threshold);
  // A comma for a colon: the second assignment is part of the first value.
  const Thresholds comma =
      with(name + "=1048576,glibc.cpu.x86_rep_movsb_threshold=4096");
  EXPECT_EQ(comma.non_temporal_threshold, 1048576u);
  EXPECT_EQ(*comma.rep_movsb_threshold, *plain.rep_movsb_threshold);
  const Thresholds shared = with("glibc.cpu.x86_shared_cache_size=0x100000");
  EXPECT_EQ(shared.shared_cache_size, 0x100000u);
  EXPECT_EQ(shared.non_temporal_threshold, plain.non_temporal_threshold);
}

// The guard of 2.37 and later holds for every table, whatever it says.
TEST(Invariants, GuardedBuildsKeepTheFloor) {
  for (const auto& [name, input] : ExpectedVectors()["cases"].items()) {
    const CpuidTable cpu = ParseVector(input);
    for (const GlibcBuild& build : UpstreamBuilds()) {
      if (!build.Has(Change::kNonTemporalClamp)) continue;
      for (const char* value : {"", "0", "1", "0x4040", "-1"}) {
        const Prediction prediction = Predict(
            cpu, build,
            *value == '\0'
                ? std::string()
                : absl::StrCat("glibc.cpu.x86_non_temporal_threshold=", value),
            Reasoning::kOmitted);
        if (prediction.hangs) continue;
        const uint64_t threshold = prediction.thresholds.non_temporal_threshold;
        EXPECT_GE(threshold, kMinimumNonTemporalThreshold) << name;
        EXPECT_LE(threshold, kMaximumNonTemporalThreshold) << name;
      }
    }
  }
}

}  // namespace
}  // namespace advisor
