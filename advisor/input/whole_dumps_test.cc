// Formats that hold all of CPUID: the same answers in two of them are the same
// table, and glibc computes the same from it.

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "advisor/input/formats_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kEmeraldDump[] =
    "intel_06-cf-02_xeon-emerald-rapids_local_firecracker-2-vcpu.txt";

void ExpectEqualTables(const CpuidTable& one, const CpuidTable& other) {
  EXPECT_TRUE(one.entries().size() == other.entries().size() &&
              std::equal(one.entries().begin(), one.entries().end(),
                         other.entries().begin(),
                         [](const auto& left, const auto& right) {
                           return !(left.first < right.first) &&
                                  !(right.first < left.first) &&
                                  left.second == right.second;
                         }));
  EXPECT_EQ(one.Xcr0(), other.Xcr0());
  EXPECT_EQ(PredictAll(one, true), PredictAll(other, true));
}

struct TwinCase {
  absl::string_view input;
  absl::string_view format;
  absl::string_view dump;
};

class TwinTest : public testing::TestWithParam<TwinCase> {};

TEST_P(TwinTest, HasTheSameTable) {
  const MachineInput input = ReadInput(GetParam().input);
  EXPECT_EQ(input.format, GetParam().format);
  EXPECT_EQ(input.name, absl::StrCat("testdata/inputs/", GetParam().input));
  ASSERT_EQ(input.cores.size(), 1u);
  ExpectEqualTables(input.cores[0].cpuid, ReadDump(GetParam().dump));
  EXPECT_TRUE(input.has_features);
  EXPECT_TRUE(input.has_cache_leaves);
  EXPECT_THAT(input.unknown, IsEmpty());
  EXPECT_THAT(input.warnings, IsEmpty());
}

constexpr char kMilanDump[] =
    "amd_19-01-01_epyc-milan_qemu-tcg_qemu72-tcg-epyc-milan.txt";

INSTANTIATE_TEST_SUITE_P(
    All, TwinTest,
    testing::Values(
        TwinCase{"instlatx64/seed_guest_htt0.txt", "InstLatx64",
                 "field/seed_guest_htt0.txt"},
        TwinCase{"instlatx64/epyc_milan.txt", "InstLatx64", kMilanDump},
        TwinCase{"instlatx64/dhyana.txt", "InstLatx64",
                 "hygon_18-00-01_dhyana_qemu-tcg_qemu72-tcg-dhyana.txt"},
        TwinCase{"instlatx64/kvm64_4_cores.txt", "InstLatx64",
                 "intel_0f-06-01_common-kvm_qemu-tcg_qemu72-tcg-kvm64-4c.txt"},
        TwinCase{"instlatx64/emerald_rapids_2_cpus.txt", "InstLatx64",
                 kEmeraldDump},
        TwinCase{"cpuid_r/emerald_rapids_2_cpus.txt", "cpuid -r", kEmeraldDump},
        TwinCase{"libvirt/seed_guest_htt0.xml", "libvirt CPUID XML",
                 "field/seed_guest_htt0.txt"},
        TwinCase{"libvirt/epyc_milan.xml", "libvirt CPUID XML", kMilanDump},
        TwinCase{"libvirt/skylake_server.xml", "libvirt CPUID XML",
                 "intel_06-55-04_xeon-skylake_qemu-tcg_qemu72-tcg-"
                 "skylake-server.txt"},
        TwinCase{"firecracker/emerald_rapids_guest.dump.json",
                 "Firecracker CPU template", kEmeraldDump}),
    [](const auto& info) {
      return absl::StrReplaceAll(info.param.input,
                                 {{"/", "_"}, {".", "_"}, {"-", "_"}});
    });

TEST(CpuidRawTest, EqualCpusAreOneKind) {
  const MachineInput input = ReadInput("cpuid_r/emerald_rapids_2_cpus.txt");
  ASSERT_EQ(input.cores.size(), 1u);
  EXPECT_EQ(input.cores[0].name, "CPU 0-1");
  EXPECT_THAT(input.cores[0].cpus, ElementsAre(0, 1));
}

class HybridTest : public testing::TestWithParam<const char*> {};

