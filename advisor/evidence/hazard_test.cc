#include "advisor/evidence/hazard.h"

#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "advisor/cpu/cpuid_dump.h"
#include "advisor/glibc/expected_vectors.h"
#include "advisor/host/file_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Optional;

// A row's fixture: a file of testdata/cpuid, or "vector:NAME"; then "erms" to
// set that bit, "cpus=N" for a machine of so many.
struct Machine {
  CpuidTable cpuid;
  std::optional<int> cpus;
};

Machine ReadFixture(absl::string_view text) {
  const std::vector<std::string> words = absl::StrSplit(text, ' ');
  Machine machine;
  absl::string_view name = words[0];
  if (absl::ConsumePrefix(&name, "vector:")) {
    machine.cpuid = VectorNamed(name);
  } else {
    const std::string path = absl::StrCat("testdata/cpuid/", name, ".txt");
    const absl::StatusOr<std::string> content = RealFileReader().Read(path);
    EXPECT_TRUE(content.ok()) << path;
    if (!content.ok()) return machine;
    machine.cpuid = ParseCpuidDump(*content, path)->cpus[0];
  }
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "erms") {
      CpuidRegisters leaf7 = machine.cpuid.Execute(7);
      leaf7.ebx |= 1u << 9;
      machine.cpuid.Set(7, 0, leaf7);
    } else {
      int cpus = 0;
      EXPECT_TRUE(
          absl::SimpleAtoi(absl::StripPrefix(words[i], "cpus="), &cpus));
      machine.cpus = cpus;
    }
  }
  return machine;
}

class Case {
 public:
  Case(absl::string_view fixture, absl::string_view build,
       absl::string_view tunables = "")
      : machine_(ReadFixture(fixture)),
        cpu_(DecodeCpuModel(machine_.cpuid)),
        build_(*ParseGlibcBuild(build)),
        tunables_(tunables),
        prediction_(Predict(machine_.cpuid, build_, tunables_)) {}

  HazardFacts facts() const {
    return {machine_.cpuid, cpu_,      build_,
            prediction_,    tunables_, machine_.cpus};
  }
  std::vector<std::string> ids() const {
    std::vector<std::string> ids;
    for (const HazardRow* row : ApplicableHazards(facts())) {
      ids.emplace_back(row->id);
    }
    return ids;
  }
  Hazard Named(absl::string_view id) const {
    for (Hazard& hazard : DescribeHazards(facts())) {
      if (hazard.id == id) return hazard;
    }
    ADD_FAILURE() << id << " does not apply";
    return Hazard();
  }

 private:
  Machine machine_;
  CpuModel cpu_;
  GlibcBuild build_;
  std::string tunables_;
  Prediction prediction_;
};

TEST(HazardTableTest, RowsAreSortedAndWhole) {
  std::set<absl::string_view> ids;
  Consequence last = Consequence::kHangs;
  for (const HazardRow& row : AllHazards()) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    EXPECT_LE(row.consequence, last) << row.id;
    last = row.consequence;
    EXPECT_FALSE(row.group.empty() || row.reference.empty()) << row.id;
  }
}

TEST(HazardTableTest, EachFixtureTriggersItsRowAndItsNeighbourDoesNot) {
  for (const HazardRow& row : AllHazards()) {
    EXPECT_THAT(Case(row.fixture, row.fixture_build).ids(),
                Contains(std::string(row.id)))
        << row.fixture << " " << row.fixture_build;
    EXPECT_THAT(Case(row.neighbour, row.neighbour_build).ids(),
                Not(Contains(std::string(row.id))))
        << row.neighbour << " " << row.neighbour_build;
  }
}

TEST(HazardTableTest, EachFixtureIsDescribedInFull) {
  for (const HazardRow& row : AllHazards()) {
    const Hazard hazard = Case(row.fixture, row.fixture_build).Named(row.id);
    EXPECT_FALSE(hazard.title.empty()) << row.id;
    EXPECT_FALSE(absl::EndsWith(hazard.title, ".")) << row.id;
    EXPECT_FALSE(hazard.cause.text.empty()) << row.id;
    EXPECT_FALSE(hazard.cause.fields.empty()) << row.id;
    EXPECT_FALSE(hazard.reference.empty()) << row.id;
  }
}

