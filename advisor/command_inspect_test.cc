#include "advisor/command_inspect.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "advisor/command_inspect_facts.h"
#include "advisor/command_testing.h"
#include "advisor/cpu/cpuid_dump.h"
#include "advisor/cpu/sysfs_witness.h"
#include "advisor/cpu/witness_disagreement.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/loader_listing.h"
#include "advisor/host/fake_subprocess.h"
#include "advisor/host/file_reader.h"
#include "advisor/render/golden.h"
#include "advisor/render/inspection_json.h"
#include "advisor/render/inspection_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace advisor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;

constexpr char kLoader[] = "/lib64/ld-linux-x86-64.so.2";
constexpr char kBhyve[] =
    "testdata/cpuid/"
    "amd_1a-02-01_oxide-virtual-turin-like_local_bhyve-this-machine.txt";
constexpr char kSeedGuest[] = "testdata/cpuid/field/seed_guest_htt0.txt";
constexpr char kQemu[] =
    "testdata/cpuid/amd_17-01-02_epyc_qemu-tcg_qemu72-tcg-epyc-8t.txt";

std::string Read(const std::string& path) {
  return RealFileReader().Read(path).value();
}

CommandAnswer Inspect(std::vector<std::string> words, int columns = 80) {
  CommandTestMachine machine;
  machine.use_real_files = true;
  machine.columns = columns;
  words.insert(words.begin(), "inspect");
  return machine.Run(words, kInspectCommand);
}

struct Dump {
  std::string name;
  std::string path;
  std::string glibc;
};

std::vector<Dump> Dumps() {
  return {{"bhyve_zen5", kBhyve, "2.36-9+deb12u14"},
          {"seed_guest", kSeedGuest, "2.28"},
          {"qemu_epyc", kQemu, "2.41"}};
}

TEST(CommandInspectTest, DumpsAreAsReviewed) {
  for (const Dump& dump : Dumps()) {
    for (const std::string format : {"text", "json"}) {
      const CommandAnswer answer =
          Inspect({"--cpuid=" + dump.path, "--glibc=" + dump.glibc,
                   "--format=" + format});
      EXPECT_EQ(answer.exit_status, 0);
      EXPECT_THAT(answer.err, IsEmpty());
      ExpectGolden(
          absl::StrCat("testdata/golden/inspect/", dump.name, ".", format),
          answer.out);
    }
  }
}

TEST(CommandInspectTest, LinesFitTheTerminal) {
  for (const Dump& dump : Dumps()) {
    for (const int columns : {50, 80}) {
      const CommandAnswer answer =
          Inspect({"--cpuid=" + dump.path, "--glibc=" + dump.glibc}, columns);
      for (const absl::string_view line : absl::StrSplit(answer.out, '\n')) {
        if (absl::StrContains(line, dump.path)) continue;
        EXPECT_LE(line.size(), columns) << line;
      }
    }
  }
}

TEST(CommandInspectTest, GlibcOfADumpIsForThoseWhoAskForIt) {
  EXPECT_THAT(Inspect({absl::StrCat("--cpuid=", kBhyve)}).out,
              AllOf(HasSubstr("Zen 5"), Not(HasSubstr("glibc  ")),
                    Not(HasSubstr("Values")), Not(HasSubstr("sysfs"))));
}

TEST(CommandInspectTest, BadInputIsOneLine) {
  CommandTestMachine machine;
  const std::string text = Read(kBhyve);
  machine.files.Add("cut.txt",
                    text.substr(0, text.find("0x0000000d 0x00") + 30));
  machine.files.Add("empty.txt", "");
  for (const std::string word :
       {"--cpuid=cut.txt", "--cpuid=empty.txt", "--cpuid=missing.txt",
        "--glibc=banana", "--format=yaml"}) {
    const CommandAnswer answer =
        machine.Run({"inspect", word}, kInspectCommand);
    EXPECT_EQ(answer.exit_status, 2) << word;
    EXPECT_THAT(answer.out, IsEmpty()) << word;
    EXPECT_THAT(answer.err, MatchesRegex("advisor: [^\n]+\n")) << word;
  }
  EXPECT_THAT(machine.Run({"inspect", "--cpuid=cut.txt"}, kInspectCommand).err,
              MatchesRegex("advisor: cut.txt:[0-9]+: expected .*, found .*\n"));
}

// "Genu", "ineI", "ntel" in the three registers of leaf 0, by names that no
// vendor has.
std::string WithVendor(const std::string& text, const std::string& ebx) {
  return absl::StrReplaceAll(
      text, {{"ebx=0x756e6547 ecx=0x6c65746e edx=0x49656e69",
              absl::StrCat("ebx=", ebx, " ecx=0x6c65746e edx=0x49656e69")}});
}

