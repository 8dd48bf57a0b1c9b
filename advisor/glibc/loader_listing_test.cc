#include "advisor/glibc/loader_listing.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "advisor/host/file_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr absl::string_view kFolder = "testdata/listings/";
constexpr absl::string_view kDebian =
    "debian-2.36-9+deb12u14_emerald-rapids-guest";

std::string ReadListing(absl::string_view name) {
  return RealFileReader().Read(absl::StrCat(kFolder, name, ".txt")).value();
}

TunablesListing Tunables(absl::string_view text) {
  return ParseTunablesListing(text, "t").value();
}

DiagnosticsListing Diagnostics(absl::string_view text) {
  return ParseDiagnosticsListing(text, "d").value();
}

std::string TunablesError(absl::string_view text) {
  const auto listing = ParseTunablesListing(text, "t");
  EXPECT_EQ(listing.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(listing.status().message());
}

std::string DiagnosticsError(absl::string_view text) {
  const auto listing = ParseDiagnosticsListing(text, "d");
  EXPECT_EQ(listing.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(listing.status().message());
}

TEST(TunablesListingTest, ReadsWhatDebian12Prints) {
  const TunablesListing listing =
      Tunables(ReadListing(absl::StrCat(kDebian, ".tunables")));
  EXPECT_THAT(listing.tunables, SizeIs(37));
  EXPECT_EQ(listing.cut_line, std::nullopt);

  const auto& threshold = std::get<SizeTunable>(
      listing.tunables.at("glibc.cpu.x86_non_temporal_threshold"));
  EXPECT_EQ(threshold.value, 0x6300000);
  EXPECT_EQ(threshold.min, 0x4040);
  EXPECT_EQ(threshold.max, 0xfffffffffffffff);
  const auto& tries =
      std::get<IntTunable>(listing.tunables.at("glibc.elision.tries"));
  EXPECT_EQ(tries.value, 3);
  EXPECT_EQ(tries.min, 0);
  EXPECT_EQ(tries.max, 2147483647);
  EXPECT_EQ(
      std::get<StringTunable>(listing.tunables.at("glibc.cpu.hwcaps")).value,
      std::nullopt);
  EXPECT_EQ(listing.Size("glibc.elision.tries"), std::nullopt);
  EXPECT_EQ(listing.Size("glibc.cpu.x86_nothing"), std::nullopt);
}

TEST(TunablesListingTest, ReadsAReconstructedReport) {
  EffectiveThresholds expected;
  expected.data_cache_size = 0x8000;
  expected.shared_cache_size = 0x200000;
  expected.non_temporal_threshold = 0x180000;
  expected.rep_movsb_threshold = 0x2000;
  expected.rep_stosb_threshold = 0x800;
  EXPECT_EQ(
      ThresholdsOf(Tunables(ReadListing("criu-2552_reconstruction.tunables"))),
      expected);
}

TEST(TunablesListingTest, TellsUnsetFromEmptyFromText) {
  const TunablesListing listing =
      Tunables("glibc.cpu.a:\nglibc.cpu.b: \nglibc.cpu.c: -AVX2,x:y \n");
  const auto text = [&](const char* name) {
    return std::get<StringTunable>(listing.tunables.at(name)).value;
  };
  EXPECT_EQ(text("glibc.cpu.a"), std::nullopt);
  EXPECT_EQ(text("glibc.cpu.b"), "");
  EXPECT_EQ(text("glibc.cpu.c"), "-AVX2,x:y ");
}

TEST(TunablesListingTest, KeepsWarningsAndSkipsComments) {
  const TunablesListing listing = Tunables(
      "# saved by hand\r\n\r\n"
      "WARNING: ld.so: invalid GLIBC_TUNABLES value `100k' for option "
      "`glibc.malloc.perturb': ignored.\r\n"
      "glibc.malloc.perturb: -5 (min: -8, max: 255)\r\n");
  EXPECT_THAT(listing.warnings, ElementsAre(HasSubstr("value `100k'")));
  EXPECT_EQ(
      std::get<IntTunable>(listing.tunables.at("glibc.malloc.perturb")).value,
      -5);
}

TEST(TunablesListingTest, UsesACutLastLineOnlyIfItIsWhole) {
  const std::string first = "glibc.rtld.nns: 0x4 (min: 0x1, max: 0x10)";
  EXPECT_THAT(Tunables(first).tunables, SizeIs(1));
  const TunablesListing cut = Tunables(
      first + "\nglibc.cpu.x86_non_temporal_threshold: 0x63 (min: 0x40");
  EXPECT_THAT(cut.tunables, SizeIs(1));
  EXPECT_EQ(cut.cut_line,
            "glibc.cpu.x86_non_temporal_threshold: 0x63 (min: 0x40");
  // "glibc.cpu.hwcaps: -AVX2" cut after the colon would look unset.
  EXPECT_EQ(Tunables(first + "\nglibc.cpu.hwcaps:").cut_line,
            "glibc.cpu.hwcaps:");
}

TEST(TunablesListingTest, EveryPrefixOfAListingParsesOrIsRefused) {
  const std::string text = ReadListing(absl::StrCat(kDebian, ".tunables"));
  const TunablesListing whole = Tunables(text);
  for (size_t size = 0; size < text.size(); ++size) {
    const auto part = ParseTunablesListing(text.substr(0, size), "t");
    if (!part.ok()) continue;
    for (const auto& [name, tunable] : part->tunables) {
      ASSERT_EQ(part->Size(name), whole.Size(name)) << size;
      ASSERT_EQ(tunable.index(), whole.tunables.at(name).index()) << size;
    }
  }
}

TEST(TunablesListingTest, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(TunablesError(""),
            "t:1: expected tunables as ld.so --list-tunables prints them, "
            "found none");
  EXPECT_EQ(TunablesError("\n#\nhello\n"),
            "t:3: expected \"NAME: value\" as ld.so --list-tunables prints it, "
            "found \"hello\"");
  for (const char* name : {"a.b", ".a.b.c", "a..b.c", "a.b.c.", "a.b-c.d"}) {
    EXPECT_THAT(TunablesError(absl::StrCat(name, ":\n")), HasSubstr("t:1: "));
  }
  const std::string threshold = "glibc.cpu.x86_non_temporal_threshold:";
  for (const char* value :
       {"", " ", " 0x10", " 16 (min: 0, max: 32)", " 0x10 (min: 0x0)",
        " 0x10 (min: 0x0, max: 0x)", " 0x10 (min: 0x0, max: 0x20) ",
        " 0x10000000000000000 (min: 0x0, max: 0x20)",
        " 0xg (min: 0x0, max: 0x20)"}) {
    EXPECT_THAT(TunablesError(threshold + value + "\n"),
                HasSubstr("\"NAME: 0x... (min: 0x..., max: 0x...)\""))
        << value;
  }
  EXPECT_THAT(TunablesError("a.b.c: 3 (min: 4\n"), HasSubstr("found"));
  EXPECT_THAT(TunablesError("a.b.c:\na.b.c:\n"),
              HasSubstr("t:2: expected each"));
  EXPECT_THAT(TunablesError(std::string("\x7f\0ELF", 5)),
              HasSubstr("found \"\\x7f\\x00"));
}

TEST(DiagnosticsListingTest, ReadsWhatDebian12Prints) {
  const DiagnosticsListing listing =
      Diagnostics(ReadListing(absl::StrCat(kDebian, ".diagnostics")));
  EXPECT_EQ(listing.kind, 1);
  EXPECT_EQ(listing.max_cpuid, 0x1c);
  EXPECT_EQ(listing.family, 6);
  EXPECT_EQ(listing.model, 0xcf);
  EXPECT_EQ(listing.stepping, 2);
  EXPECT_THAT(listing.features, SizeIs(9));
  EXPECT_EQ(listing.features.at(0).cpuid[3], 0x1f8bfbff);
  EXPECT_EQ(listing.features.at(0).active[3], 0x17888110);
  EXPECT_EQ(listing.features.at(1).cpuid[1], 0xf1bf2ffb);
  EXPECT_THAT(listing.preferred, SizeIs(16));
  EXPECT_TRUE(listing.preferred.at("Prefer_No_VZEROUPPER"));
  EXPECT_FALSE(listing.preferred.at("Prefer_FSRM"));
  EXPECT_EQ(listing.X86("isa_1"), 0xf);
  EXPECT_EQ(listing.X86("xsave_state_size"), 0x9c0);
  EXPECT_EQ(listing.X86("level4_cache_size"), ~uint64_t{0});
  EXPECT_EQ(listing.X86("tlsdesc_state_full_size"), std::nullopt);
  EXPECT_EQ(listing.Text("version.version"), "2.36");
  EXPECT_EQ(listing.Text("dl_pagesize"), std::nullopt);
  EXPECT_THAT(listing.processors, SizeIs(0));
}

TEST(DiagnosticsListingTest, AgreesWithTheTunablesOfTheSameLoader) {
  const DiagnosticsListing diagnostics =
      Diagnostics(ReadListing(absl::StrCat(kDebian, ".diagnostics")));
  const TunablesListing tunables =
      Tunables(ReadListing(absl::StrCat(kDebian, ".tunables")));
  EffectiveThresholds expected = ThresholdsOf(tunables);
  EXPECT_EQ(expected.rep_movsb_stop_threshold, std::nullopt);
  expected.rep_movsb_stop_threshold = 0x6300000;
  EXPECT_EQ(ThresholdsOf(diagnostics), expected);
  EXPECT_EQ(ThresholdsOf(diagnostics, tunables), expected);
}

TEST(DiagnosticsListingTest, PrefersVariablesToTunablesAndFillsGaps) {
  // 2.33 to 2.40 with x86_rep_movsb_threshold=4294967296.
  const TunablesListing tunables = Tunables(
      "glibc.cpu.x86_rep_movsb_threshold: 0x100000000 (min: 0x100, max: "
      "0xffffffffffffffff)\n"
      "glibc.cpu.x86_rep_stosb_threshold: 0x800 (min: 0x1, max: "
      "0xffffffffffffffff)\n");
  const EffectiveThresholds merged = ThresholdsOf(
      Diagnostics("x86.cpu_features.rep_movsb_threshold=0x0\n"), tunables);
  EXPECT_EQ(merged.rep_movsb_threshold, 0);
  EXPECT_EQ(merged.rep_stosb_threshold, 0x800);
  EXPECT_EQ(merged.non_temporal_threshold, std::nullopt);
}

TEST(DiagnosticsListingTest, ReadsQuotedText) {
  const DiagnosticsListing listing = Diagnostics(
      "env[0x0]=\"PATH=/a\\\"b\\\\c\\001\\773 =x\"\n"
      "env[0x1]=\"\"\n"
      "dl_platform=0x0\n");
  EXPECT_EQ(listing.Text("env[0x0]"), "PATH=/a\"b\\c\001\xfb =x");
  EXPECT_EQ(listing.Text("env[0x1]"), "");
  EXPECT_EQ(listing.Text("dl_platform"), std::nullopt);
}

TEST(DiagnosticsListingTest, TakesTheOldNameOfActive) {
  EXPECT_EQ(Diagnostics("x86.cpu_features.features[0x1].usable[0x2]=0x3\n")
                .features.at(1)
                .active[2],
            3);
}

TEST(DiagnosticsListingTest, DoesNotTrustACutNumber) {
  const DiagnosticsListing listing = Diagnostics(
      "x86.cpu_features.isa_1=0xf\n"
      "x86.cpu_features.non_temporal_threshold=0x63");
  EXPECT_EQ(listing.X86("non_temporal_threshold"), std::nullopt);
  EXPECT_EQ(listing.cut_line, "x86.cpu_features.non_temporal_threshold=0x63");
}

TEST(DiagnosticsListingTest, SaysWhereAndWhatIsWrong) {
  EXPECT_THAT(DiagnosticsError("# nothing\n"), HasSubstr("found none"));
  const std::string good = "x86.cpu_features.isa_1=0xf\n";
  for (const char* line :
       {"hello",
        "=0x1",
        "a b=0x1",
        "k=",
        "k=1",
        "k=0x",
        "k=\"a",
        "k=\"a\"b",
        "k=\"\\9\"",
        "k=\"\\01\"",
        "k=\"\\",
        "k=0x12345678123456781",
        "x86.cpu_features.isa_1=0x1",
        "x86.cpu_features.isa_2=\"1\"",
        "x86.cpu_features.basic.height=0x1",
        "x86.cpu_features.basic.family=0x100000000",
        "x86.cpu_features.features[0x0].cpuid[0x4]=0x1",
        "x86.cpu_features.features[0x0].cpuid[0x0]=0x100000000",
        "x86.cpu_features.features[0].cpuid[0x0]=0x1",
        "x86.cpu_features.preferred.Slow_BSF=0x2",
        "x86.processor[0x0].cpuid.eax[0x1].eex=0x1",
        "x86.processor[0x0].cpuid.eax[0x1].until_ecx=0x1",
        "x86.processor[0x0].cpuid.subleaf_eax[0x4].ecx[0x3].until_ecx=0x3",
        "x86.processor[0x0].cpuid.subleaf_eax[0x4].eax=0x3",
        "x86.processor[0x0].height=0x1"}) {
    EXPECT_THAT(DiagnosticsError(good + line + "\n"),
                testing::StartsWith("d:2: expected "))
        << line;
  }
}

// Record of one answer as the loader prints it.
std::string Record(absl::string_view where, uint32_t eax, uint32_t ebx,
                   uint32_t ecx, uint32_t edx) {
  const auto line = [&](absl::string_view name, uint32_t value) {
    return absl::StrCat("x86.processor", where, ".", name, "=0x",
                        absl::Hex(value), "\n");
  };
  return line("eax", eax) + line("ebx", ebx) + line("ecx", ecx) +
         line("edx", edx);
}

// Two CPUs, the second of which has another APIC ID and no leaf 5.
std::string TwoProcessors() {
  return absl::StrCat(
      "x86.processor[0x0].requested=0x2\n"
      "x86.processor[0x0].observed=0x2\n"
      "x86.processor[0x0].cpuid_leaves=0x8\n"
      "x86.processor[0x0].ecx_limit=0x1ff\n",
      Record("[0x0].cpuid.eax[0x0]", 0xb, 0x756e6547, 0x6c65746e, 0x49656e69),
      Record("[0x0].cpuid.eax[0x1]", 0x306f2, 0x2400800, 0x7ffefbff,
             0xbfebfbff),
      Record("[0x0].cpuid.subleaf_eax[0x4].ecx[0x0]", 0x1c004121, 0x1c0003f,
             0x3f, 0),
      Record("[0x0].cpuid.subleaf_eax[0x4].ecx[0x2]", 0x1c004143, 0x1c0003f,
             0x1ff, 0),
      Record("[0x0].cpuid.eax[0x5]", 0x40, 0x40, 3, 0),
      Record("[0x0].cpuid.subleaf_eax[0xb].ecx[0x0]", 1, 2, 0x100, 4),
      Record("[0x0].cpuid.subleaf_eax[0xb].ecx[0x1]", 0, 0, 1, 4),
      "x86.processor[0x0].cpuid.subleaf_eax[0xb].ecx[0x1].until_ecx=0x1ff\n"
      "x86.processor[0x0].cpuid.subleaf_eax[0xb].ecx[0x1].ecx_query_mask="
      "0xff\n",
      Record("[0x0].cpuid.eax[0x80000000]", 0x80000001, 0, 0, 0),
      "x86.processor[0x0].xgetbv.ecx[0x0]=0x7\n"
      "x86.processor[0x1].requested=0x3\n"
      "x86.processor[0x1].cpuid_leaves=0x7\n"
      "x86.processor[0x1].ecx_limit=0x1ff\n",
      Record("[0x1].cpuid.eax[0x1]", 0x306f2, 0x4400800, 0x7ffefbff,
             0xbfebfbff),
      Record("[0x1].cpuid.eax[0x5]", 0, 0, 0, 0));
}

TEST(ProcessorDumpTest, MakesATableOfEachCpu) {
  const DiagnosticsListing listing = Diagnostics(TwoProcessors());
  ASSERT_THAT(listing.processors, SizeIs(2));
  const ListedProcessor& first = listing.processors[0];
  EXPECT_TRUE(first.complete);
  EXPECT_EQ(first.requested, 2);
  EXPECT_EQ(first.observed, 2);
  EXPECT_EQ(first.observed_node, std::nullopt);
  EXPECT_EQ(first.cpuid.Xcr0(), 7);
  EXPECT_EQ(first.cpuid.Query(1)->ebx, 0x2400800);
  EXPECT_EQ(first.cpuid.Query(4, 2)->eax, 0x1c004143);
  // Between and after the subleaves of leaf 4, and leaf 2: zero, and known.
  EXPECT_EQ(first.cpuid.Query(4, 1), CpuidRegisters{});
  EXPECT_EQ(first.cpuid.Query(4, 3), CpuidRegisters{});
  EXPECT_EQ(first.cpuid.Query(2), CpuidRegisters{});
  EXPECT_EQ(first.cpuid.Query(0x80000001), CpuidRegisters{});
  EXPECT_EQ(first.cpuid.Query(4, 4), std::nullopt);
  EXPECT_EQ(first.cpuid.Query(0xc), std::nullopt);
  EXPECT_EQ(first.cpuid.Query(0x80000002), std::nullopt);
  // ECX[7:0] repeats the subleaf.
  EXPECT_EQ(first.cpuid.Query(0xb, 0)->ecx, 0x100);
  EXPECT_EQ(first.cpuid.Query(0xb, 0x17)->ecx, 0x17);
  EXPECT_EQ(first.cpuid.Query(0xb, 0x1ff)->ecx, 0xff);

  const ListedProcessor& second = listing.processors[1];
  EXPECT_TRUE(second.complete);
  EXPECT_EQ(second.cpuid.Query(1)->ebx, 0x4400800);
  EXPECT_EQ(second.cpuid.Query(0)->ebx, 0x756e6547);
  EXPECT_EQ(second.cpuid.Query(5), CpuidRegisters{});
  EXPECT_EQ(second.cpuid.Xcr0(), 7);
}

TEST(ProcessorDumpTest, ReadsWhatDebian13Prints) {
  const DiagnosticsListing listing = Diagnostics(
      ReadListing("debian-2.41-12+deb13u5_emerald-rapids-guest.diagnostics"));
  EXPECT_EQ(listing.Text("version.version"), "2.41");
  EXPECT_EQ(listing.X86("cachesize_non_temporal_divisor"), 2);
  ASSERT_THAT(listing.processors, SizeIs(2));
  for (const ListedProcessor& processor : listing.processors) {
    EXPECT_TRUE(processor.complete);
    EXPECT_EQ(processor.observed, processor.index);
    const CpuidTable& cpuid = processor.cpuid;
    EXPECT_EQ(cpuid.Query(0)->eax, listing.max_cpuid);
    EXPECT_EQ(cpuid.Query(1)->ebx >> 24, processor.index);
    EXPECT_EQ(cpuid.Query(1)->edx, listing.features.at(0).cpuid[3]);
    EXPECT_EQ(cpuid.Query(4, 3)->ecx, 0x33fff);
    EXPECT_EQ(cpuid.Query(4, 4), CpuidRegisters{});
    EXPECT_EQ(cpuid.Query(7)->ebx, listing.features.at(1).cpuid[1]);
    // The dump prints leaf 7 alike whether subleaf 1 is zero or a repetition.
    EXPECT_EQ(cpuid.Query(7, 1), std::nullopt);
    EXPECT_EQ(cpuid.Query(0xb, 1)->edx, processor.index);
    EXPECT_EQ(cpuid.Query(0xb, 0x82)->ecx, 0x82);
    EXPECT_EQ(cpuid.Query(0xd, 1)->eax, listing.features.at(3).cpuid[0]);
    EXPECT_EQ(cpuid.Query(0xd, 3), CpuidRegisters{});
    EXPECT_EQ(cpuid.Xcr0(), 0xe7);
  }
}

TEST(DiagnosticsListingTest, Debian13AgreesWithItsTunables) {
  const std::string name = "debian-2.41-12+deb13u5_emerald-rapids-guest";
  EffectiveThresholds expected =
      ThresholdsOf(Tunables(ReadListing(name + ".tunables")));
  EXPECT_EQ(expected.memset_non_temporal_threshold, 0x8300000);
  expected.rep_movsb_stop_threshold = 0x8300000;
  EXPECT_EQ(ThresholdsOf(Diagnostics(ReadListing(name + ".diagnostics"))),
            expected);
}

TEST(ProcessorDumpTest, DoesNotTakeAMissingRecordForZero) {
  const std::string text = TwoProcessors();
  for (const char* lost : {"x86.processor[0x0].cpuid.eax[0x5].ecx=0x3\n",
                           "x86.processor[0x0].cpuid_leaves=0x8\n",
                           "x86.processor[0x0].ecx_limit=0x1ff\n"}) {
    ASSERT_TRUE(absl::StrContains(text, lost));
    const auto processors =
        Diagnostics(absl::StrReplaceAll(text, {{lost, ""}})).processors;
    EXPECT_FALSE(processors[0].complete) << lost;
    EXPECT_EQ(processors[0].cpuid.Query(2), std::nullopt) << lost;
    EXPECT_EQ(processors[0].cpuid.Query(1)->eax, 0x306f2) << lost;
  }
}

TEST(ProcessorDumpTest, NeedsTheCpuBefore) {
  const std::string text = TwoProcessors();
  const auto processors =
      Diagnostics(text.substr(text.find("x86.processor[0x1]"))).processors;
  ASSERT_THAT(processors, SizeIs(1));
  EXPECT_FALSE(processors[0].complete);
  EXPECT_EQ(processors[0].cpuid.Query(0), std::nullopt);
  EXPECT_EQ(processors[0].cpuid.Xcr0(), std::nullopt);
}

TEST(ProcessorDumpTest, HugeMaximumLeafIsBounded) {
  const DiagnosticsListing listing = Diagnostics(
      absl::StrCat("x86.processor[0x0].cpuid_leaves=0x1\n"
                   "x86.processor[0x0].ecx_limit=0x1f\n",
                   Record("[0x0].cpuid.eax[0x0]", 0xffffffff, 1, 2, 3)));
  ASSERT_THAT(listing.processors, SizeIs(1));
  EXPECT_LT(listing.processors[0].cpuid.entries().size(), 2000);
}

}  // namespace
}  // namespace advisor
