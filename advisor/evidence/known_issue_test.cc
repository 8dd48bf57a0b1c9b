#include "advisor/evidence/known_issue.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "advisor/cpu/cpuid_dump.h"
#include "advisor/glibc/expected_vectors.h"
#include "advisor/host/file_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

CpuidTable ReadFixture(absl::string_view name) {
  if (absl::ConsumePrefix(&name, "vector:")) return VectorNamed(name);
  const std::string path = absl::StrCat("testdata/cpuid/", name, ".txt");
  return ParseCpuidDump(*RealFileReader().Read(path), path)->cpus[0];
}

std::vector<KnownIssue> IssuesOf(const KnownIssueRow::Sample& sample) {
  const CpuidTable cpuid = ReadFixture(sample.fixture);
  const CpuModel cpu = DecodeCpuModel(cpuid);
  const GlibcBuild build = *ParseGlibcBuild(sample.build);
  const Prediction prediction = Predict(cpuid, build, sample.glibc_tunables);
  return ApplicableKnownIssues(
      {cpuid, cpu, build, prediction, sample.glibc_tunables, std::nullopt});
}

std::vector<std::string> IdsOf(const KnownIssueRow::Sample& sample) {
  std::vector<std::string> ids;
  for (const KnownIssue& issue : IssuesOf(sample)) ids.push_back(issue.id);
  return ids;
}

TEST(KnownIssueTableTest, RowsAreSortedAndWhole) {
  std::set<absl::string_view> ids;
  Severity severity = Severity::kCritical;
  absl::string_view last;
  for (const KnownIssueRow& row : AllKnownIssues()) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    EXPECT_LE(row.severity, severity) << row.id;
    if (row.severity == severity) {
      EXPECT_LT(last, row.id);
    }
    severity = row.severity;
    last = row.id;
    EXPECT_FALSE(row.reference.empty()) << row.id;
    EXPECT_TRUE(absl::EndsWith(row.remedy, ".")) << row.id;
    EXPECT_FALSE(absl::EndsWith(row.fixed_in, ".")) << row.id;
  }
  // A hazard's id would be taken for it.
  for (const HazardRow& row : AllHazards()) {
    EXPECT_EQ(ids.count(row.id), 0u) << row.id;
  }
}

TEST(KnownIssueTableTest, EachFixtureTriggersItsRowAndItsNeighbourDoesNot) {
  for (const KnownIssueRow& row : AllKnownIssues()) {
    EXPECT_THAT(IdsOf(row.fixture), Contains(std::string(row.id)));
    EXPECT_THAT(IdsOf(row.neighbour), Not(Contains(std::string(row.id))));
  }
}

TEST(KnownIssueTableTest, TitlesAreClausesThatFindingsComplete) {
  for (const KnownIssueRow& row : AllKnownIssues()) {
    for (const KnownIssue& issue : IssuesOf(row.fixture)) {
      EXPECT_FALSE(issue.title.empty()) << issue.id;
      EXPECT_FALSE(absl::EndsWith(issue.title, ".")) << issue.id;
      const Finding finding = KnownIssueFinding(issue);
      EXPECT_EQ(finding.title, issue.title + ".");
      EXPECT_THAT(finding.detail, HasSubstr(issue.remedy));
      EXPECT_FALSE(finding.evidence.empty());
    }
  }
}

// A healthy machine with a current glibc has nothing to say.
TEST(KnownIssueTableTest, IsQuietWhereNothingIsWrong) {
  for (const char* const host :
       {"field/seed_host_30m", "field/seed_host_37m",
        "intel_06-cf-02_xeon-emerald-rapids_local_firecracker-2-vcpu",
        "amd_19-01-01_epyc-milan_qemu-tcg_qemu72-tcg-epyc-milan"}) {
    for (const char* const build :
         {"2.39+branch", "2.40+branch", "2.41+branch", "2.42"}) {
      EXPECT_THAT(IdsOf({host, build}), IsEmpty()) << host << " " << build;
    }
  }
}

TEST(KnownIssueTableTest, NumbersAreTheModels) {
  const std::vector<KnownIssue> issues = IssuesOf({"vector:hsw_host", "2.32"});
  ASSERT_FALSE(issues.empty());
  EXPECT_THAT(issues[0].title, HasSubstr("2048"));
  EXPECT_THAT(issues[0].title, HasSubstr("4096 was meant"));
}

TEST(CoverageTest, WhatCoversIsThere) {
  std::set<absl::string_view> hazards, issues, covering;
  for (const HazardRow& row : AllHazards()) hazards.insert(row.id);
  for (const KnownIssueRow& row : AllKnownIssues()) issues.insert(row.id);
  for (const CoverageRow& row : AllCoverage()) {
    EXPECT_FALSE(row.report.empty() || row.by.empty()) << row.report;
    if (row.how == CoveredBy::kHazard) {
      EXPECT_EQ(hazards.count(row.by), 1u) << row.by;
    } else if (row.how == CoveredBy::kKnownIssue) {
      EXPECT_EQ(issues.count(row.by), 1u) << row.by;
      covering.insert(row.by);
    }
  }
  // Every row comes from a report.
  EXPECT_EQ(covering, issues);
}

}  // namespace
}  // namespace advisor