TEST(CommandInspectTest, UnknownVendorIsToldWithoutItsControlCharacters) {
  CommandTestMachine machine;
  // "\x1b[2J".
  machine.files.Add("x.txt", WithVendor(Read(kSeedGuest), "0x4a325b1b"));
  const CommandAnswer answer = machine.Run(
      {"inspect", "--cpuid=x.txt", "--glibc=2.36"}, kInspectCommand);
  EXPECT_EQ(answer.exit_status, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("vendor \"?[2JineIntel\""));
  EXPECT_THAT(answer.out, HasSubstr("a vendor that glibc does not know"));
  EXPECT_THAT(answer.out, Not(HasSubstr("\x1b")));
  const CommandAnswer json = machine.Run(
      {"inspect", "--cpuid=x.txt", "--format=json"}, kInspectCommand);
  const auto parsed = nlohmann::json::parse(json.out);
  EXPECT_EQ(parsed["cores"][0]["vendor"], "\x1b[2JineIntel");
  EXPECT_TRUE(parsed["cores"][0]["microarchitecture"].is_null());
}

TEST(CommandInspectTest, WithoutALoaderTheRestIsTold) {
  const CommandAnswer answer =
      CommandTestMachine().Run({"inspect"}, kInspectCommand);
  EXPECT_EQ(answer.exit_status, 0) << answer.err;
  EXPECT_THAT(answer.out,
              AllOf(HasSubstr("CPU   "), HasSubstr("Features"),
                    HasSubstr("sysfs tells nothing"),
                    HasSubstr("sysfs cannot be compared"), HasSubstr(kLoader)));
  EXPECT_THAT(answer.out, Not(HasSubstr("Values")));
  EXPECT_THAT(answer.out, HasSubstr("GLIBC_TUNABLES is not set"));
}

// This machine's files, with other programs faked.
CommandAnswer InspectWithLoader(const FakeSubprocess& subprocess,
                                const std::string& format) {
  CommandTestMachine machine;
  machine.use_real_files = true;
  machine.subprocess = subprocess;
  return machine.Run({"inspect", "--format=" + format}, kInspectCommand);
}

TEST(CommandInspectTest, CrashedLoaderLeavesThePrediction) {
  if (!RealFileReader().Read(kLoader).ok()) GTEST_SKIP() << "needs a glibc";
  const FakeSubprocess crashing(
      [](const Command&) -> absl::StatusOr<CommandResult> {
        return KilledBy(11);
      });
  const CommandAnswer answer = InspectWithLoader(crashing, "text");
  EXPECT_EQ(answer.exit_status, 0) << answer.err;
  EXPECT_THAT(answer.out, AllOf(HasSubstr("loader "), HasSubstr("predicted"),
                                Not(HasSubstr("listed"))));
  const auto json =
      nlohmann::json::parse(InspectWithLoader(crashing, "json").out);
  EXPECT_EQ(json["glibc"]["is_listed"], false);
  EXPECT_EQ(json["glibc"]["problems"].size(), 1u);
}

TEST(CommandInspectTest, ListingThatDiffersIsMarked) {
  const std::string listing = Read(
      "testdata/listings/debian-2.36-9+deb12u14_emerald-rapids-guest."
      "tunables.txt");
  const CpuidDump dump = ParseCpuidDump(Read(kSeedGuest), kSeedGuest).value();
  Inspection inspection;
  inspection.cores = {InspectCore("", dump.cpus[0])};
  inspection.glibc.emplace();
  CoreInspection& core = inspection.cores[0];
  AddPrediction(dump.cpus[0], GlibcBuild::Tag(36), "", true, core);
  AddListed(ThresholdsOf(ParseTunablesListing(listing, "x").value()),
            core.thresholds);
  std::vector<std::string> different;
  for (const ThresholdFact& fact : core.thresholds) {
    if (fact.differs()) different.push_back(fact.name);
  }
  EXPECT_THAT(different, ::testing::ElementsAre("x86_data_cache_size",
                                                "x86_non_temporal_threshold",
                                                "x86_rep_movsb_threshold",
                                                "x86_shared_cache_size"));
  for (const int columns : {50, 80}) {
    const std::string text = RenderInspectionText(inspection, columns);
    const std::vector<std::string> parts = absl::StrSplit(text, "DIFFERENT");
    EXPECT_EQ(parts.size(), 5u) << text;
  }
}

