#include "advisor/glibc/cache_info.h"

#include <cstdint>
#include <optional>

#include "advisor/glibc/expected_vectors.h"
#include "advisor/glibc/prediction.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

CacheInfo Info(const CpuidTable& cpu, absl::string_view build) {
  return Predict(cpu, *ParseGlibcBuild(build)).cache;
}

// An Intel CPU with these descriptors in leaf 2, and an empty leaf 4.
CpuidTable WithDescriptors(CpuidRegisters leaf2, uint32_t family_model) {
  CpuidTable cpu;
  cpu.Set(0, 0, {2, 0x756e6547, 0x6c65746e, 0x49656e69});
  cpu.Set(1, 0, {family_model, 0, 0, 0});
  cpu.Set(2, 0, leaf2);
  return cpu;
}

constexpr uint32_t kPenryn = 0x00010676;

TEST(IntelSizes, FromDescriptors) {
  // 0x2c is L1d 32 KiB, 0x4e L2 6 MiB, 0x4d L3 16 MiB.
  const CpuidTable cpu =
      WithDescriptors({0x00004e01, 0x0000004d, 0, 0x2c}, kPenryn);
  for (const char* build : {"2.26", "2.36", "2.42"}) {
    const CacheInfo info = Info(cpu, build);
    EXPECT_EQ(info.data, 32 << 10) << build;
    EXPECT_EQ(info.core, 6 << 20) << build;
    EXPECT_EQ(info.level3_cache_size, 16 << 20) << build;
  }
}

TEST(IntelSizes, ReservedRegistersAreSkipped) {
  EXPECT_EQ(Info(WithDescriptors({1, 0x8000004d, 0, 0x22}, kPenryn), "2.36")
                .level3_cache_size,
            512 << 10);
}

TEST(IntelSizes, Descriptor0x40MeansNoL3) {
  const CpuidTable cpu = WithDescriptors({0x00004001, 0, 0, 0}, kPenryn);
  EXPECT_EQ(Info(cpu, "2.36").level3_cache_size, -1);
  EXPECT_EQ(Info(cpu, "2.36").level2_cache_size, -1);
  EXPECT_EQ(Info(cpu, "2.36").level1_dcache_size, 0);
}

TEST(IntelSizes, Descriptor0x49IsAnL3OnOneFamily) {
  const CpuidRegisters leaf2 = {0x00004901, 0, 0, 0};
  EXPECT_EQ(Info(WithDescriptors(leaf2, 0x0f60), "2.36").level3_cache_size,
            4 << 20);
  EXPECT_EQ(Info(WithDescriptors(leaf2, kPenryn), "2.36").level3_cache_size, 0);
  EXPECT_EQ(Info(WithDescriptors(leaf2, kPenryn), "2.36").level2_cache_size,
            4 << 20);
}

// Before Change::kLeaf2LowByte a count of 0 means one round, and from the
// second round the count's byte is a descriptor.
TEST(IntelSizes, LowByteOfLeaf2) {
  const CpuidTable none = WithDescriptors({0, 0x4d, 0, 0}, kPenryn);
  EXPECT_EQ(Info(none, "2.38").level3_cache_size, 16 << 20);
  EXPECT_EQ(Info(none, "2.39").level3_cache_size, -1);
  EXPECT_EQ(Info(none, "2.38+branch").level3_cache_size, -1);
  // 0x22 is both a count of 34 and an L3 of 512 KiB.
  const CpuidTable count = WithDescriptors({0x22, 0, 0, 0}, kPenryn);
  EXPECT_EQ(Info(count, "2.38").level3_cache_size, 512 << 10);
  EXPECT_EQ(Info(count, "2.39").level3_cache_size, -1);
}

TEST(IntelSizes, Leaf4WrapsAt4GiB) {
  CpuidTable cpu = VectorNamed("ivb_host");
  CpuidRegisters l3 = cpu.Execute(4, 3);
  l3.ebx = 0xffffffff;  // 1024 ways, 1024 partitions, lines of 4096 bytes.
  l3.ecx = 0;
  cpu.Set(4, 3, l3);
  EXPECT_EQ(Info(cpu, "2.36").level3_cache_size, 0);
  l3.ebx = 0xffffffff & ~(1u << 22);  // 1023 ways.
  cpu.Set(4, 3, l3);
  EXPECT_EQ(Info(cpu, "2.36").level3_cache_size,
            static_cast<int64_t>(0xffc00000));
}

TEST(IntelThreads, NoneWithoutHtt) {
  const CacheInfo info = Info(VectorNamed("ivb_guest_htt0"), "2.28");
  EXPECT_EQ(info.threads, 0u);
  EXPECT_EQ(info.shared, 16 << 20);
}

TEST(IntelThreads, NoneWhereTheSharingFieldIsZero) {
  EXPECT_EQ(Info(VectorNamed("ivb_guest_l3share1"), "2.28").threads, 0u);
  EXPECT_EQ(Info(VectorNamed("ivb_guest_leafb1"), "2.28").threads, 0u);
  EXPECT_EQ(Info(VectorNamed("ivb_guest_4c"), "2.28").threads, 4u);
  EXPECT_EQ(Info(VectorNamed("ivb_host"), "2.28").threads, 30u);
}