TEST_P(HybridTest, HasTwoKindsAndAWarning) {
  const MachineInput input = ReadInput(GetParam());
  ASSERT_EQ(input.cores.size(), 2u);
  EXPECT_EQ(input.cores[0].name, "core (CPU 0-3)");
  EXPECT_EQ(input.cores[1].name, "atom (CPU 4-7)");
  EXPECT_THAT(input.warnings,
              ElementsAre(AllOf(
                  HasSubstr("atom (CPU 4-7) and core (CPU 0-3) differ in"),
                  HasSubstr("leaf 0x4, leaf 0xb:"))));
  EXPECT_NE(PredictAll(input.cores[0].cpuid, true),
            PredictAll(input.cores[1].cpuid, true));
  const MachineInput raw = ReadInput("cpuid_r/alder_lake_hybrid.txt");
  for (size_t i = 0; i < 2; ++i) {
    ExpectEqualTables(input.cores[i].cpuid, raw.cores[i].cpuid);
  }
}

INSTANTIATE_TEST_SUITE_P(All, HybridTest,
                         testing::Values("cpuid_r/alder_lake_hybrid.txt",
                                         "instlatx64/alder_lake_hybrid.txt",
                                         "libvirt/alder_lake_hybrid.xml"));

// 2.40 and later list CPUID itself; the dump of the same machine was read by
// another program.
TEST(DiagnosticsTest, CpuidOfTheListingPredictsAsTheDump) {
  const std::string path =
      "testdata/listings/debian-2.41-12+deb13u5_emerald-rapids-guest."
      "diagnostics.txt";
  const auto input = ReadMachineInput(RealFileReader(), path);
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->format, "ld.so --list-diagnostics");
  ASSERT_EQ(input->cores.size(), 1u);
  EXPECT_EQ(input->cores[0].name, "CPU 0-1");
  EXPECT_TRUE(input->has_cache_leaves);
  EXPECT_THAT(input->unknown, IsEmpty());
  EXPECT_EQ(PredictAll(input->cores[0].cpuid, true),
            PredictAll(ReadDump(kEmeraldDump), true));
}

// Before, it lists the feature leaves: enough for the variants.
TEST(DiagnosticsTest, FeatureLeavesOfAnOlderListingSelectAsTheDump) {
  const std::string path =
      "testdata/listings/debian-2.36-9+deb12u14_emerald-rapids-guest."
      "diagnostics.txt";
  const auto input = ReadMachineInput(RealFileReader(), path);
  ASSERT_TRUE(input.ok()) << input.status();
  ASSERT_EQ(input->cores.size(), 1u);
  const CpuidTable dump = ReadDump(kEmeraldDump);
  const CpuidTable& told = input->cores[0].cpuid;
  EXPECT_TRUE(input->has_features);
  EXPECT_FALSE(input->has_cache_leaves);
  EXPECT_EQ(told.Xcr0(), dump.Xcr0());
  EXPECT_EQ(told.Query(1)->ecx, dump.Query(1)->ecx);
  EXPECT_EQ(told.Query(7)->ebx, dump.Query(7)->ebx);
  EXPECT_FALSE(told.Query(4).has_value());
  EXPECT_EQ(PredictAll(told, false), PredictAll(dump, false));
  ASSERT_EQ(input->unknown.size(), 1u);
  EXPECT_THAT(input->unknown[0].what, HasSubstr("caches"));
}

TEST(TunablesTest, TellsNoCpu) {
  const auto input = ReadMachineInput(
      RealFileReader(),
      "testdata/listings/criu-2552_reconstruction.tunables.txt");
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->format, "ld.so --list-tunables");
  EXPECT_THAT(input->cores, IsEmpty());
  EXPECT_TRUE(input->tunables.has_value());
  EXPECT_FALSE(input->unknown.empty());
}

struct ErrorCase {
  absl::string_view text;
  absl::string_view message;
};

class ErrorTest : public testing::TestWithParam<ErrorCase> {};

