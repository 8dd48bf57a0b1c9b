#include "advisor/cpu/hypervisor_table.h"

#include <cstring>
#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

CpuidRegisters Signed(uint32_t eax, absl::string_view signature) {
  std::string text(signature);
  text.resize(12, '\0');
  CpuidRegisters registers;
  registers.eax = eax;
  std::memcpy(&registers.ebx, text.data(), 4);
  std::memcpy(&registers.ecx, text.data() + 4, 4);
  std::memcpy(&registers.edx, text.data() + 8, 4);
  return registers;
}

CpuidTable Guest() {
  CpuidTable cpu;
  cpu.Set(0, 0, {0x21, 0, 0, 0});
  cpu.Set(1, 0, {0, 0, 1u << 31, 0});
  return cpu;
}

TEST(HypervisorTableTest, IsSortedAndSignaturesFit) {
  absl::string_view last;
  for (const HypervisorRow& row : HypervisorTable()) {
    EXPECT_LT(last, row.signature);
    last = row.signature;
    EXPECT_LE(row.signature.size(), 12);
    EXPECT_NE(row.signature.front(), ' ');
    EXPECT_NE(row.signature.back(), ' ');
    EXPECT_FALSE(row.name.empty() || row.source.empty()) << row.signature;
  }
}

TEST(DecodeHypervisorTest, FindsEveryRowHoweverPadded) {
  for (const HypervisorRow& row : HypervisorTable()) {
    for (const char* before : {"", " "}) {
      if (row.signature.size() == 12 && *before != '\0') continue;
      CpuidTable cpu = Guest();
      cpu.Set(0x40000000, 0,
              Signed(0x40000001, before + std::string(row.signature)));
      EXPECT_EQ(DecodeHypervisor(cpu, "").kind, row.kind) << row.signature;
    }
  }
}

TEST(DecodeHypervisorTest, WithoutTheBitThereIsNone) {
  CpuidTable cpu = Guest();
  cpu.Set(1, 0, {});
  // What an Intel processor answers for a leaf that it lacks may be anything.
  cpu.Set(0x40000000, 0, Signed(0x40000001, "KVMKVMKVM"));
  const Hypervisor hypervisor = DecodeHypervisor(cpu, "");
  EXPECT_EQ(hypervisor.kind, HypervisorKind::kNone);
  EXPECT_FALSE(hypervisor.is_guest());
  EXPECT_EQ(DescribeHypervisor(hypervisor), "none");
}

TEST(DecodeHypervisorTest, UnknownIsAGuestToo) {
  CpuidTable cpu = Guest();
  EXPECT_EQ(DecodeHypervisor(cpu, "").name, "unknown (no signature)");
  cpu.Set(0x40000000, 0, Signed(0x40000001, "Some\x01thing"));
  const Hypervisor hypervisor = DecodeHypervisor(cpu, "");
  EXPECT_EQ(hypervisor.kind, HypervisorKind::kUnknown);
  EXPECT_TRUE(hypervisor.is_guest());
  EXPECT_EQ(hypervisor.name, "unknown (signature \"Some\\x01thing\")");
}

TEST(DecodeHypervisorTest, KvmWithTheInterfaceOfHyperVIsKvm) {
  CpuidTable cpu = Guest();
  cpu.Set(0x40000000, 0, Signed(0x40000006, "Microsoft Hv"));
  EXPECT_EQ(DecodeHypervisor(cpu, "").name, "Hyper-V");
  EXPECT_FALSE(DecodeHypervisor(cpu, "").offers_hyper_v);
  cpu.Set(0x40000100, 0, Signed(0x40000101, "KVMKVMKVM"));
  const Hypervisor hypervisor = DecodeHypervisor(cpu, "");
  EXPECT_EQ(hypervisor.kind, HypervisorKind::kKvm);
  EXPECT_TRUE(hypervisor.offers_hyper_v);
  EXPECT_EQ(DescribeHypervisor(hypervisor), "KVM with Hyper-V's interface");
  ASSERT_EQ(hypervisor.ranges.size(), 2);
  EXPECT_EQ(hypervisor.ranges[1].base, 0x40000100);
}

TEST(DecodeHypervisorTest, XenWithTheInterfaceOfHyperVIsXen) {
  CpuidTable cpu = Guest();
  cpu.Set(0x40000000, 0, Signed(0x40000006, "Microsoft Hv"));
  cpu.Set(0x40000100, 0, Signed(0x40000105, "XenVMMXenVMM"));
  EXPECT_EQ(DecodeHypervisor(cpu, "").kind, HypervisorKind::kXen);
}

TEST(DecodeHypervisorTest, IgnoresRangesThatDoNotExist) {
  CpuidTable cpu = Guest();
  cpu.Set(0x40000000, 0, Signed(0x40000001, "VMwareVMware"));
  // The highest basic leaf, answered for an unknown one.
  cpu.Set(0x40000100, 0, Signed(0x21, "KVMKVMKVM"));
  const Hypervisor hypervisor = DecodeHypervisor(cpu, "");
  EXPECT_EQ(hypervisor.kind, HypervisorKind::kVmware);
  EXPECT_EQ(hypervisor.ranges.size(), 1);
}

TEST(DecodeHypervisorTest, FirecrackerIsAHintOnKvmOnly) {
  CpuidTable cpu = Guest();
  cpu.Set(0x40000000, 0, Signed(0x40000001, "KVMKVMKVM"));
  const char* brand = "Intel(R) Xeon(R) Processor @ 2.50GHz";
  EXPECT_EQ(DecodeHypervisor(cpu, brand).hint, "Firecracker");
  EXPECT_EQ(DecodeHypervisor(cpu, "AMD EPYC").hint, "Firecracker");
  EXPECT_EQ(DecodeHypervisor(cpu, "Intel(R) Xeon(R) Processor").hint,
            "Firecracker");
  EXPECT_EQ(DecodeHypervisor(cpu, "Intel(R) Xeon(R) Gold 6130").hint, "");
  EXPECT_EQ(DecodeHypervisor(cpu, "AMD EPYC 7B12").hint, "");
  cpu.Set(0x40000000, 0, Signed(0x40000000, "bhyve bhyve "));
  EXPECT_EQ(DecodeHypervisor(cpu, brand).hint, "");
}

TEST(DecodeHypervisorTest, TellsTdxAndSev) {
  CpuidTable cpu = Guest();
  EXPECT_FALSE(DecodeHypervisor(cpu, "").tdx);
  cpu.Set(0x21, 0, {0, 0x65746e49, 0x20202020, 0x5844546c});
  EXPECT_TRUE(DecodeHypervisor(cpu, "").tdx);
  cpu.Set(0, 0, {0x20, 0, 0, 0});
  EXPECT_FALSE(DecodeHypervisor(cpu, "").tdx);
  cpu.Set(0x80000000, 0, {0x8000001f, 0, 0, 0});
  cpu.Set(0x8000001f, 0, {0x0a, 0, 0, 0});
  const Hypervisor hypervisor = DecodeHypervisor(cpu, "");
  EXPECT_TRUE(hypervisor.sev);
  EXPECT_TRUE(hypervisor.sev_es);
  EXPECT_FALSE(hypervisor.sev_snp);
}

}  // namespace
}  // namespace advisor
