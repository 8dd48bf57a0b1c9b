#include "advisor/measurement/part.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::kernels::Alignment;
using ::kernels::Contrast;
using ::kernels::Regime;

constexpr uint64_t kMiB = 1 << 20;

MeasuredLibc Libc(const GlibcBuild& build, bool is_amd) {
  MeasuredLibc libc{build};
  libc.is_amd = is_amd;
  libc.now.rep_movsb_threshold = is_amd ? 24 * kMiB : 2048;
  libc.now.rep_movsb_stop_threshold = 24 * kMiB;
  libc.now.non_temporal_threshold = 24 * kMiB;
  libc.now.rep_stosb_threshold = 2048;
  libc.memmove_variant = "evex_unaligned_erms";
  libc.memset_variant = "evex_unaligned_erms";
  return libc;
}

// Sizes of memmove by octaves, from 1 KiB to 16 MiB: rep movsb costs
// `rep_string` below 16 KiB, non-temporal stores `non_temporal` from 1 MiB on.
kernels::Study Measured(double rep_string, double non_temporal) {
  kernels::Study study;
  study.processes = 4;
  const auto add = [&](uint64_t size, Regime regime, int side, double ratio) {
    kernels::ContrastResult result;
    result.contrast =
        Contrast{{false, size, Alignment::kAligned, regime, 1}, 0, side, 15};
    result.log_ratios = {ratio - 0.001, ratio, ratio, ratio + 0.001};
    study.results.push_back(result);
  };
  for (uint64_t size = 1025; size <= 16 * kMiB + 1; size = size * 2 - 1) {
    add(size, Regime::kHot, kRepStringSide, size < 16384 ? rep_string : 0);
    if (size > kMiB) {
      add(size, Regime::kRotating, kNonTemporalSide, non_temporal);
    }
  }
  return study;
}

PathQuestions Questions() {
  PathQuestions questions;
  questions.rep_movsb_from = 513;
  questions.non_temporal_copy = true;
  return questions;
}

std::vector<Part> Proposed(const MeasuredLibc& libc,
                           const kernels::Study& study, bool repair,
                           const Workload* workload = nullptr) {
  return ProposeParts(libc, WholeParts(libc, Questions(), study, workload),
                      repair);
}

std::vector<std::string> Names(const std::vector<Part>& parts) {
  std::vector<std::string> names;
  for (const Part& part : parts) names.push_back(NamesOf(part.settings));
  return names;
}

TEST(PartTest, TwoSettingsAreTwoParts) {
  const MeasuredLibc libc = Libc(GlibcBuild::Tag(36), false);
  const std::vector<Part> parts = Proposed(libc, Measured(0.4, -0.3), true);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_THAT(Names(parts)[0], testing::StartsWith("x86_rep_movsb_threshold="));
  EXPECT_THAT(Names(parts)[1],
              testing::StartsWith("x86_non_temporal_threshold="));
  // Both are in force while each is proved.
  EXPECT_EQ(parts[0].proposed.non_temporal_threshold,
            parts[1].settings[0].value);
  EXPECT_EQ(parts[1].proposed.rep_movsb_threshold, parts[0].settings[0].value);
  EXPECT_EQ(parts[0].after().non_temporal_threshold, 24 * kMiB);
  EXPECT_EQ(parts[0].Subject().before(4096), CopyPath::kRepString);
  EXPECT_EQ(parts[0].Subject().after(4096), CopyPath::kVectors);
}

// One threshold of AMD's without the other opens the rep movsb zone.
TEST(PartTest, OnAmdFrom240TheyAreOne) {
  const MeasuredLibc libc = Libc(GlibcBuild::Tag(40), true);
  const std::vector<Part> parts = Proposed(libc, Measured(-0.4, -0.3), true);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].settings.size(), 2u);
}

TEST(PartTest, NothingBetterIsNoPart) {
  const MeasuredLibc libc = Libc(GlibcBuild::Tag(36), false);
  EXPECT_THAT(Proposed(libc, Measured(0, 0.2), true), testing::IsEmpty());
}

TEST(PartTest, ARepairIsProposedThoughNothingIsBetter) {
  MeasuredLibc libc = Libc(GlibcBuild::Tag(36), false);
  libc.repairs = {{"x", 32 * kMiB, 24 * kMiB, "no cache information"}};
  const std::vector<Part> parts = Proposed(libc, Measured(0, 0.2), true);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].settings[0].value, 32 * kMiB);
  EXPECT_EQ(parts[0].settings[0].reason, "no cache information");
  EXPECT_THAT(Proposed(libc, Measured(0, 0.2), false), testing::IsEmpty());
}

// A workload of 4 KiB copies and a great many small ones.
TEST(PartTest, AWorkloadChoosesItsOwnSizes) {
  const MeasuredLibc libc = Libc(GlibcBuild::Tag(36), false);
  kernels::Study study = Measured(0.4, -0.3);
  for (kernels::ContrastResult& result : study.results) {
    result.base_cycles = static_cast<double>(result.contrast.cell.size) / 32;
  }
  Workload workload;
  workload.functions = {{"memcpy", {{64, 1000, 64000}, {4000, 500, 2000000}}}};
  const std::vector<Part> parts = Proposed(libc, study, true, &workload);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_THAT(Names(parts)[0], testing::StartsWith("x86_rep_movsb_threshold="));
  EXPECT_THAT(parts[0].settings[0].reason, testing::HasSubstr("workload's"));
  EXPECT_THAT(parts[0].OwnSizes(), testing::ElementsAre(4000));
  EXPECT_THAT(parts[0].Subject().sizes, testing::ElementsAre(4000));
  const auto weight = [&](uint64_t size) {
    return parts[0].Weight({false, size, Alignment::kAligned, Regime::kHot, 1});
  };
  EXPECT_GT(weight(4097), 0);
  EXPECT_EQ(weight(8193), 0);
  // Without large calls there is nothing to set.
  workload.functions[0].sizes.pop_back();
  EXPECT_THAT(Proposed(libc, study, true, &workload), testing::IsEmpty());
}

}  // namespace
}  // namespace advisor
