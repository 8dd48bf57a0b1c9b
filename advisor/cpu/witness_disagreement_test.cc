#include "advisor/cpu/witness_disagreement.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "advisor/cpu/cpuid_dump.h"
#include "advisor/host/file_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

CpuModel Model(const std::string& name) {
  const std::string path = absl::StrCat("testdata/cpuid/", name, ".txt");
  const auto dump = ParseCpuidDump(*RealFileReader().Read(path), path);
  EXPECT_TRUE(dump.ok()) << dump.status();
  return DecodeCpuModel(dump->cpus[0]);
}

std::vector<int> Cpus(int count) {
  std::vector<int> cpus;
  for (int cpu = 0; cpu < count; ++cpu) cpus.push_back(cpu);
  return cpus;
}

SysfsCache Cache(int level, CacheType type, uint64_t size, int shared) {
  SysfsCache cache;
  cache.path = absl::StrCat("/cache/L", level);
  cache.level = level;
  cache.type = type;
  cache.size = size;
  cache.shared_cpus = Cpus(shared);
  return cache;
}

// One CPU of a package of `cpus`, with the caches of a QEMU guest.
SysfsWitness QemuGuest(int cpus, int l3_shared) {
  SysfsCpu cpu;
  cpu.path = "/cpu0";
  cpu.package = 0;
  cpu.core = 0;
  cpu.thread_siblings = Cpus(1);
  cpu.package_siblings = Cpus(cpus);
  cpu.caches = {Cache(1, CacheType::kData, 32 << 10, 1),
                Cache(1, CacheType::kInstruction, 32 << 10, 1),
                Cache(2, CacheType::kUnified, 4 << 20, 1),
                Cache(3, CacheType::kUnified, 16 << 20, l3_shared)};
  SysfsWitness witness;
  witness.cpus.push_back(cpu);
  return witness;
}

std::vector<std::string> Described(const CpuModel& model,
                                   const SysfsWitness& sysfs) {
  std::vector<std::string> texts;
  for (const WitnessDisagreement& row : CompareWitnesses(model, sysfs)) {
    texts.push_back(row.Describe());
  }
  return texts;
}

// QEMU's leaf 2 says 2 MiB of L2 where its leaf 4 says 4 MiB.
const char kQemuL2[] =
    "L2 size: 2 MiB in leaf 2, descriptor 0x7d, but 4 MiB in /cache/L2/size";

TEST(CompareWitnessesTest, AgreementIsSilent) {
  EXPECT_THAT(Described(Model("field/seed_guest_4_cores"), QemuGuest(4, 4)),
              ElementsAre(kQemuL2));
}

TEST(CompareWitnessesTest, NamesBothSharersOfL3) {
  EXPECT_THAT(Described(Model("field/seed_guest_4_cores"), QemuGuest(4, 2)),
              ElementsAre(kQemuL2,
                          "L3 sharers: 4 in leaf 4:3, but 2 in "
                          "/cache/L3/shared_cpu_list"));
}

TEST(CompareWitnessesTest, RoundingOfIdsIsNoDisagreement) {
  // 3 cores have 4 ids.
  EXPECT_THAT(
      Described(Model("field/kvm64_2_sockets_3_cores"), QemuGuest(3, 3)),
      ElementsAre(kQemuL2));
  EXPECT_THAT(
      Described(Model("field/kvm64_2_sockets_3_cores"), QemuGuest(3, 2)),
      ElementsAre(kQemuL2, HasSubstr("L3 sharers: 4")));
}

TEST(CompareWitnessesTest, HttThatDeniesCpusIsSeen) {
  const CpuModel model = Model("field/seed_guest_htt0");
  EXPECT_THAT(Described(model, QemuGuest(1, 1)), ElementsAre(kQemuL2));
  EXPECT_THAT(Described(model, QemuGuest(2, 1)),
              ElementsAre(kQemuL2,
                          "CPUs in the package: 1 (HTT clear) in "
                          "CPUID.1:EDX[28], but 2 in "
                          "/cpu0/topology/core_siblings_list",
                          HasSubstr("1 in leaf 0xB:1, but 2")));
}