// Only eight bits of the count are read: 257 is 1, and 256 is none.
TEST(IntelThreads, EightBitsOfLeafB) {
  CpuidTable cpu = VectorNamed("skx_host");
  CpuidRegisters cores = cpu.Execute(0xb, 1);
  cores.ebx = 257;
  cpu.Set(0xb, 1, cores);
  EXPECT_EQ(Info(cpu, "2.28").threads, 0u);
  cores.ebx = 256;
  cpu.Set(0xb, 1, cores);
  EXPECT_EQ(Info(cpu, "2.28").threads, 64u);  // Leaf 4's.
}

// The mask has the bits of leaf 4's field: 17 of 16 ids are 0.
TEST(IntelThreads, SeventeenOfSixteen) {
  CpuidTable cpu = VectorNamed("ivb_host");
  CpuidRegisters l3 = cpu.Execute(4, 3);
  l3.eax = (l3.eax & ~(0xfffu << 14)) | (15u << 14);
  cpu.Set(4, 3, l3);
  CpuidRegisters cores = cpu.Execute(0xb, 1);
  cores.ebx = 17;
  cpu.Set(0xb, 1, cores);
  EXPECT_EQ(Info(cpu, "2.28").threads, 0u);
  cores.ebx = 16;
  cpu.Set(0xb, 1, cores);
  EXPECT_EQ(Info(cpu, "2.28").threads, 16u);
}

// Bug 30745: the tag divided only where leaf 4 does not tell.
TEST(IntelThreads, PerThreadShareOf238) {
  const CpuidTable cpu = VectorNamed("ivb_host");
  EXPECT_EQ(Info(cpu, "2.38").shared_per_thread, 31457280);
  EXPECT_EQ(Info(cpu, "2.38+branch").shared_per_thread, 1048576);
  EXPECT_EQ(Info(cpu, "2.39").shared_per_thread, 1048576);
}

TEST(Zhaoxin, WithoutL2TheLoopNeverEnds) {
  CpuidTable cpu = VectorNamed("zx_nol2");
  EXPECT_FALSE(Info(cpu, "2.31").hangs);
  for (const char* build : {"2.32", "2.42", "2.32+branch"}) {
    EXPECT_TRUE(Info(cpu, build).hangs) << build;
  }
  // With HTT clear leaf 4 is not counted.
  CpuidRegisters leaf1 = cpu.Execute(1);
  leaf1.edx &= ~(1u << 28);
  cpu.Set(1, 0, leaf1);
  EXPECT_FALSE(Info(cpu, "2.42").hangs);
}

// Answers leaf 4 with the same level 1 entry for ever.
class EndlessLeaf4 : public CpuidSource {
 public:
  std::optional<CpuidRegisters> Query(uint32_t leaf,
                                      uint32_t subleaf) const override {
    if (leaf == 4) return CpuidRegisters{0x21, 0x01c0003f, 0x3f, 0};
    return cpu_.Query(leaf, subleaf);
  }
  std::optional<uint64_t> Xcr0() const override { return cpu_.Xcr0(); }

 private:
  const CpuidTable cpu_ = VectorNamed("ivb_host");
};

TEST(IntelSizes, ALeaf4WithoutEndHangs) {
  for (const GlibcBuild& build : UpstreamBuilds()) {
    EXPECT_TRUE(Predict(EndlessLeaf4(), build).hangs) << build.name();
  }
}

TEST(Amd, SourcesByRelease) {
  const CpuidTable zeroed6 = VectorNamed("amd_80000006zero");
  EXPECT_EQ(Info(zeroed6, "2.36").level3_cache_size, 0);
  EXPECT_EQ(Info(zeroed6, "2.37").level3_cache_size, 32 << 20);
  const CpuidTable no1d = VectorNamed("amd_l3only80");
  EXPECT_GT(Info(no1d, "2.36").level3_cache_size, 0);
  EXPECT_EQ(Info(no1d, "2.37").level3_cache_size, 0);
  EXPECT_EQ(Info(no1d, "2.38").level3_cache_size, 0);
  EXPECT_GT(Info(no1d, "2.39").level3_cache_size, 0);
  EXPECT_GT(Info(no1d, "2.37+branch").level3_cache_size, 0);
}

// 0x80000006:EDX[31:18] counts 512 KiB, but glibc takes 12 bits of it.
TEST(Amd, TwoGibibytesAreNone) {
  CpuidTable cpu = VectorNamed("zen3_7763");
  CpuidRegisters leaf = cpu.Execute(0x80000006);
  leaf.edx = (0x1000u << 18) | 0x9140;
  cpu.Set(0x80000006, 0, leaf);
  EXPECT_EQ(Info(cpu, "2.36").level3_cache_size, 0);
  leaf.edx = (0x1001u << 18) | 0x9140;
  cpu.Set(0x80000006, 0, leaf);
  EXPECT_EQ(Info(cpu, "2.36").level3_cache_size, 512 << 10);
}

TEST(Hygon, AnEmptyLeafIsOneByteFrom241) {
  CpuidTable cpu = VectorNamed("hygon_7185");
  for (uint32_t subleaf = 0; subleaf < 4; ++subleaf) {
    cpu.Set(0x8000001d, subleaf, {});
  }
  EXPECT_EQ(Info(cpu, "2.41").level3_cache_size, 1);
  EXPECT_GT(Info(cpu, "2.40").level3_cache_size, 1);
  EXPECT_EQ(Info(cpu, "2.28").level3_cache_size, -1);
}

TEST(UnknownVendor, NothingIsRead) {
  const CacheInfo info = Info(VectorNamed("unknown_erms"), "2.36");
  EXPECT_EQ(info.data, -1);
  EXPECT_EQ(info.shared, -1);
  EXPECT_EQ(info.threads, 0u);
}

}  // namespace
}  // namespace advisor
