// lscpu and /proc/cpuinfo: what follows from them, and nothing more.

#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "advisor/cpu/cpu_model.h"
#include "advisor/cpu/feature_table.h"
#include "advisor/input/formats_testing.h"
#include "advisor/input/linux_cpu.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kEmeraldDump[] =
    "intel_06-cf-02_xeon-emerald-rapids_local_firecracker-2-vcpu.txt";

struct LinuxCase {
  absl::string_view input;
  absl::string_view format;
  absl::string_view dump;
};

class LinuxTwinTest : public testing::TestWithParam<LinuxCase> {};

TEST_P(LinuxTwinTest, SelectsAsTheDump) {
  const MachineInput input = ReadInput(GetParam().input);
  EXPECT_EQ(input.format, GetParam().format);
  ASSERT_EQ(input.cores.size(), 1u);
  const CpuidTable& told = input.cores[0].cpuid;
  const CpuidTable dump = ReadDump(GetParam().dump);
  EXPECT_TRUE(input.has_features);
  EXPECT_EQ(told.Query(1)->eax, dump.Query(1)->eax);
  EXPECT_EQ(DecodeCpuModel(told).vendor, DecodeCpuModel(dump).vendor);
  EXPECT_EQ(DecodeCpuModel(told).brand, DecodeCpuModel(dump).brand);
  for (const FeatureState& feature : DecodeFeatures(dump)) {
    if (LinuxFlagName(feature.name()).empty() || feature.name() == "IBT") {
      continue;
    }
    EXPECT_EQ(IsFeatureUsable(told, feature.name()), feature.usable)
        << feature.name();
  }
  EXPECT_EQ(PredictAll(told, false), PredictAll(dump, false));
}

TEST_P(LinuxTwinTest, InventsNoCacheLeaf) {
  const MachineInput input = ReadInput(GetParam().input);
  EXPECT_FALSE(input.has_cache_leaves);
  ASSERT_EQ(input.cores.size(), 1u);
  for (const uint32_t leaf :
       {0x2u, 0x4u, 0xbu, 0x80000005u, 0x80000006u, 0x80000008u, 0x8000001du}) {
    EXPECT_FALSE(input.cores[0].cpuid.Query(leaf).has_value()) << leaf;
  }
  bool tells_command = false;
  for (const UnknownFact& fact : input.unknown) {
    tells_command = tells_command || (fact.command == "cpuid -r" &&
                                      absl::StrContains(fact.what, "caches"));
  }
  EXPECT_TRUE(tells_command);
}

INSTANTIATE_TEST_SUITE_P(
    All, LinuxTwinTest,
    testing::Values(
        LinuxCase{"lscpu/emerald_rapids_guest.lscpu.txt", "lscpu",
                  kEmeraldDump},
        LinuxCase{"lscpu/emerald_rapids_guest.lscpu.json", "lscpu -J",
                  kEmeraldDump},
        LinuxCase{"cpuinfo/emerald_rapids_guest.cpuinfo.txt", "/proc/cpuinfo",
                  kEmeraldDump},
        LinuxCase{"cpuinfo/epyc_milan.cpuinfo.txt", "/proc/cpuinfo",
                  "amd_19-01-01_epyc-milan_qemu-tcg_qemu72-tcg-epyc-milan.txt"},
        LinuxCase{"cpuinfo/dhyana.cpuinfo.txt", "/proc/cpuinfo",
                  "hygon_18-00-01_dhyana_qemu-tcg_qemu72-tcg-dhyana.txt"},
        LinuxCase{"cpuinfo/skylake_server.cpuinfo.txt", "/proc/cpuinfo",
                  "intel_06-55-04_xeon-skylake_qemu-tcg_qemu72-tcg-"
                  "skylake-server.txt"},
        LinuxCase{"lscpu/kvm64_2_sockets_3_cores.lscpu.txt", "lscpu",
                  "field/kvm64_2_sockets_3_cores.txt"},
        LinuxCase{"bundle/sosreport-seed-guest/proc/cpuinfo", "/proc/cpuinfo",
                  "field/seed_guest_htt0.txt"},
        LinuxCase{"bundle/sosreport-seed-guest/sos_commands/processor/lscpu",
                  "lscpu", "field/seed_guest_htt0.txt"}),
    [](const auto& info) {
      return absl::StrReplaceAll(info.param.input,
                                 {{"/", "_"}, {".", "_"}, {"-", "_"}});
    });