TEST(CommandInspectTest, PartialSysfsIsToldAsPartial) {
  Inspection inspection;
  const std::string root = "/sys/devices/system/cpu";
  const std::string cpu = root + "/cpu0/";
  inspection.sysfs = ReadSysfsWitness(FakeFileReader({
      {root + "/online", "0-1\n"},
      {cpu + "topology/core_id", "0\n"},
      {cpu + "cache/index0/level", "1\n"},
      {cpu + "cache/index0/type", "Data\n"},
      {cpu + "cache/index0/size", "48K\n"},
      {cpu + "cache/index1/level", "2\n"},
      {cpu + "cache/index1/type", "Unified\n"},
      {cpu + "cache/index1/size", "huge\n"},
      {root + "/cpu1/topology/core_id", "1\n"},
  }));
  const CpuidDump dump = ParseCpuidDump(Read(kSeedGuest), kSeedGuest).value();
  inspection.cores = {InspectCore("", dump.cpus[0])};
  const std::string text = RenderInspectionText(inspection, 80);
  EXPECT_THAT(text, HasSubstr("sysfs, CPU 0\n"
                              "            L1d 48 KiB, sharers not told\n"
                              "            L2 of a size not told, sharers not "
                              "told\n"
                              "          sysfs, CPU 1: no caches\n"));
  EXPECT_THAT(text, HasSubstr("index1/size"));
  EXPECT_THAT(text, HasSubstr("packages not told"));
  const auto json = nlohmann::json::parse(RenderInspectionJson(inspection));
  const auto& l2 = json["sysfs"]["cpus"][0]["caches"][1];
  EXPECT_TRUE(l2["bytes"].is_null());
  EXPECT_EQ(l2["level"], 2);
}

TEST(CommandInspectTest, DisagreementsNameBothPlaces) {
  Inspection inspection;
  inspection.sysfs.emplace().cpus.resize(1);
  EXPECT_THAT(RenderInspectionText(inspection, 80),
              HasSubstr("CPUID and sysfs agree\n"));
  inspection.disagreements = {{DisagreementKind::kCacheSize, "L3 size",
                               "508 MiB", "leaf 0x80000006", "32 MiB",
                               "/sys/x/size"}};
  EXPECT_THAT(RenderInspectionText(inspection, 80),
              HasSubstr("CPUID and sysfs disagree:\n"
                        "            L3 size: 508 MiB in leaf 0x80000006, but "
                        "32 MiB in /sys/x/size\n"));
}

// This machine's loader with another release in its banner.
TEST(CommandInspectTest, GlibcThatNoModelCoversIsToldAsFarAsItTells) {
  absl::StatusOr<std::string> loader = RealFileReader().Read(kLoader);
  const std::string banner_text = "stable release version 2.";
  const size_t banner =
      loader.ok() ? loader->find(banner_text) : std::string::npos;
  if (banner == std::string::npos) GTEST_SKIP() << "needs glibc 2.33 or later";
  loader->replace(banner + banner_text.size(), 2, "99");
  CommandTestMachine machine;
  machine.files.Add(kLoader, *loader);
  machine.subprocess = FakeSubprocess([](const Command& command) {
    const std::string prefix =
        "testdata/listings/debian-2.36-9+deb12u14_emerald-rapids-guest.";
    return Exited(0, Read(absl::StrCat(prefix,
                                       command.argv.back() == "--list-tunables"
                                           ? "tunables"
                                           : "diagnostics",
                                       ".txt")));
  });
  const CommandAnswer answer = machine.Run({"inspect"}, kInspectCommand);
  EXPECT_EQ(answer.exit_status, 0) << answer.err;
  EXPECT_THAT(answer.out,
              AllOf(HasSubstr("2.99"), HasSubstr("listed"),
                    HasSubstr("103809024"), Not(HasSubstr("predicted"))));
}

TEST(CommandInspectTest, LongestNamesFitATableOfEightyColumns) {
  const std::string listing =
      "testdata/listings/debian-2.41-12+deb13u5_emerald-rapids-guest."
      "diagnostics.txt";
  const std::string text =
      Inspect({"--cpuid=" + listing, "--glibc=2.41-12+deb13u5"}).out;
  EXPECT_THAT(text, HasSubstr("x86_memset_non_temporal_threshold  137363456  "
                              "137363456  131 MiB\n"));
  EXPECT_THAT(text, Not(HasSubstr("DIFFERENT")));
}

struct OutcomeCase {
  std::string item;
  std::string outcome;
  bool in_force;
};

