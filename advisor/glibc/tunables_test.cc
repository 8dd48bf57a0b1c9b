#include "advisor/glibc/tunables.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint64_t kMax = ~uint64_t{0};

ParsedTunables Parse(absl::string_view text, int release) {
  return ParseTunables(text, GlibcBuild::Tag(release));
}

// One value for x86_non_temporal_threshold, as the release takes it.
uint64_t Threshold(absl::string_view value, int release) {
  const GlibcBuild build = GlibcBuild::Tag(release);
  return ParseTunables(
             absl::StrCat(TunableName(build, Tunable::kX86NonTemporalThreshold),
                          "=", value),
             build)
      .Number(Tunable::kX86NonTemporalThreshold);
}

std::vector<AssignmentOutcome> Outcomes(const ParsedTunables& parsed) {
  std::vector<AssignmentOutcome> outcomes;
  for (const TunableAssignment& item : parsed.assignments) {
    outcomes.push_back(item.outcome);
  }
  return outcomes;
}

TEST(TunableTable, IsInOrderAndBounded) {
  ASSERT_EQ(AllTunables().size(), static_cast<size_t>(kTunableCount));
  for (int i = 0; i < kTunableCount; ++i) {
    const TunableRow& row = AllTunables()[i];
    EXPECT_EQ(static_cast<int>(row.tunable), i);
    EXPECT_FALSE(row.name.empty());
    EXPECT_LE(row.minimum, row.maximum) << row.name;
    EXPECT_LE(row.list_default, row.maximum) << row.name;
  }
}

TEST(TunableTable, OthersAreSorted) {
  const auto rows = AllOtherTunables();
  for (size_t i = 1; i < rows.size(); ++i) {
    EXPECT_LT(rows[i - 1].name, rows[i].name);
  }
}

TEST(TunableTable, FollowsTheReleases) {
  const auto has = [](int release, Tunable tunable) {
    return HasTunable(GlibcBuild::Tag(release), tunable);
  };
  EXPECT_FALSE(has(31, Tunable::kX86RepMovsbThreshold));
  EXPECT_TRUE(has(32, Tunable::kX86RepMovsbThreshold));
  EXPECT_FALSE(has(27, Tunable::kX86Shstk));
  EXPECT_TRUE(has(28, Tunable::kX86Shstk));
  EXPECT_FALSE(has(39, Tunable::kX86MemsetNonTemporalThreshold));
  EXPECT_TRUE(has(40, Tunable::kX86MemsetNonTemporalThreshold));
  EXPECT_TRUE(HasTunable(GlibcBuild::BranchTip(39),
                         Tunable::kX86MemsetNonTemporalThreshold));
  EXPECT_FALSE(HasTunable(GlibcBuild::BranchTip(38),
                          Tunable::kX86MemsetNonTemporalThreshold));
  EXPECT_TRUE(has(39, Tunable::kHwcapMask));
  EXPECT_FALSE(has(40, Tunable::kHwcapMask));
  EXPECT_EQ(
      TunableListDefault(GlibcBuild::Tag(32), Tunable::kX86RepMovsbThreshold),
      2048u);
  EXPECT_EQ(
      TunableListDefault(GlibcBuild::Tag(33), Tunable::kX86RepMovsbThreshold),
      0u);
}

TEST(TunableNames, OldNamespaceUntil228) {
  EXPECT_EQ(Parse("glibc.tune.x86_non_temporal_threshold=77777", 28)
                .Number(Tunable::kX86NonTemporalThreshold),
            77777u);
  EXPECT_FALSE(Parse("glibc.cpu.x86_non_temporal_threshold=77777", 28)
                   .IsSet(Tunable::kX86NonTemporalThreshold));
  EXPECT_TRUE(Parse("glibc.cpu.x86_non_temporal_threshold=77777", 29)
                  .IsSet(Tunable::kX86NonTemporalThreshold));
  const ParsedTunables old =
      Parse("glibc.tune.x86_non_temporal_threshold=77777", 36);
  EXPECT_FALSE(old.IsSet(Tunable::kX86NonTemporalThreshold));
  EXPECT_THAT(Outcomes(old), ElementsAre(AssignmentOutcome::kUnknownName));
  EXPECT_THAT(old.warnings, IsEmpty());
}

TEST(TunableNames, OneStringForBothNamespaces) {
  const char* text =
      "glibc.tune.x86_shared_cache_size=4096:"
      "glibc.cpu.x86_shared_cache_size=4096";
  for (int release = kFirstRelease; release <= kLastRelease; ++release) {
    EXPECT_EQ(Parse(text, release).Number(Tunable::kX86SharedCacheSize), 4096u)
        << release;
  }
}