TEST(LscpuTest, KeepsSizesAsNotes) {
  EXPECT_THAT(
      ReadInput("lscpu/kvm64_2_sockets_3_cores.lscpu.txt").notes,
      Contains("L3 cache: 32 MiB, as lscpu sums it up over the machine"));
  EXPECT_THAT(ReadInput("lscpu/emerald_rapids_guest.lscpu.json").notes,
              Contains("L3 cache: 260 MiB (1 instance), as lscpu sums it up "
                       "over the machine"));
  EXPECT_THAT(
      ReadInput("bundle/sosreport-seed-guest/sos_commands/processor/lscpu")
          .notes,
      Contains("L3 cache: 16384K, as lscpu tells one of them"));
}

// "clflus|h", "ss|e4_1", "er|ms", "avx512bw|avx512vl", "mmx": words broken by
// the width of a terminal, and lines that end with a word.
TEST(LscpuTest, JoinsWrappedFlags) {
  const MachineInput input = ReadInput("lscpu/xeon_6146_wrapped.lscpu.txt");
  ASSERT_EQ(input.cores.size(), 1u);
  for (const char* const name :
       {"SSE4_1", "ERMS", "AVX512BW", "AVX512VL", "XSAVEC", "SSSE3", "AVX2"}) {
    EXPECT_EQ(IsFeatureUsable(input.cores[0].cpuid, name), true) << name;
  }
  EXPECT_EQ(IsFeatureUsable(input.cores[0].cpuid, "RTM"), false);
  EXPECT_EQ(PredictAll(input.cores[0].cpuid, false).back(),
            "2.42+branch evex_unaligned_erms evex_unaligned_erms");
  EXPECT_THAT(input.notes, Contains(HasSubstr("L3 cache: 49.5 MiB")));
}

// Linux clears xsave and its dependents when it does not use them; avx512f
// alone is a processor whose YMM state is on, too.
TEST(LinuxCpuTest, StatesFollowFromFlags) {
  LinuxCpu cpu;
  cpu.vendor = "GenuineIntel";
  cpu.family = 6;
  cpu.model = 85;
  cpu.flags = "fpu sse2 ssse3 erms";
  EXPECT_FALSE(CpuidOfLinuxCpu(cpu)->Xcr0().has_value());
  cpu.flags = "fpu sse2 xsave";
  EXPECT_EQ(CpuidOfLinuxCpu(cpu)->Xcr0(), 0x3u);
  cpu.flags = "fpu sse2 xsave avx avx2";
  EXPECT_EQ(CpuidOfLinuxCpu(cpu)->Xcr0(), 0x7u);
  cpu.flags = "fpu sse2 xsave avx avx2 avx512f";
  EXPECT_EQ(CpuidOfLinuxCpu(cpu)->Xcr0(), 0xe7u);
}

TEST(LinuxCpuTest, EncodesFamilyAndModel) {
  struct Row {
    uint32_t family, model, stepping, eax;
  };
  for (const Row& row : {Row{6, 207, 2, 0xc06f2}, Row{15, 6, 1, 0xf61},
                         Row{25, 1, 1, 0xa00f11}, Row{24, 0, 1, 0x900f01},
                         Row{6, 62, 7, 0x306e7}, Row{26, 2, 1, 0xb00f21}}) {
    LinuxCpu cpu;
    cpu.vendor = "AuthenticAMD";
    cpu.family = row.family;
    cpu.model = row.model;
    cpu.stepping = row.stepping;
    EXPECT_EQ(CpuidOfLinuxCpu(cpu)->Query(1)->eax, row.eax);
  }
}

