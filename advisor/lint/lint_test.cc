#include "advisor/lint/lint.h"

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advisor/cpu/cpuid_dump.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/evidence/known_issue.h"
#include "advisor/glibc/installed_libc.h"
#include "advisor/glibc/tunables.h"
#include "advisor/host/environment.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/subprocess.h"
#include "advisor/lint/lint_rule.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr absl::string_view kEmeraldRapids =
    "intel_06-cf-02_xeon-emerald-rapids_local_firecracker-2-vcpu";

LintMachine ReadMachine(absl::string_view name) {
  const std::string path = absl::StrCat(
      "testdata/cpuid/", name.empty() ? kEmeraldRapids : name, ".txt");
  const absl::StatusOr<std::string> content = RealFileReader().Read(path);
  EXPECT_TRUE(content.ok()) << path;
  if (!content.ok()) return {};
  return {ParseCpuidDump(*content, path)->cpus[0], std::nullopt};
}

LintSubject SubjectOf(const LintExample& example) {
  LintSubject subject;
  subject.string = std::string(example.string);
  subject.build = *ParseGlibcBuild(example.build);
  subject.machine = ReadMachine(example.cpuid);
  subject.secure = example.secure;
  subject.is_static = example.is_static;
  return subject;
}

LintResult LintOf(absl::string_view string, absl::string_view build,
                  absl::string_view cpuid = "") {
  return Lint(SubjectOf({string, build, cpuid}));
}

std::vector<std::string> RulesOf(const LintResult& result) {
  std::vector<std::string> rules;
  for (const LintFinding& finding : result.findings) {
    rules.push_back(finding.rule);
  }
  return rules;
}

// Those that a check fails for.
std::vector<std::string> FailuresOf(const LintResult& result) {
  std::vector<std::string> rules;
  for (const LintFinding& finding : result.findings) {
    if (finding.severity != Severity::kInformation) {
      rules.push_back(finding.rule);
    }
  }
  return rules;
}

const LintFinding* Find(const LintResult& result, absl::string_view rule) {
  for (const LintFinding& finding : result.findings) {
    if (finding.rule == rule) return &finding;
  }
  return nullptr;
}

class RuleTest : public ::testing::TestWithParam<LintRule> {};

TEST_P(RuleTest, IsTriggeredByItsExampleAndNotByItsNeighbour) {
  const LintRule& rule = GetParam();
  const LintResult example = Lint(SubjectOf(rule.example));
  const LintFinding* const finding = Find(example, rule.id);
  ASSERT_NE(finding, nullptr);
  EXPECT_FALSE(finding->title.empty());
  EXPECT_FALSE(absl::EndsWith(finding->title, "."));
  if (!finding->advice.empty()) {
    EXPECT_TRUE(absl::EndsWith(finding->advice, ".") ||
                absl::EndsWith(finding->advice, "?"))
        << finding->advice;
  }
  EXPECT_THAT(RulesOf(Lint(SubjectOf(rule.neighbour))),
              Not(Contains(std::string(rule.id))));
}

// Without a CPU the rules that look at one are silent, and nothing breaks.
TEST_P(RuleTest, NeedsAMachineOrNot) {
  const LintRule& rule = GetParam();
  LintSubject subject = SubjectOf(rule.example);
  subject.machine.reset();
  EXPECT_EQ(Find(Lint(subject), rule.id) == nullptr, rule.needs_machine);
}