TEST(TunableNames, OtherPartsOfGlibc) {
  EXPECT_THAT(Outcomes(Parse("glibc.malloc.check=3:glibc.malloc.chek=3", 36)),
              ElementsAre(AssignmentOutcome::kOtherTunable,
                          AssignmentOutcome::kUnknownName));
  EXPECT_THAT(Outcomes(Parse("glibc.mem.decorate_maps=1", 38)),
              ElementsAre(AssignmentOutcome::kUnknownName));
}

TEST(TunableNumber, Syntax) {
  const struct {
    const char* text;
    uint64_t value;
    size_t length;
  } cases[] = {
      {"100", 100, 3},
      {" \t+7", 7, 4},
      {"-5", kMax - 4, 2},
      {"0x10", 16, 4},
      {"0X1f", 31, 4},
      {"0xG", 0, 2},
      {"0x", 0, 2},
      {"010", 8, 3},
      {"08", 0, 1},
      {"100k", 100, 3},
      {"1e6", 1, 1},
      {"", 0, 0},
      {"abc", 0, 0},
      {"77 ", 77, 2},
      {"-", 0, 1},
      {"18446744073709551615", kMax, 20},
      {"0xffffffffffffffff", kMax, 18},
  };
  for (const auto& c : cases) {
    const ParsedNumber number = ParseTunableNumber(c.text);
    EXPECT_EQ(number.value, c.value) << c.text;
    EXPECT_EQ(number.length, c.length) << c.text;
  }
}

TEST(TunableNumber, OverflowStopsAtTheDigitTooMany) {
  EXPECT_EQ(ParseTunableNumber("18446744073709551616").value, kMax);
  EXPECT_EQ(ParseTunableNumber("18446744073709551616").length, 19u);
  EXPECT_EQ(ParseTunableNumber("0x10000000000000000").value, kMax);
  EXPECT_EQ(ParseTunableNumber("-18446744073709551616").value, kMax);
}

TEST(TunableValues, GarbageCountsAsTheLeadingNumberUntil238) {
  for (int release : {26, 33, 36, 38}) {
    EXPECT_EQ(Threshold("100k", release), 100u);
    EXPECT_EQ(Threshold("1e6", release), 1u);
    EXPECT_EQ(Threshold("08", release), 0u);
    EXPECT_EQ(Threshold("abc", release), 0u);
    EXPECT_EQ(Threshold("99999999999999999999", release), kMax);
    EXPECT_THAT(Parse("glibc.cpu.x86_data_cache_size=1M", release).warnings,
                IsEmpty());
  }
}

TEST(TunableValues, GarbageIsRefusedWithAWarningFrom239) {
  for (int release : {39, 40, 42}) {
    for (const char* value :
         {"100k", "77 ", "1e6", "08", "abc", "99999999999999999999"}) {
      const std::string text =
          absl::StrCat("glibc.cpu.x86_data_cache_size=", value);
      const ParsedTunables parsed = Parse(text, release);
      EXPECT_FALSE(parsed.IsSet(Tunable::kX86DataCacheSize)) << value;
      EXPECT_THAT(
          parsed.warnings,
          ElementsAre(absl::StrCat(
              "WARNING: ld.so: invalid GLIBC_TUNABLES value `", value,
              "' for option `glibc.cpu.x86_data_cache_size': ignored.")));
    }
  }
}

TEST(TunableValues, WarningsOfOtherPartsAndTheirOrder) {
  const char* text =
      "glibc.malloc.check=x:glibc.cpu.x86_data_cache_size=y:nonsense=z";
  const std::string malloc =
      "WARNING: ld.so: invalid GLIBC_TUNABLES value `x' for option "
      "`glibc.malloc.check': ignored.";
  const std::string data =
      "WARNING: ld.so: invalid GLIBC_TUNABLES value `y' for option "
      "`glibc.cpu.x86_data_cache_size': ignored.";
  EXPECT_THAT(Parse(text, 38).warnings, IsEmpty());
  EXPECT_THAT(Parse(text, 39).warnings, ElementsAre(malloc, data));
  EXPECT_THAT(Parse(text, 40).warnings, ElementsAre(data, malloc));
}

TEST(TunableValues, EmptySignAndPrefixAreZeroEverywhere) {
  for (int release : {29, 36, 39, 42}) {
    for (const char* value : {"", "0x", "-0", " "}) {
      const ParsedTunables parsed =
          Parse(absl::StrCat("glibc.cpu.x86_data_cache_size=", value), release);
      EXPECT_TRUE(parsed.IsSet(Tunable::kX86DataCacheSize)) << release;
      EXPECT_EQ(parsed.Number(Tunable::kX86DataCacheSize), 0u) << release;
      EXPECT_THAT(parsed.warnings, IsEmpty()) << release;
    }
    EXPECT_EQ(Threshold("-5", release), kMax - 4);
    EXPECT_EQ(Threshold("\t 0x20", release), 32u);
  }
}