TEST(InspectFactsTest, EveryItemOfTheEnvironmentHasItsOutcome) {
  const CpuidDump dump = ParseCpuidDump(Read(kBhyve), kBhyve).value();
  const OutcomeCase kCases[] = {
      {"glibc.cpu.x86_rep_movsb_threshold=4096", "in force", true},
      // At the minimum of 64-byte vectors, which is not above it.
      {"glibc.cpu.x86_rep_movsb_threshold=100", "read, but 2112 is in force",
       false},
      {"glibc.cpu.x86_rep_stosb_threshold=4k", "read as 4, in force", true},
      {"glibc.cpu.x86_data_cache_size=100000", "in force", true},
      {"glibc.malloc.arena_max=1", "of another part of glibc", false},
      {"glibc.cpu.x86_typo=1", "no tunable of this glibc, ignored", false},
      {"glibc.cpu.hwcaps=-AVX512F", "read", true},
  };
  for (const OutcomeCase& test : kCases) {
    CoreInspection core = InspectCore("", dump.cpus[0]);
    AddPrediction(dump.cpus[0], GlibcBuild::Tag(36), test.item, false, core);
    ASSERT_GE(core.tunables.size(), 1u) << test.item;
    EXPECT_EQ(core.tunables[0].item, test.item);
    EXPECT_EQ(core.tunables[0].outcome, test.outcome) << test.item;
    EXPECT_EQ(core.tunables[0].in_force, test.in_force) << test.item;
  }
}

TEST(InspectFactsTest, MaskedFeatureIsNotUsedByGlibc) {
  const CpuidDump dump = ParseCpuidDump(Read(kBhyve), kBhyve).value();
  CoreInspection core = InspectCore("", dump.cpus[0]);
  AddPrediction(dump.cpus[0], GlibcBuild::Tag(36), "", false, core);
  EXPECT_THAT(core.features_glibc_ignores, IsEmpty());
  core = InspectCore("", dump.cpus[0]);
  AddPrediction(dump.cpus[0], GlibcBuild::Tag(36),
                "glibc.cpu.hwcaps=-AVX512F,-Nonsense", false, core);
  EXPECT_THAT(core.features_glibc_ignores, ::testing::ElementsAre("AVX512F"));
  ASSERT_EQ(core.tunables.size(), 3u);
  EXPECT_EQ(core.tunables[1].item, "-AVX512F");
  EXPECT_TRUE(core.tunables[1].in_force);
  EXPECT_FALSE(core.tunables[2].in_force);
}

TEST(InspectFactsTest, MissingFeaturesSayWhichLeafDoesNotTell) {
  CpuidTable cpu = ParseCpuidDump(Read(kBhyve), kBhyve).value().cpus[0];
  const auto why_not = [&cpu](absl::string_view name) {
    for (const FeatureFact& fact : InspectCore("", cpu).features) {
      if (fact.state.name() == name) return fact.why_not;
    }
    return std::string("no such feature");
  };
  EXPECT_EQ(why_not("AVX2"), "");
  EXPECT_EQ(why_not("RTM"), "");
  cpu.SetXcr0(0x7);
  EXPECT_THAT(why_not("AVX512F"), HasSubstr("XCR0[7:5]"));
  EXPECT_EQ(why_not("AVX2"), "");
  cpu.Set(7, 0, {});
  EXPECT_EQ(why_not("AVX2"), "leaf 0x7 is zero");
  CpuidRegisters first = cpu.Execute(0);
  first.eax = 6;
  cpu.Set(0, 0, first);
  EXPECT_EQ(why_not("AVX2"),
            "leaf 0x7 is absent: the highest leaf is 0x00000006");
}

// The files of the other formats: each is understood, and what it cannot tell
// is said.
TEST(CommandInspectTest, EveryInputFormatCounts) {
  const std::string listing =
      "testdata/listings/debian-2.36-9+deb12u14_emerald-rapids-guest."
      "tunables.txt";
  EXPECT_THAT(Inspect({"--cpuid=" + listing}).out,
              AllOf(HasSubstr("listed"), Not(HasSubstr("predicted")),
                    Not(HasSubstr("CPU  "))));
  CommandTestMachine machine;
  machine.files.Add("cpuinfo",
                    "processor\t: 0\nvendor_id\t: GenuineIntel\n"
                    "cpu family\t: 6\nmodel\t\t: 62\nmodel name\t: Xeon\n"
                    "stepping\t: 7\ncpuid level\t: 13\n"
                    "flags\t\t: fpu sse sse2 ssse3 erms xsave avx\n\n");
  const CommandAnswer answer = machine.Run(
      {"inspect", "--cpuid=cpuinfo", "--glibc=2.36"}, kInspectCommand);
  EXPECT_EQ(answer.exit_status, 0) << answer.err;
  EXPECT_THAT(answer.out,
              AllOf(HasSubstr("memmove "), HasSubstr("not told: "),
                    Not(HasSubstr("x86_non_temporal_threshold")),
                    Not(HasSubstr("leaf 4")), Not(HasSubstr("glibc takes"))));
}

}  // namespace
}  // namespace advisor