std::string RuleName(const ::testing::TestParamInfo<LintRule>& info) {
  std::string name(info.param.id);
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(AllRules, RuleTest,
                         ::testing::ValuesIn(AllLintRules().begin(),
                                             AllLintRules().end()),
                         RuleName);

TEST(LintRules, AreSortedAndUnique) {
  absl::string_view last;
  for (const LintRule& rule : AllLintRules()) {
    EXPECT_LT(last, rule.id);
    last = rule.id;
  }
}

// The field report's seven strings, on its machine and package.
struct FieldCase {
  absl::string_view string;
  absl::string_view rule;
  absl::string_view words;
};

constexpr FieldCase kFieldCases[] = {
    {"glibc.cpu.x86_non_temporal_threshold=0x4040", "refused",
     "must be above 16448"},
    {"glibc.cpu.x86_rep_movsb_threshold=256", "refused", "8 vectors"},
    // The bound is that of the CPU without the mask.
    {"glibc.cpu.hwcaps=Prefer_No_AVX512:glibc.cpu.x86_rep_movsb_threshold=256",
     "refused", "must be above 512"},
    {"glibc.cpu.x86_rep_movsb_threshold=0", "list-bounds", "at least 1"},
    {"glibc.tune.x86_non_temporal_threshold=1048576", "namespace",
     "\"glibc.cpu.\""},
    {"glibc.cpu.x86_non_temporal_threshold=1M", "suffix", "read as 1"},
    {"glibc.cpu.x86_non_temporal_threshold=1048576,glibc.cpu.x86_rep_movsb_"
     "threshold=4096",
     "comma", "lost"},
    {"glibc.cpu.x86_shared_cache_size=1048576", "no-effect",
     "x86_non_temporal_threshold is computed before it"},
};

TEST(Lint, SaysWhatDebian12DoesWithTheFieldReportsStrings) {
  for (const FieldCase& c : kFieldCases) {
    const LintResult result = LintOf(
        c.string, "2.36-9+deb12u14",
        "amd_1a-02-01_oxide-virtual-turin-like_local_bhyve-this-machine");
    const LintFinding* const finding = Find(result, c.rule);
    ASSERT_NE(finding, nullptr) << c.string;
    EXPECT_THAT(finding->title, HasSubstr(std::string(c.words))) << c.string;
    EXPECT_TRUE(result.has_finding()) << c.string;
  }
  // The neighbours that are accepted.
  for (const absl::string_view good :
       {"glibc.cpu.x86_non_temporal_threshold=0x4041",
        "glibc.cpu.x86_rep_movsb_threshold=513"}) {
    const LintResult result = LintOf(
        good, "2.36-9+deb12u14",
        "amd_1a-02-01_oxide-virtual-turin-like_local_bhyve-this-machine");
    EXPECT_EQ(Find(result, "refused"), nullptr) << good;
    EXPECT_TRUE(result.assignments[0].in_force) << good;
  }
}

TEST(Lint, HasNothingToSayOfAnEmptyOrAGoodString) {
  EXPECT_THAT(FailuresOf(LintOf("", "2.36")), IsEmpty());
  EXPECT_THAT(FailuresOf(LintOf("glibc.cpu.x86_non_temporal_threshold=4194304:"
                                "glibc.malloc.arena_max=2",
                                "2.36")),
              IsEmpty());
}

TEST(Lint, TellsSinceWhenUntilWhenAndTheRightName) {
  EXPECT_THAT(Find(LintOf("glibc.cpu.x86_rep_movsb_threshold=4096", "2.31"),
                   "other-release")
                  ->title,
              HasSubstr("exists from 2.32 on"));
  EXPECT_THAT(
      Find(LintOf("glibc.cpu.hwcap_mask=0", "2.40"), "other-release")->title,
      HasSubstr("exists from 2.29 to 2.39"));
  EXPECT_EQ(Find(LintOf("glibc.cpu.x86_non_temporal_threshold=4194304", "2.28"),
                 "namespace")
                ->advice,
            "Write glibc.tune.x86_non_temporal_threshold.");
  EXPECT_EQ(
      Find(LintOf("glibc.malloc.arenas_max=2", "2.36"), "unknown-name")->advice,
      "Did you mean glibc.malloc.arena_max?");
  EXPECT_THAT(
      Find(LintOf(" \"GLIBC.malloc.arena_max=2", "2.36"), "unknown-name")
          ->advice,
      HasSubstr("Write glibc.malloc.arena_max"));
}

TEST(Lint, KnowsWhereAnOldMaskWordGoes) {
  const LintResult result = LintOf("glibc.cpu.hwcaps=-AVX2_Usable", "2.36");
  EXPECT_THAT(Find(result, "mask-word")->title, HasSubstr("from 2.26 to 2.31"));
  EXPECT_EQ(Find(result, "mask-word")->advice, "Write -AVX2.");
  // Both spellings serve all releases.
  const LintResult both = LintOf(
      "glibc.cpu.hwcaps=-AVX512F_Usable,-AVX512F,-AVX512VL,-AVX512BW,"
      "-AVX512DQ",
      "2.36");
  EXPECT_EQ(Find(both, "mask-word")->severity, Severity::kInformation);
}

TEST(Lint, NamesTheSizesOfTheRepMovsbZoneThatAmdKeepsClosed) {
  const std::string zen3 =
      "amd_19-01-01_epyc-milan_qemu-tcg_qemu72-tcg-epyc-milan";
  const LintResult alone =
      LintOf("glibc.cpu.x86_rep_movsb_threshold=4096", "2.40", zen3);
  ASSERT_NE(Find(alone, "amd-rep-movsb-zone"), nullptr);
  EXPECT_THAT(Find(alone, "amd-rep-movsb-zone")->title,
              HasSubstr("from 4097 to "));
  // 2.36 has the zone by default.
  EXPECT_EQ(Find(LintOf("glibc.cpu.x86_rep_movsb_threshold=4096", "2.36", zen3),
                 "amd-rep-movsb-zone"),
            nullptr);
}

TEST(Lint, TellsWhenAWorkAroundCanGo) {
  const LintResult result =
      LintOf("glibc.tune.x86_non_temporal_threshold=12582912", "2.28",
             "field/seed_guest_htt0");
  ASSERT_NE(Find(result, "work-around"), nullptr);
  EXPECT_THAT(Find(result, "work-around")->advice, HasSubstr("2.33"));
  EXPECT_FALSE(result.has_finding());
  // Another string leaves the guest as it is.
  EXPECT_TRUE(
      LintOf("glibc.malloc.arena_max=2", "2.28", "field/seed_guest_htt0")
          .has_finding());
}

TEST(Lint, SaysWhichVariantDoesNotReadAThreshold) {
  const LintResult result =
      LintOf("glibc.cpu.x86_rep_movsb_threshold=100000:glibc.cpu.hwcaps=-ERMS",
             "2.36");
  ASSERT_NE(Find(result, "no-effect"), nullptr);
  EXPECT_THAT(Find(result, "no-effect")->title, HasSubstr("has no rep movsb"));
}

TEST(Lint, SpeaksOfASetUidProgramAsOfOneThatReadsNothing) {
  LintSubject subject = SubjectOf({"glibc.malloc.arena_max=2", "2.36"});
  subject.secure = true;
  const LintResult result = Lint(subject);
  EXPECT_FALSE(result.assignments[0].in_force);
  EXPECT_TRUE(result.has_finding());
}

// This machine's loader does what lint says of it.

struct LoaderCase {
  std::string string;
};

const std::string kCpu = "glibc.cpu.x86_";
const std::string kStrings[] = {
    kCpu + "non_temporal_threshold=0x4040",
    kCpu + "non_temporal_threshold=0x4041",
    kCpu + "non_temporal_threshold=1048576",
    kCpu + "non_temporal_threshold=1M",
    kCpu + "non_temporal_threshold=0",
    kCpu + "non_temporal_threshold=0xfffffffffffffff",
    kCpu + "non_temporal_threshold=0x1000000000000000",
    kCpu + "non_temporal_threshold= 1048576",
    kCpu + "non_temporal_threshold=",
    kCpu + "non_temporal_threshold=-5",
    kCpu + "non_temporal_threshold=04000000",
    kCpu + "non_temporal_threshold=99999999999999999999999",
    kCpu + "non_temporal_threshold=1048576," + kCpu +
        "rep_movsb_threshold=4096",
    kCpu + "rep_movsb_threshold=0",
    kCpu + "rep_movsb_threshold=128",
    kCpu + "rep_movsb_threshold=256",
    kCpu + "rep_movsb_threshold=512",
    kCpu + "rep_movsb_threshold=513",
    kCpu + "rep_movsb_threshold=4096",
    kCpu + "rep_movsb_threshold=0x100000000",
    kCpu + "rep_stosb_threshold=0",
    kCpu + "rep_stosb_threshold=1",
    kCpu + "rep_stosb_threshold=4096",
    kCpu + "shared_cache_size=1048576",
    kCpu + "data_cache_size=65536",
    kCpu + "memset_non_temporal_threshold=4194304",
    "glibc.tune.x86_non_temporal_threshold=1048576",
    "glibc.malloc.arena_max=2",
    "glibc.malloc.arena_max=0",
    "glibc.malloc.perturb=256",
    "glibc.malloc.perturb=255",
    "glibc.malloc.perturb=-1",
    "glibc.malloc.check=3",
    "glibc.pthread.rseq=0",
    "glibc.pthread.rseq=2",
    "glibc.rtld.nns=17",
    "glibc.rtld.nns=16",
    "glibc.rtld.dynamic_sort=1",
    "glibc.rtld.enable_secure=1",
    "glibc.gmon.minarcs=60",
    "glibc.mem.decorate_maps=1",
    "glibc.cpu.plt_rewrite=1",
    "glibc.cpu.prefer_map_32bit_exec=1",
    "glibc.cpu.hwcap_mask=0x10",
    "glibc.malloc.arenas_max=2",
    "glibc.malloc.arena_max=3:",
    "glibc.malloc.arena_max=3:glibc.malloc.arena_test",
    "glibc.malloc.arena_max=3=4",
    "glibc.malloc.arena_max=3:glibc.malloc.arena_max=4",
    "glibc.malloc.arena_max=3:glibc.malloc.arena_max=x",
    "::glibc.malloc.arena_max=3::glibc.malloc.arena_test=5",
    "a:glibc.malloc.arena_max=3",
    kCpu + "non_temporal_threshold=2097152:glibc.malloc.arena_max=3:" + kCpu +
        "rep_movsb_threshold=10000",
};

class LoaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const absl::StatusOr<InstalledLibc> libc =
        FindInstalledLibc(files_, Environment());
    if (!libc.ok() || !libc->banner.has_value()) {
      GTEST_SKIP() << "needs glibc's loader";
    }
    const absl::StatusOr<GlibcBuild> build =
        ParseGlibcBuild(libc->banner->revision.value_or(libc->banner->release));
    if (!build.ok() || !build->Has(Change::kListTunables)) {
      GTEST_SKIP() << "needs a loader of glibc 2.33 to 2.42";
    }
    if (!build->certain()) {
      GTEST_SKIP() << "needs a package whose patches are known: "
                   << build->note();
    }
    loader_ = libc->loader_path;
    subject_.build = *build;
    subject_.machine = LintMachine{ReadNativeCpuid(), std::nullopt};
    const absl::StatusOr<LoaderAnswer> answer = Ask("");
    ASSERT_TRUE(answer.ok()) << answer.status();
    without_ = answer->tunables;
  }

  absl::StatusOr<LoaderAnswer> Ask(const std::string& string) const {
    return AskLoader(RealSubprocess(), loader_,
                     Environment().With("GLIBC_TUNABLES", string));
  }

  // The number listed for a name; nullopt: not listed.
  static std::optional<uint64_t> Listed(const TunablesListing& listing,
                                        const std::string& name) {
    const auto entry = listing.tunables.find(name);
    if (entry == listing.tunables.end()) return std::nullopt;
    if (const auto* size = std::get_if<SizeTunable>(&entry->second)) {
      return size->value;
    }
    if (const auto* number = std::get_if<IntTunable>(&entry->second)) {
      return static_cast<uint64_t>(number->value);
    }
    return std::nullopt;
  }

  const RealFileReader files_{};
  std::string loader_;
  LintSubject subject_;
  TunablesListing without_;
};