TEST(TunableValues, OutsideTheListsBoundsIsIgnoredWithoutAWord) {
  for (int release : {32, 36, 42}) {
    const ParsedTunables parsed =
        Parse("glibc.cpu.x86_rep_stosb_threshold=0", release);
    EXPECT_FALSE(parsed.IsSet(Tunable::kX86RepStosbThreshold));
    EXPECT_EQ(parsed.Number(Tunable::kX86RepStosbThreshold), 2048u);
    EXPECT_THAT(Outcomes(parsed), ElementsAre(AssignmentOutcome::kOutOfRange));
    EXPECT_THAT(parsed.warnings, IsEmpty());
  }
}

TEST(TunableValues, IntegersOf32BitsWrapFrom239) {
  const char* text = "glibc.cpu.prefer_map_32bit_exec=4294967297";
  EXPECT_FALSE(Parse(text, 38).IsSet(Tunable::kPreferMap32BitExec));
  EXPECT_TRUE(Parse(text, 39).IsSet(Tunable::kPreferMap32BitExec));
  EXPECT_EQ(Parse(text, 39).Number(Tunable::kPreferMap32BitExec), 1u);
  EXPECT_FALSE(Parse("glibc.cpu.prefer_map_32bit_exec=2", 39)
                   .IsSet(Tunable::kPreferMap32BitExec));
}

constexpr char kData[] = "glibc.cpu.x86_data_cache_size=4096";

TEST(TunableSyntax, ColonsInFrontAndInTheMiddle) {
  for (int release : {29, 34, 39, 42}) {
    for (const char* format : {":%s", "a:%s", "a=b::%s", "::a::%s"}) {
      const std::string text =
          absl::StrCat(absl::string_view(format).substr(
                           0, absl::string_view(format).size() - 2),
                       kData);
      EXPECT_TRUE(Parse(text, release).IsSet(Tunable::kX86DataCacheSize))
          << text << " " << release;
      EXPECT_THAT(Parse(text, release).warnings, IsEmpty());
    }
  }
}

TEST(TunableSyntax, TrailingColonOrNameRejectsAllFrom239) {
  for (const char* tail : {":", ":a", "::"}) {
    const std::string text = absl::StrCat(kData, tail);
    EXPECT_TRUE(Parse(text, 38).IsSet(Tunable::kX86DataCacheSize)) << tail;
    for (int release : {39, 40, 42}) {
      const ParsedTunables parsed = Parse(text, release);
      EXPECT_FALSE(parsed.IsSet(Tunable::kX86DataCacheSize)) << tail;
      EXPECT_EQ(parsed.assignments[0].outcome, AssignmentOutcome::kRejected);
      EXPECT_THAT(
          parsed.warnings,
          ElementsAre(absl::StrCat("WARNING: ld.so: invalid GLIBC_TUNABLES `",
                                   text, "': ignored.")));
    }
  }
}

TEST(TunableSyntax, SecondEqualsSign) {
  const char* text =
      "glibc.cpu.x86_data_cache_size=4096:glibc.cpu.x86_shared_cache_size=1=2";
  const ParsedTunables old = Parse(text, 33);
  EXPECT_EQ(old.Number(Tunable::kX86DataCacheSize), 4096u);
  EXPECT_EQ(old.Number(Tunable::kX86SharedCacheSize), 1u);
  const ParsedTunables strict = Parse(text, 39);
  EXPECT_FALSE(strict.IsSet(Tunable::kX86DataCacheSize));
  EXPECT_EQ(strict.warnings.size(), 1u);
}

TEST(TunableSyntax, EmptyStringSetsNothingAndWarnsOfNothing) {
  for (int release : {26, 36, 42}) {
    EXPECT_THAT(Parse("", release).assignments, IsEmpty());
    EXPECT_THAT(Parse("", release).warnings, IsEmpty());
  }
}

TEST(TunableSyntax, LastOneWins) {
  const char* text =
      "glibc.cpu.x86_data_cache_size=4096:glibc.cpu.x86_data_cache_size=8192";
  for (int release : {29, 38, 39, 40, 42}) {
    EXPECT_EQ(Parse(text, release).Number(Tunable::kX86DataCacheSize), 8192u);
  }
  EXPECT_EQ(Parse(text, 40).assignments[0].outcome,
            AssignmentOutcome::kSuperseded);
}