TEST(HazardTest, TheHostsOfTheFieldReportAreHealthy) {
  for (const char* const host :
       {"field/seed_host_30m", "field/seed_host_37m"}) {
    for (const GlibcBuild& build : UpstreamBuilds()) {
      EXPECT_THAT(Case(host, build.name()).ids(), IsEmpty()) << build.name();
    }
  }
}

TEST(HazardTest, TheGuestOfTheFieldReportIsIllUpTo232) {
  for (const GlibcBuild& build : UpstreamBuilds()) {
    const std::vector<std::string> ids =
        Case("field/seed_guest_htt0", build.name()).ids();
    const bool ill = build.release() <= 32 &&
                     !build.Has(Change::kNonTemporalOfTotal) &&
                     !build.Has(Change::kNonTemporalPerThread);
    if (ill) {
      EXPECT_THAT(ids, ElementsAre("non-temporal-threshold-zero"))
          << build.name();
    } else {
      EXPECT_THAT(ids, IsEmpty()) << build.name();
    }
  }
}

TEST(HazardTest, TheFieldReportIsToldWithItsRemedies) {
  const Hazard hazard = Case("field/seed_guest_htt0", "2.28")
                            .Named("non-temporal-threshold-zero");
  EXPECT_THAT(hazard.title, HasSubstr("more than 128 bytes"));
  EXPECT_THAT(hazard.cause.fields, ElementsAre("1:0:EDX[28]"));
  EXPECT_EQ(hazard.glibc_tunables,
            "glibc.tune.x86_non_temporal_threshold=12582912");
  EXPECT_THAT(hazard.gone_from, Optional(ElementsAre("2.28+branch", "2.33")));
  EXPECT_THAT(absl::StrJoin(HypervisorRemedies(hazard), "\n"),
              testing::AllOf(HasSubstr("<topology"),
                             HasSubstr("<cache mode='passthrough'/>"),
                             HasSubstr("host-cache-info=on")));
}

TEST(HazardTest, TheOtherWaysToZeroSharersNameTheirFields) {
  EXPECT_THAT(Case("field/seed_guest_l3_sharing_field_0", "2.28")
                  .Named("non-temporal-threshold-zero")
                  .cause.fields,
              ElementsAre("4:3:EAX[25:14]"));
  EXPECT_THAT(Case("field/seed_guest_leaf_b_1", "2.28")
                  .Named("non-temporal-threshold-zero")
                  .cause.fields,
              Contains("b:1:EBX[7:0]"));
  EXPECT_THAT(Case("field/zen_guest_no_l3", "2.28")
                  .Named("non-temporal-threshold-zero")
                  .cause.fields,
              ElementsAre("80000006:0:EDX"));
}

TEST(HazardTest, SlowReleasesAreFollowedByOnesThatCrash) {
  const char* const kGuest = "field/xcp_ng_guest_80000005_6_zero";
  EXPECT_THAT(Case(kGuest, "2.33").ids(),
              Contains("non-temporal-threshold-zero"));
  // The tip of that branch took the paged copy without its guard.
  EXPECT_THAT(Case(kGuest, "2.33+branch").ids(),
              Contains("non-temporal-threshold-crash"));
  for (const char* const build : {"2.34", "2.35", "2.36"}) {
    EXPECT_THAT(Case(kGuest, build).ids(),
                Contains("non-temporal-threshold-crash"))
        << build;
  }
  const Hazard slow = Case(kGuest, "2.33").Named("non-temporal-threshold-zero");
  EXPECT_THAT(slow.gone_from, Optional(ElementsAre("2.37")));
}