TEST_F(LoaderTest, DoesWhatLintSays) {
  int in_force = 0;
  int ignored = 0;
  for (const std::string& string : kStrings) {
    SCOPED_TRACE(string);
    subject_.string = string;
    const LintResult result = Lint(subject_);
    const absl::StatusOr<LoaderAnswer> answer = Ask(string);
    ASSERT_TRUE(answer.ok()) << answer.status();
    const ParsedTunables parsed = ParseTunables(string, subject_.build);
    ASSERT_EQ(parsed.assignments.size(), result.assignments.size());
    // The last one that is said to be in force is what must be listed.
    std::map<std::string, std::optional<uint64_t>> expected;
    for (size_t i = 0; i < result.assignments.size(); ++i) {
      const TunableAssignment& item = parsed.assignments[i];
      if (result.assignments[i].in_force) {
        expected[item.name] = item.number;
        ++in_force;
      } else {
        expected.emplace(item.name, std::nullopt);
        ++ignored;
      }
    }
    for (const auto& [name, number] : expected) {
      SCOPED_TRACE(name);
      EXPECT_EQ(Listed(answer->tunables, name),
                number.has_value() ? number : Listed(without_, name));
    }
    EXPECT_EQ(answer->warnings.empty(), result.warnings.empty())
        << answer->warnings;
  }
  EXPECT_GE(in_force, 15);
  EXPECT_GE(ignored, 15);
}