TEST(CompareWitnessesTest, CachesThatSysfsLacks) {
  SysfsWitness sysfs = QemuGuest(2, 2);
  sysfs.cpus[0].caches.clear();
  const std::vector<WitnessDisagreement> rows = CompareWitnesses(
      Model("amd_1a-02-01_oxide-virtual-turin-like_local_bhyve-this-machine"),
      sysfs);
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].kind, DisagreementKind::kNoCachesInSysfs);
  EXPECT_EQ(rows[0].Describe(),
            "caches: L3 508 MiB in leaf 0x80000006, but none in sysfs");
  EXPECT_EQ(rows[1].Describe(),
            "CPUs in the package: 254 in CPUID.1:EBX[23:16], but 2 in "
            "/cpu0/topology/core_siblings_list");
}

TEST(CompareWitnessesTest, CachesThatCpuidLacks) {
  SysfsWitness sysfs = QemuGuest(1, 1);
  const CpuModel model = Model("field/gvisor_intel_no_cache_leaves");
  std::vector<WitnessDisagreement> rows = CompareWitnesses(model, sysfs);
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows[0].kind, DisagreementKind::kNoCachesInCpuid);
  sysfs.cpus[0].caches.clear();
  for (const WitnessDisagreement& row : CompareWitnesses(model, sysfs)) {
    EXPECT_EQ(row.kind, DisagreementKind::kLogicalCpus) << row.Describe();
  }
}

TEST(CompareWitnessesTest, OneLevelMissingOnEitherSide) {
  SysfsWitness sysfs = QemuGuest(4, 4);
  sysfs.cpus[0].caches.pop_back();
  EXPECT_THAT(
      Described(Model("field/seed_guest_4_cores"), sysfs),
      ElementsAre("L3: 16 MiB in leaf 2, descriptor 0x4d, but none in "
                  "sysfs",
                  kQemuL2, "L3: 16 MiB in leaf 4:3, but none in sysfs"));
  sysfs = QemuGuest(4, 4);
  sysfs.cpus[0].caches.push_back(Cache(4, CacheType::kUnified, 128 << 20, 4));
  EXPECT_THAT(Described(Model("field/seed_guest_4_cores"), sysfs),
              ElementsAre(kQemuL2,
                          "L4: none in every cache leaf, but 128 MiB in "
                          "/cache/L4"));
}

TEST(CompareWitnessesTest, AmdsOldLeafTellsThePackage) {
  // 16 CCXs of 16 MiB and 8 CPUs.
  SysfsWitness sysfs;
  for (int number = 0; number < 128; ++number) {
    SysfsCpu cpu;
    cpu.cpu = number;
    cpu.path = absl::StrCat("/cpu", number);
    cpu.package = 0;
    cpu.package_siblings = Cpus(128);
    cpu.caches = {Cache(1, CacheType::kData, 32 << 10, 2),
                  Cache(1, CacheType::kInstruction, 32 << 10, 2),
                  Cache(2, CacheType::kUnified, 512 << 10, 2),
                  Cache(3, CacheType::kUnified, 16 << 20, 8)};
    const int first = number / 8 * 8;
    for (int& shared : *cpu.caches[3].shared_cpus) shared += first;
    sysfs.cpus.push_back(cpu);
  }
  const CpuModel model = Model("field/wsl_threadripper_3990x");
  EXPECT_THAT(Described(model, sysfs), IsEmpty());
  // The neighbour: half of the package is what the leaf does not tell.
  sysfs.cpus.resize(64);
  EXPECT_THAT(Described(model, sysfs),
              ElementsAre(HasSubstr("L3 size: 256 MiB in leaf 0x80000006")));
}

TEST(CompareWitnessesTest, WithoutSysfsThereIsNothingToCompare) {
  EXPECT_THAT(CompareWitnesses(Model("field/seed_guest_htt0"), {}), IsEmpty());
}

}  // namespace
}  // namespace advisor
