#include "advisor/glibc/build.h"

#include <set>
#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

GlibcBuild Parsed(absl::string_view text) {
  absl::StatusOr<GlibcBuild> build = ParseGlibcBuild(text);
  EXPECT_TRUE(build.ok()) << build.status();
  return *std::move(build);
}

TEST(Build, TagsAndTips) {
  const GlibcBuild tag = Parsed("2.28");
  EXPECT_EQ(tag.name(), "2.28");
  EXPECT_EQ(tag.release(), 28);
  EXPECT_TRUE(tag.certain());
  EXPECT_EQ(tag.note(), "");
  EXPECT_TRUE(tag.Has(Change::kPreferFsrm));
  EXPECT_FALSE(tag.Has(Change::kNonTemporalOfTotal));

  const GlibcBuild tip = Parsed("2.28+branch");
  EXPECT_EQ(tip.name(), "2.28+branch");
  EXPECT_TRUE(tip.Has(Change::kNonTemporalOfTotal));
  EXPECT_FALSE(tip.Has(Change::kNonTemporalDivisor));
  EXPECT_FALSE(tip.Has(Change::kHygonAsAmd));
}

TEST(Build, ChangesThatNoReleaseHasReachBranches) {
  EXPECT_FALSE(Parsed("2.42").Has(Change::kWildcatLake));
  EXPECT_TRUE(Parsed("2.42+branch").Has(Change::kWildcatLake));
  EXPECT_FALSE(Parsed("2.38+branch").Has(Change::kWildcatLake));
}

TEST(Build, Namespaces) {
  EXPECT_EQ(Parsed("2.28+branch").tunable_namespace(), "glibc.tune.");
  EXPECT_EQ(Parsed("2.29").tunable_namespace(), "glibc.cpu.");
}

TEST(Build, EveryUpstreamBuildOnce) {
  std::set<std::string> names;
  for (const GlibcBuild& build : UpstreamBuilds()) {
    EXPECT_TRUE(names.insert(build.name()).second) << build.name();
    EXPECT_EQ(Parsed(build.name()).name(), build.name());
  }
  EXPECT_EQ(names.size(), 34u);
  EXPECT_EQ(UpstreamBuilds().front().name(), "2.26");
  EXPECT_EQ(UpstreamBuilds().back().name(), "2.42+branch");
}

TEST(Build, RefusesOtherForms) {
  for (const char* text :
       {"", "2", "2.", "2.x", "2.3x", "3.36", "glibc-2.36", "2.36.1", "2.36-",
        "2.36+", "2.36+branch2", "2.36+b1", " 2.36", "2.-36", "2.+36"}) {
    const absl::StatusOr<GlibcBuild> build = ParseGlibcBuild(text);
    ASSERT_FALSE(build.ok()) << text;
    EXPECT_EQ(build.status().code(), absl::StatusCode::kInvalidArgument)
        << text;
  }
}

TEST(Build, RefusesReleasesOutsideTheModel) {
  for (const char* text : {"2.25", "2.43", "2.17-325.el7", "2.999999"}) {
    const absl::StatusOr<GlibcBuild> build = ParseGlibcBuild(text);
    ASSERT_FALSE(build.ok()) << text;
    EXPECT_EQ(build.status().code(), absl::StatusCode::kOutOfRange) << text;
  }
}

// Debian 12 took the branch in steps.
TEST(Build, Debian12) {
  EXPECT_FALSE(Parsed("2.36").Has(Change::kNonTemporalClamp));
  EXPECT_TRUE(Parsed("2.36-9").Has(Change::kNonTemporalClamp));
  EXPECT_FALSE(Parsed("2.36-9+deb12u1").Has(Change::kNonTemporalOfTotal));
  EXPECT_TRUE(Parsed("2.36-9+deb12u2").Has(Change::kNonTemporalOfTotal));
  EXPECT_FALSE(Parsed("2.36-9+deb12u2").Has(Change::kParserEnds));
  EXPECT_TRUE(Parsed("2.36-9+deb12u3").Has(Change::kParserEnds));
  EXPECT_TRUE(Parsed("2.36-9+deb12u4").Has(Change::kParserEnds));
  EXPECT_FALSE(Parsed("2.36-9+deb12u9").Has(Change::kLeaf2LowByte));
  EXPECT_TRUE(Parsed("2.36-9+deb12u10").Has(Change::kLeaf2LowByte));
  for (const Change change :
       {Change::kWideMovsb, Change::kLeaf2LowByte, Change::kParserEnds}) {
    EXPECT_EQ(Parsed("2.36-9+deb12u14").Has(change),
              Parsed("2.36+branch").Has(change));
  }
  EXPECT_TRUE(Parsed("2.36-9+deb12u14").certain());
  EXPECT_FALSE(Parsed("2.36-9+deb12u15").certain());
}

TEST(Build, Debian11And10) {
  EXPECT_TRUE(Parsed("2.31-13").certain());
  EXPECT_TRUE(Parsed("2.31-13").Has(Change::kNonTemporalPerThread));
  EXPECT_FALSE(Parsed("2.31-13").Has(Change::kEvexMemmove));
  EXPECT_FALSE(Parsed("2.31-13+deb11u13").certain());
  EXPECT_TRUE(Parsed("2.31-13+deb11u13").Has(Change::kNonTemporalPerThread));
  EXPECT_TRUE(Parsed("2.28-10").Has(Change::kHaswellFlags));
  EXPECT_FALSE(Parsed("2.28-10").Has(Change::kShortDistanceTest));
}

TEST(Build, Rhel8KnowsOfThePagedCopy) {
  const GlibcBuild newer = Parsed("2.28-251.el8_10.2");
  EXPECT_FALSE(newer.certain());
  EXPECT_TRUE(newer.Has(Change::kPagedLargeCopy));
  EXPECT_FALSE(newer.Has(Change::kHygonAsAmd));
  const GlibcBuild older = Parsed("2.28-151.el8");
  EXPECT_FALSE(older.certain());
  EXPECT_FALSE(older.Has(Change::kPagedLargeCopy));
}

TEST(Build, UnknownRevisionIsTheReleaseAndSaysSo) {
  const GlibcBuild build = Parsed("2.35-0ubuntu3.8");
  EXPECT_EQ(build.name(), "2.35-0ubuntu3.8");
  EXPECT_FALSE(build.certain());
  EXPECT_NE(build.note().find("2.35 as tagged; replay the loader to be sure"),
            std::string::npos);
  const GlibcBuild tag = Parsed("2.35");
  for (size_t i = 0; i < kChangeCount; ++i) {
    EXPECT_EQ(build.Has(static_cast<Change>(i)),
              tag.Has(static_cast<Change>(i)));
  }
}

}  // namespace
}  // namespace advisor