// A known name is listed, and one that lint calls unknown is not.
TEST_F(LoaderTest, KnowsTheNamesThatLintKnows) {
  for (const std::string& string : kStrings) {
    subject_.string = string;
    for (const TunableAssignment& item :
         ParseTunables(string, subject_.build).assignments) {
      if (item.outcome == AssignmentOutcome::kNoValue) continue;
      SCOPED_TRACE(item.name);
      EXPECT_EQ(without_.tunables.count(item.name) == 0,
                item.outcome == AssignmentOutcome::kUnknownName);
    }
  }
}

// Every release's parser, by the model that was held to each of them.
TEST(Lint, FollowsTheParserOfEveryRelease) {
  for (const GlibcBuild& build : UpstreamBuilds()) {
    for (const std::string& string : kStrings) {
      SCOPED_TRACE(build.name() + " " + string);
      LintSubject subject;
      subject.string = string;
      subject.build = build;
      const LintResult result = Lint(subject);
      const ParsedTunables parsed = ParseTunables(string, build);
      bool unknown = false;
      bool rejected = false;
      for (const TunableAssignment& item : parsed.assignments) {
        unknown |= item.outcome == AssignmentOutcome::kUnknownName &&
                   !item.second_look;
        rejected |= item.outcome == AssignmentOutcome::kRejected;
      }
      const std::vector<std::string> rules = RulesOf(result);
      const std::set<std::string> found(rules.begin(), rules.end());
      EXPECT_EQ(found.count("rejected") > 0, rejected);
      EXPECT_EQ(found.count("namespace") + found.count("other-release") +
                        found.count("other-architecture") +
                        found.count("unknown-name") >
                    0,
                unknown);
      EXPECT_EQ(result.warnings, parsed.warnings);
      // Nothing that is said to be ignored is in the prediction.
      for (size_t i = 0; i < parsed.assignments.size(); ++i) {
        if (result.assignments[i].in_force) {
          EXPECT_TRUE(parsed.assignments[i].outcome ==
                          AssignmentOutcome::kSet ||
                      parsed.assignments[i].outcome ==
                          AssignmentOutcome::kOtherTunable);
        }
      }
    }
  }
}

TEST(LintRuleTableTest, HasTheRulesThatCoverReports) {
  int rules = 0;
  for (const CoverageRow& row : AllCoverage()) {
    if (row.how != CoveredBy::kLint) continue;
    ++rules;
    bool found = false;
    for (const LintRule& rule : AllLintRules()) found |= rule.id == row.by;
    EXPECT_TRUE(found) << row.by;
  }
  EXPECT_GT(rules, 5);
}

}  // namespace
}  // namespace advisor