TEST_P(ErrorTest, NamesFileAndLine) {
  const auto input = ParseMachineInput(GetParam().text, "m.txt");
  ASSERT_FALSE(input.ok());
  EXPECT_EQ(input.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(input.status().message()),
              HasSubstr(std::string(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(
    All, ErrorTest,
    testing::Values(
        ErrorCase{"", "m.txt:1: expected one of cpuid -r, InstLatx64, ld.so "},
        ErrorCase{"", "found an empty file"},
        ErrorCase{"%PDF-1.4\n", "found \"%PDF-1.4\""},
        ErrorCase{"CPUID 00000000: 00000016-756E6547-6C65746E-49656E69\n"
                  "CPUID 00000001: 000906ED-00100800-7FFAFBBF\n",
                  "m.txt:2: expected \"CPUID LLLLLLLL: "},
        ErrorCase{
            "CPUID 00000000: 00000016-756E6547-6C65746E-49656E69\n"
            "CPUID 00000004: 1C004121-01C0003F-0000003F-00000000 [SL x]\n",
            "m.txt:2: expected a subleaf"},
        ErrorCase{"CPUID 00000000: 00000016-756E6547-6C65746E-49656E69\n"
                  "CPUID 00000001: 000906ED-00100800-7FFAFBBF-BFEBFBFF\n",
                  "m.txt:2: expected leaf 0x80000000 among"},
        ErrorCase{"CPU:\n   0x00000000 0x00: eax=0x00000001 ebx=0x7\n",
                  "m.txt:2: expected \"0xLLLLLLLL"},
        ErrorCase{"<cpudata arch='x86'>\n<cpuid eax_in='0x0' eax='0x1' "
                  "ebx='0x2' ecx='0x3'/></cpudata>",
                  "m.txt:2: expected <cpuid edx='0x...'>, found none"},
        ErrorCase{"<cpudata arch='x86'>\n<cpuid eax_in='-1'/></cpudata>",
                  "m.txt:2: expected <cpuid eax_in='0x...'>, found \"-1\""},
        ErrorCase{"<cpudata arch='x86'>\n<cpuid eax_in='0x1'\n",
                  ": expected XML, found "},
        ErrorCase{"\n<cpudata arch='ppc64'/>", "m.txt:2: expected <cpudata "},
        ErrorCase{"x86.cpu_features.basic.kind=1\n",
                  "m.txt:1: expected 0x and hexadecimal digits"}));

// Old files have no headings and no [SL ..].
TEST(InstLatx64Test, TakesTheOldForm) {
  const auto input = ParseMachineInput(
      "CPUID 00000000  \t00000004-756E6547-6C65746E-49656E69\n"
      "CPUID 00000001  \t000006FB-00020800-0000E3BD-BFEBFBFF\n"
      "CPUID 00000002  \t05B0B101-005657F0-00000000-2CB43049\n"
      "CPUID 00000004  \t04000121-01C0003F-0000003F-00000001\n"
      "CPUID 00000004  \t04000122-01C0003F-0000003F-00000001\n"
      "CPUID 00000004  \t04004143-03C0003F-00000FFF-00000001\n"
      "CPUID 80000000  \t80000001-00000000-00000000-00000000\n"
      "CPUID 80000001  \t00000000-00000000-00000001-20100800\n"
      "CPUID 00000000  \t00000004-756E6547-6C65746E-49656E69\n"
      "CPUID 00000001  \t000006FB-01020800-0000E3BD-BFEBFBFF\n"
      "CPUID 00000004  \t04000121-01C0003F-0000003F-00000001\n"
      "CPUID 80000000  \t80000001-00000000-00000000-00000000\n"
      "CPUID 80000001  \t00000000-00000000-00000001-20100800\n",
      "old.txt");
  ASSERT_TRUE(input.ok()) << input.status();
  // The second CPU lacks leaves that the first one has.
  ASSERT_EQ(input->cores.size(), 2u);
  EXPECT_EQ(input->cores[0].cpuid.Query(4, 2)->eax, 0x04004143u);
  EXPECT_FALSE(input->cores[0].cpuid.Query(4, 3).has_value());
}

// libvirt's feature lists have some leaves only.
TEST(LibvirtTest, SaysWhichLeavesAreMissing) {
  const auto input = ParseMachineInput(
      "<cpudata arch='x86'><cpuid eax_in='0x00000000' ecx_in='0x00' "
      "eax='0x0000000d' ebx='0x756e6547' ecx='0x6c65746e' edx='0x49656e69'/>"
      "<cpuid eax_in='0x00000001' ecx_in='0x00' eax='0x000306e4' "
      "ebx='0x00100800' ecx='0x7fbee3bf' edx='0xbfebfbff'/></cpudata>",
      "features.xml");
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_FALSE(input->has_features);
  EXPECT_FALSE(input->has_cache_leaves);
  ASSERT_EQ(input->unknown.size(), 2u);
  EXPECT_THAT(input->unknown[0].what,
              HasSubstr("leaf 0x7, leaf 0xd, leaf 0x80000001"));
  EXPECT_THAT(input->unknown[1].what,
              HasSubstr("leaf 0x2, leaf 0x4, leaf 0xb"));
  EXPECT_EQ(input->unknown[1].command, "cpuid -r");
}

}  // namespace
}  // namespace advisor