// Before 2.32 the remedy is a mask, beside the one that is there for a reason.
TEST(HazardTest, ARemedyKeepsTheMaskThatIsThere) {
  constexpr char kTurin[] =
      "amd_1a-02-01_oxide-virtual-turin-like_local_bhyve-this-machine";
  EXPECT_EQ(Case(kTurin, "2.31").Named("fsrm-rep-movsb-on-amd").glibc_tunables,
            "glibc.cpu.hwcaps=-ERMS");
  EXPECT_EQ(Case(kTurin, "2.31", "glibc.cpu.hwcaps=-RTM,-AVX2_Usable")
                .Named("fsrm-rep-movsb-on-amd")
                .glibc_tunables,
            "glibc.cpu.hwcaps=-RTM,-AVX2_Usable,-ERMS");
}

// An Intel package has as much, and L2 beside it: Xeon 6980P.
TEST(HazardTest, TheLargestL3ThatExistsIsNotAbsurd) {
  CpuidTable cpu = ReadFixture("field/seed_host_30m").cpuid;
  const auto with_l3 = [&](uint32_t ways) {
    CpuidTable changed = cpu;
    // Not inclusive, 16384 * 64 bytes a way.
    changed.Set(4, 3,
                {0x1c000163 | (1u << 14), ((ways - 1) << 22) | 63, 16383, 0});
    const CpuModel model = DecodeCpuModel(changed);
    const GlibcBuild build = GlibcBuild::Tag(38);
    const Prediction prediction = Predict(changed, build);
    for (const HazardRow* row : ApplicableHazards(
             {changed, model, build, prediction, "", std::nullopt})) {
      if (absl::StartsWith(row->id, "l3-")) return std::string(row->id);
    }
    return std::string();
  };
  EXPECT_EQ(with_l3(504), "");
  EXPECT_NE(with_l3(520), "");
}

TEST(HazardTest, HygonOnRedHat8CrashesFromTheBackportOn) {
  EXPECT_THAT(Case("field/hygon_7185", "2.28-241.el8").ids(),
              Contains("non-temporal-threshold-zero"));
  EXPECT_THAT(Case("field/hygon_7185", "2.28-251.el8").ids(),
              Contains("non-temporal-threshold-crash"));
}

TEST(HazardTest, ATunableMayBeTheCause) {
  const Hazard hazard = Case("field/seed_host_30m", "2.34",
                             "glibc.cpu.x86_non_temporal_threshold=1024")
                            .Named("non-temporal-threshold-crash");
  EXPECT_THAT(hazard.cause.text, HasSubstr("GLIBC_TUNABLES"));
  EXPECT_EQ(hazard.glibc_tunables,
            "glibc.cpu.x86_non_temporal_threshold=3932160");
}

// What is recommended against a hazard cures it, on every machine and build;
// and there is something against every crash and cliff.
TEST(HazardTest, TunablesCure) {
  int cured = 0;
  std::set<absl::string_view> fixtures;
  for (const HazardRow& row : AllHazards()) fixtures.insert(row.fixture);
  for (const absl::string_view fixture : fixtures) {
    for (const GlibcBuild& build : UpstreamBuilds()) {
      for (const Hazard& hazard :
           DescribeHazards(Case(fixture, build.name()).facts())) {
        if (hazard.glibc_tunables.empty()) {
          EXPECT_TRUE(hazard.consequence != Consequence::kCrashes &&
                      hazard.consequence != Consequence::kCliff)
              << hazard.id << " " << fixture << " " << build.name();
          continue;
        }
        ++cured;
        EXPECT_TRUE(
            absl::StartsWith(hazard.glibc_tunables, build.tunable_namespace()))
            << hazard.glibc_tunables;
        EXPECT_THAT(Case(fixture, build.name(), hazard.glibc_tunables).ids(),
                    Not(Contains(hazard.id)));
      }
    }
  }
  EXPECT_GT(cured, 100);
}

TEST(HazardTest, FindingNamesHypervisorsForGuestsOnly) {
  const Hazard hazard = Case("field/seed_guest_htt0", "2.28")
                            .Named("non-temporal-threshold-zero");
  EXPECT_THAT(HazardFinding(hazard, true).detail, HasSubstr("libvirt"));
  EXPECT_THAT(HazardFinding(hazard, false).detail, Not(HasSubstr("libvirt")));
  EXPECT_EQ(HazardFinding(hazard, true).severity, Severity::kCritical);
}

}  // namespace
}  // namespace advisor