TEST(TunableSyntax, ABadLaterOne) {
  const char* text =
      "glibc.cpu.x86_data_cache_size=4096:glibc.cpu.x86_data_cache_size=abc";
  EXPECT_EQ(Parse(text, 38).Number(Tunable::kX86DataCacheSize), 0u);
  EXPECT_EQ(Parse(text, 39).Number(Tunable::kX86DataCacheSize), 4096u);
  EXPECT_EQ(ParseTunables(text, GlibcBuild::BranchTip(39))
                .Number(Tunable::kX86DataCacheSize),
            4096u);
  EXPECT_EQ(Parse(text, 40).Number(Tunable::kX86DataCacheSize), 0u);
  EXPECT_FALSE(Parse(text, 40).IsSet(Tunable::kX86DataCacheSize));
}

// CVE-2023-4911: a value that looks like an assignment is one as well.
TEST(TunableSyntax, SecondLookAtTheLastValue) {
  const char* text = "a=glibc.cpu.x86_data_cache_size=4096";
  EXPECT_FALSE(Parse(text, 33).IsSet(Tunable::kX86DataCacheSize));
  for (int release : {34, 36, 38}) {
    const ParsedTunables parsed = Parse(text, release);
    EXPECT_EQ(parsed.Number(Tunable::kX86DataCacheSize), 4096u) << release;
    EXPECT_TRUE(parsed.assignments.back().second_look);
  }
  EXPECT_FALSE(Parse(text, 39).IsSet(Tunable::kX86DataCacheSize));
  // On the 2.28 branch since April 2021, and never fixed there.
  EXPECT_TRUE(ParseTunables("a=glibc.tune.x86_data_cache_size=4096",
                            GlibcBuild::BranchTip(28))
                  .IsSet(Tunable::kX86DataCacheSize));
  EXPECT_FALSE(ParseTunables(text, GlibcBuild::BranchTip(36))
                   .IsSet(Tunable::kX86DataCacheSize));
  // Only the last.
  EXPECT_FALSE(Parse("a=glibc.cpu.x86_data_cache_size=4096:b=1", 36)
                   .IsSet(Tunable::kX86DataCacheSize));
}

TEST(TunableSyntax, EnableSecureSwitchesTheOthersOffFrom240) {
  const char* text =
      "glibc.cpu.x86_data_cache_size=4096:glibc.rtld.enable_secure=1";
  EXPECT_TRUE(Parse(text, 39).IsSet(Tunable::kX86DataCacheSize));
  EXPECT_FALSE(Parse(text, 40).IsSet(Tunable::kX86DataCacheSize));
  EXPECT_EQ(Parse(text, 40).assignments[0].outcome,
            AssignmentOutcome::kSecureOnly);
  EXPECT_TRUE(Parse("glibc.cpu.x86_data_cache_size=4096:"
                    "glibc.rtld.enable_secure=0",
                    40)
                  .IsSet(Tunable::kX86DataCacheSize));
}

TEST(TunableSyntax, WhatLiesBehindTheMask) {
  const ParsedTunables parsed = Parse(
      "glibc.cpu.hwcaps=-AVX2:unknown=x,Prefer_ERMS:"
      "glibc.malloc.check=1:glibc.cpu.x86_data_cache_size=1",
      36);
  EXPECT_EQ(*parsed.hwcaps, "-AVX2");
  EXPECT_EQ(parsed.behind_hwcaps,
            absl::StrCat("unknown=x,Prefer_ERMS:glibc.malloc.check=1",
                         absl::string_view("\0", 1),
                         "glibc.cpu.x86_data_cache_size=1"));
  EXPECT_EQ(Parse("glibc.cpu.hwcaps=-AVX2", 36).behind_hwcaps, "");
}

TEST(OtherTunables, ComeToAReleaseWithItsStableBranch) {
  constexpr absl::string_view kText = "glibc.gmon.minarcs=60";
  const auto outcome = [&](absl::string_view build) {
    return ParseTunables(kText, *ParseGlibcBuild(build)).assignments[0].outcome;
  };
  EXPECT_EQ(outcome("2.36"), AssignmentOutcome::kUnknownName);
  EXPECT_EQ(outcome("2.36+branch"), AssignmentOutcome::kOtherTunable);
  EXPECT_EQ(outcome("2.36-9+deb12u14"), AssignmentOutcome::kOtherTunable);
  EXPECT_EQ(outcome("2.33+branch"), AssignmentOutcome::kUnknownName);
}

TEST(OtherTunables, HaveSortedBackportsOfKnownNames) {
  const OtherTunableBackport* last = nullptr;
  for (const OtherTunableBackport& row : AllOtherTunableBackports()) {
    if (last != nullptr) {
      EXPECT_LE(last->name, row.name);
      if (last->name == row.name) {
        EXPECT_LT(last->release, row.release);
      }
    }
    const auto rows = AllOtherTunables();
    EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [&](const auto& other) {
      return other.name == row.name;
    })) << row.name;
    last = &row;
  }
}

}  // namespace
}  // namespace advisor