TEST(LinuxCpuTest, NamesOfFlagsAreDistinct) {
  std::set<std::string> names;
  for (const FeatureRow& row : FeatureTable()) {
    const std::string name = LinuxFlagName(row.name);
    EXPECT_TRUE(name.empty() || names.insert(name).second) << name;
  }
  EXPECT_EQ(LinuxFlagName("AVX512VL"), "avx512vl");
  EXPECT_EQ(LinuxFlagName("SSE3"), "pni");
}

TEST(LinuxCpuTest, KnowsZhaoxinsPaddedName) {
  LinuxCpu cpu;
  cpu.vendor = "Shanghai";
  EXPECT_EQ(DecodeCpuModel(*CpuidOfLinuxCpu(cpu)).vendor_kind,
            VendorKind::kZhaoxin);
  cpu.vendor = "unknown";
  EXPECT_FALSE(CpuidOfLinuxCpu(cpu).has_value());
}

TEST(LscpuTest, RefusesAnotherArchitecture) {
  const auto input = ReadMachineInput(
      RealFileReader(), "testdata/inputs/lscpu/aarch64.lscpu.txt");
  EXPECT_EQ(input.status().message(),
            "testdata/inputs/lscpu/aarch64.lscpu.txt:1: expected "
            "\"Architecture:\" and x86_64, found \"aarch64\"");
}

TEST(LscpuTest, CutFlagsAreNotTold) {
  const std::string whole =
      ReadTestFile("testdata/inputs/lscpu/emerald_rapids_guest.lscpu.txt");
  const std::string cut = whole.substr(0, whole.find(" avx512dq"));
  const auto input = ParseMachineInput(cut, "cut.txt");
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_FALSE(input->has_features);
  EXPECT_THAT(input->unknown[0].what, HasSubstr("features"));
}

TEST(ProcCpuinfoTest, LeavesOutACutCpu) {
  const std::string whole =
      ReadTestFile("testdata/inputs/cpuinfo/emerald_rapids_guest.cpuinfo.txt");
  const std::string cut = whole.substr(0, whole.rfind(" avx512dq"));
  const auto input = ParseMachineInput(cut, "cut.txt");
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_TRUE(input->has_features);
  ASSERT_EQ(input->cores.size(), 1u);
  EXPECT_THAT(input->cores[0].cpus, testing::ElementsAre(0));
  EXPECT_THAT(input->warnings, Contains(HasSubstr("CPU 1 is left out")));
}

TEST(ProcCpuinfoTest, KindsThatDifferAreTwo) {
  const auto input = ParseMachineInput(
      "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n"
      "model\t\t: 151\nflags\t\t: sse2 xsave avx avx2 erms\n\n"
      "processor\t: 1\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n"
      "model\t\t: 151\nflags\t\t: sse2 xsave avx erms\n\n",
      "cpuinfo");
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->cores.size(), 2u);
  EXPECT_THAT(input->warnings, Contains(HasSubstr("differ in leaf 0x7")));
}

TEST(ProcCpuinfoTest, NamesTheLine) {
  const auto input = ParseMachineInput(
      "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: six\n", "c");
  EXPECT_EQ(input.status().message(),
            "c:3: expected \"cpu family : NUMBER\", found \"six\"");
}

TEST(LibvirtTest, CapabilitiesTellTheSignature) {
  const MachineInput input = ReadInput("libvirt/capabilities_haswell.xml");
  ASSERT_EQ(input.cores.size(), 1u);
  EXPECT_EQ(input.cores[0].cpuid.Query(1)->eax, 0x306f2u);
  EXPECT_FALSE(input.has_features);
  EXPECT_FALSE(input.has_cache_leaves);
  EXPECT_THAT(input.notes, Contains(HasSubstr("L3 cache: 15 MiB")));
}

}  // namespace
}  // namespace advisor
