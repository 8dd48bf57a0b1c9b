#include "advisor/validity.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "advisor/cpu/cpuid_dump.h"
#include "advisor/host/file_reader.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

TunableSetting Number(const std::string& name) { return {name, 1, {}, ""}; }

TunableSetting Mask(const std::string& name, const std::string& mask) {
  return {name, 0, {}, "", mask};
}

TEST(ReleasesWithNamesTest, AreThoseOfTheYoungestName) {
  EXPECT_EQ(ReleasesWithNames({}), "");
  EXPECT_EQ(
      ReleasesWithNames({Number("glibc.tune.x86_non_temporal_threshold")}),
      "2.26 to 2.28");
  EXPECT_EQ(ReleasesWithNames({Number("glibc.cpu.x86_non_temporal_threshold")}),
            "2.29 to 2.42");
  EXPECT_EQ(ReleasesWithNames({Number("glibc.cpu.x86_non_temporal_threshold"),
                               Number("glibc.cpu.x86_rep_movsb_threshold")}),
            "2.32 to 2.42");
  EXPECT_EQ(ReleasesWithNames(
                {Number("glibc.cpu.x86_memset_non_temporal_threshold")}),
            "2.40 to 2.42");
  EXPECT_EQ(ReleasesWithNames({Number("glibc.cpu.x86_no_such_thing")}), "");
  // Both exist, in no release together.
  EXPECT_EQ(ReleasesWithNames({Number("glibc.tune.x86_non_temporal_threshold"),
                               Number("glibc.cpu.x86_rep_movsb_threshold")}),
            "");
}

TEST(ReleasesWithNamesTest, LookAtTheWordsOfAMask) {
  EXPECT_EQ(ReleasesWithNames({Mask("glibc.cpu.hwcaps", "-ERMS")}),
            "2.29 to 2.42");
  EXPECT_EQ(ReleasesWithNames({Mask("glibc.cpu.hwcaps", "-AVX2_Usable")}),
            "2.29 to 2.31");
  EXPECT_EQ(ReleasesWithNames({Mask("glibc.cpu.hwcaps", "-AVX9")}), "");
}

std::string From(const char* name, int release) {
  const std::string path = absl::StrCat("testdata/cpuid/", name, ".txt");
  const auto text = RealFileReader().Read(path);
  EXPECT_TRUE(text.ok()) << text.status();
  const auto dump = ParseCpuidDump(text.value_or(""), path);
  EXPECT_TRUE(dump.ok()) << dump.status();
  return ObsoleteFrom(dump->cpus[0], GlibcBuild::Tag(release));
}

// 2.33 counts the threads otherwise.
TEST(ObsoleteFromTest, IsTheReleaseThatNeedsNoCureAnyMore) {
  EXPECT_EQ(From("field/seed_guest_htt0", 28), "2.33");
  EXPECT_EQ(From("field/seed_guest_htt0", 32), "2.33");
}

// Leaf 0x80000006 counts up to 2.36 and again from 2.39; 2.37 reads leaf
// 0x8000001D alone, which is empty here.
TEST(ObsoleteFromTest, EveryLaterReleaseMustBeSound) {
  EXPECT_EQ(From("field/turin_guest_80000006_zero", 34), "2.37");
  EXPECT_EQ(From("amd_1a-02-01_oxide-virtual-turin-like_local_bhyve-this-"
                 "machine",
                 36),
            "2.38");
}

TEST(ObsoleteFromTest, IsEmptyInTheNewestRelease) {
  EXPECT_EQ(From("field/seed_guest_htt0", kLastRelease), "");
}

}  // namespace
}  // namespace advisor
