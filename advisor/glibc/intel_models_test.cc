#include "advisor/glibc/intel_models.h"

#include "gtest/gtest.h"

namespace advisor {
namespace {

IntelTuning Tuning(uint32_t family, uint32_t model, const GlibcBuild& build) {
  return FindIntelModel(family, model, build).tuning;
}

TEST(IntelModels, AreSorted) {
  const auto rows = AllIntelModels();
  for (size_t i = 1; i < rows.size(); ++i) {
    EXPECT_LT(rows[i - 1].model, rows[i].model);
  }
}

TEST(IntelModels, KeepTheNameBeforeTheTuning) {
  const IntelModel before = FindIntelModel(6, 0xcc, GlibcBuild::Tag(41));
  EXPECT_EQ(before.microarch, "Panther Lake");
  EXPECT_EQ(before.tuning, IntelTuning::kDefault);
  EXPECT_EQ(Tuning(6, 0xcc, GlibcBuild::BranchTip(41)),
            IntelTuning::kNewerCore);
  EXPECT_EQ(Tuning(6, 0xcc, GlibcBuild::Tag(42)), IntelTuning::kNewerCore);
}

TEST(IntelModels, AtomTable) {
  EXPECT_EQ(Tuning(6, 0x86, GlibcBuild::Tag(31)), IntelTuning::kDefault);
  EXPECT_EQ(Tuning(6, 0x86, GlibcBuild::Tag(32)), IntelTuning::kTremont);
  EXPECT_EQ(Tuning(6, 0x35, GlibcBuild::Tag(37)), IntelTuning::kDefault);
  EXPECT_EQ(Tuning(6, 0x35, GlibcBuild::Tag(38)), IntelTuning::kBonnell);
}

TEST(IntelModels, OtherFamilies) {
  EXPECT_EQ(Tuning(0x13, 1, GlibcBuild::Tag(42)), IntelTuning::kNewerCore);
  EXPECT_EQ(Tuning(0x13, 1, GlibcBuild::Tag(41)), IntelTuning::kDefault);
  EXPECT_EQ(Tuning(0x13, 2, GlibcBuild::Tag(42)), IntelTuning::kDefault);
  EXPECT_EQ(Tuning(0x12, 3, GlibcBuild::Tag(42)), IntelTuning::kDefault);
  EXPECT_EQ(Tuning(0x12, 3, GlibcBuild::BranchTip(42)),
            IntelTuning::kNewerCore);
  // The model number of a family 6 part in another family is no such part.
  EXPECT_EQ(FindIntelModel(0xf, 0x3e, GlibcBuild::Tag(42)).microarch,
            "unknown");
}

}  // namespace
}  // namespace advisor
