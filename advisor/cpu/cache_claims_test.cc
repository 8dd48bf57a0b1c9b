#include "advisor/cpu/cache_claims.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

// Leaves 0 to 4 and 0x80000000 to 0x8000001d announced, none of them told.
CpuidTable Empty() {
  CpuidTable cpu;
  cpu.Set(0, 0, {4, 0, 0, 0});
  cpu.Set(0x80000000, 0, {0x8000001d, 0, 0, 0});
  return cpu;
}

CacheClaims Decode(const CpuidTable& cpu) {
  return DecodeCacheClaims(cpu, 6, 0x3e);
}

TEST(DecodeCacheClaimsTest, ReadsLeaf4) {
  CpuidTable cpu = Empty();
  cpu.Set(4, 0, {0x3c07c163, 0x04c0003f, 0x5fff, 6});
  cpu.Set(4, 1, {});
  const CacheClaims claims = Decode(cpu);
  EXPECT_EQ(claims.leaf(CacheSource::kLeaf4).fact.state, LeafState::kGood);
  const CacheClaim* l3 = claims.Find(CacheSource::kLeaf4, 3);
  ASSERT_NE(l3, nullptr);
  EXPECT_EQ(l3->size, 30u << 20);
  EXPECT_THAT(l3->ways, Optional(20));
  EXPECT_THAT(l3->sharing_field, Optional(31));
  EXPECT_THAT(l3->sharers(), Optional(32));
  EXPECT_THAT(l3->inclusive, Optional(true));
  EXPECT_FALSE(l3->wraps_in_glibc());
  EXPECT_EQ(DescribeCacheClaim(*l3),
            "L3 30 MiB, 20-way, line 64, 32 sharers (leaf 4:0)");
  EXPECT_EQ(claims.Find(CacheSource::kLeaf4, 2), nullptr);
  EXPECT_EQ(claims.Find(CacheSource::kLeaf8000001D, 3), nullptr);
}

TEST(DecodeCacheClaimsTest, KeepsTheTruthOfSizesThatWrap) {
  CpuidTable cpu = Empty();
  // 16 ways, line 64, 2^22 sets: 4 GiB; and one way more.
  cpu.Set(4, 0, {0x163, 0x03c0003f, 0x3fffff, 0});
  EXPECT_EQ(Decode(cpu).Find(CacheSource::kLeaf4, 3)->size, uint64_t{4} << 30);
  EXPECT_TRUE(Decode(cpu).Find(CacheSource::kLeaf4, 3)->wraps_in_glibc());
  EXPECT_EQ(Decode(cpu).Find(CacheSource::kLeaf4, 3)->size_in_32_bits(), 0);
  cpu.Set(4, 0, {0x163, 0x0400003f, 0x3fffff, 0});
  const CacheClaims claims = Decode(cpu);
  const CacheClaim* l3 = claims.Find(CacheSource::kLeaf4, 3);
  EXPECT_EQ(l3->size_in_32_bits(), 256u << 20);
  EXPECT_THAT(DescribeCacheClaim(*l3),
              HasSubstr("which is 256 MiB in glibc's 32 bits"));
  // The neighbour: 4 GiB less a line does not wrap.
  cpu.Set(4, 0, {0x163, 0x0000003f, 0x3fffffe, 0});
  EXPECT_FALSE(Decode(cpu).Find(CacheSource::kLeaf4, 3)->wraps_in_glibc());
}

TEST(DecodeCacheClaimsTest, AbsentZeroAndMalformedDiffer) {
  CpuidTable cpu = Empty();
  const auto fact = [](const CpuidTable& cpu, CacheSource source) {
    return Decode(cpu).leaf(source).fact;
  };
  for (const CacheSource source :
       {CacheSource::kLeaf2, CacheSource::kLeaf4, CacheSource::kLeaf80000005,
        CacheSource::kLeaf80000006, CacheSource::kLeaf8000001D}) {
    EXPECT_EQ(fact(cpu, source).state, LeafState::kAbsent);
    EXPECT_EQ(fact(cpu, source).reason, "the source does not tell it");
  }
  EXPECT_TRUE(Decode(cpu).empty());
  for (const uint32_t leaf : {2u, 4u, 0x80000005u, 0x80000006u, 0x8000001du}) {
    cpu.Set(leaf, 0, {});
  }
  for (const CacheSource source :
       {CacheSource::kLeaf2, CacheSource::kLeaf4, CacheSource::kLeaf80000005,
        CacheSource::kLeaf80000006, CacheSource::kLeaf8000001D}) {
    EXPECT_EQ(fact(cpu, source).state, LeafState::kZero);
  }
  EXPECT_TRUE(Decode(cpu).empty());
  cpu.Set(0, 0, {2, 0, 0, 0});
  EXPECT_EQ(fact(cpu, CacheSource::kLeaf4).state, LeafState::kAbsent);
  EXPECT_EQ(fact(cpu, CacheSource::kLeaf4).reason,
            "the highest leaf is 0x00000002");
}

TEST(DecodeCacheClaimsTest, SaysWhatIsMalformedInLeaf4) {
  const auto reason = [](std::initializer_list<CpuidRegisters> subleaves) {
    CpuidTable cpu = Empty();
    uint32_t subleaf = 0;
    for (const CpuidRegisters& answer : subleaves) {
      cpu.Set(4, subleaf++, answer);
    }
    const LeafFact fact = Decode(cpu).leaf(CacheSource::kLeaf4).fact;
    EXPECT_EQ(fact.state == LeafState::kMalformed, !fact.reason.empty());
    return fact.reason;
  };
  constexpr CpuidRegisters kL1d{0x121, 0x01c0003f, 0x3f, 0};
  EXPECT_EQ(reason({kL1d}), "");
  EXPECT_EQ(reason({kL1d, kL1d}), "subleaf 1 tells L1d again");
  EXPECT_EQ(reason({{0x124, 0x01c0003f, 0x3f, 0}}),
            "subleaf 0 has the unknown cache type 4");
  EXPECT_EQ(reason({{0x101, 0x01c0003f, 0x3f, 0}}), "subleaf 0 has level 0");
  EXPECT_EQ(reason({{0x121, 0, 0, 0}}),
            "subleaf 0 has a line of 1 bytes and 1 bytes in all");
  EXPECT_EQ(reason({{0x20, 1, 1, 0}}), "it has no cache and is not zero");
  CpuidTable endless = Empty();
  for (uint32_t subleaf = 0; subleaf < 100; ++subleaf) {
    endless.Set(4, subleaf, kL1d);
  }
  EXPECT_LE(Decode(endless).leaf(CacheSource::kLeaf4).claims.size(), 16);
}

TEST(DecodeCacheClaimsTest, ReadsDescriptors) {
  CpuidTable cpu = Empty();
  // QEMU's: L3 16 MiB, L1d, L1i, L2 2 MiB.
  cpu.Set(2, 0, {1, 0, 0x4d, 0x002c307d});
  CacheClaims claims = Decode(cpu);
  EXPECT_EQ(claims.leaf(CacheSource::kLeaf2).fact.state, LeafState::kGood);
  EXPECT_EQ(claims.Find(CacheSource::kLeaf2, 1)->size, 32u << 10);
  EXPECT_EQ(claims.Find(CacheSource::kLeaf2, 1, CacheType::kInstruction)->size,
            32u << 10);
  EXPECT_EQ(claims.Find(CacheSource::kLeaf2, 2)->size, 2u << 20);
  EXPECT_EQ(claims.Find(CacheSource::kLeaf2, 3)->size, 16u << 20);
  EXPECT_EQ(DescribeCacheClaim(*claims.Find(CacheSource::kLeaf2, 3)),
            "L3 16 MiB, 16-way, line 64 (leaf 2, descriptor 0x4d)");
  EXPECT_FALSE(claims.leaf_2_defers_to_leaf_4);
  // A register with bit 31 set tells nothing.
  cpu.Set(2, 0, {1, 0, 0x8000004d, 0x00ff4001});
  claims = Decode(cpu);
  EXPECT_TRUE(claims.leaf(CacheSource::kLeaf2).claims.empty());
  EXPECT_TRUE(claims.leaf_2_defers_to_leaf_4);
  EXPECT_TRUE(claims.leaf_2_denies_l2_or_l3);
  EXPECT_THAT(claims.other_descriptors, ElementsAre(0x01));
}

TEST(DecodeCacheClaimsTest, LowByteOfLeaf2MustBeOne) {
  CpuidTable cpu = Empty();
  cpu.Set(2, 0, {0x00000000, 0, 0, 0x2c});
  const LeafFact fact = Decode(cpu).leaf(CacheSource::kLeaf2).fact;
  EXPECT_EQ(DescribeLeafFact(fact),
            "leaf 0x00000002: malformed (low byte 0x00, expected 0x01)");
}

TEST(DecodeCacheClaimsTest, Descriptor49IsAnL3OnXeonMpOnly) {
  CpuidTable cpu = Empty();
  cpu.Set(2, 0, {1, 0, 0, 0x49});
  EXPECT_NE(DecodeCacheClaims(cpu, 6, 15).Find(CacheSource::kLeaf2, 2),
            nullptr);
  EXPECT_NE(DecodeCacheClaims(cpu, 15, 6).Find(CacheSource::kLeaf2, 3),
            nullptr);
  EXPECT_EQ(DecodeCacheClaims(cpu, 15, 6).Find(CacheSource::kLeaf2, 2),
            nullptr);
}

TEST(DecodeCacheClaimsTest, ReadsAmdsOldLeaves) {
  CpuidTable cpu = Empty();
  cpu.Set(0x80000005, 0, {0, 0, 0x300c0140, 0x20080140});
  cpu.Set(0x80000006, 0, {0, 0, 0x04006140, 0x0fe09140});
  CacheClaims claims = Decode(cpu);
  EXPECT_EQ(DescribeCacheClaim(*claims.Find(CacheSource::kLeaf80000005, 1)),
            "L1d 48 KiB, 12-way, line 64 (leaf 0x80000005)");
  EXPECT_EQ(DescribeCacheClaim(*claims.Find(CacheSource::kLeaf80000006, 2)),
            "L2 1 MiB, 8-way, line 64 (leaf 0x80000006)");
  // Associativity 9: "see leaf 0x8000001D".
  EXPECT_EQ(DescribeCacheClaim(*claims.Find(CacheSource::kLeaf80000006, 3)),
            "L3 508 MiB, line 64 (leaf 0x80000006)");
  // Associativity 0: the cache is off, and glibc counts no size.
  cpu.Set(0x80000006, 0, {0, 0, 0x02008140, 0x00800140});
  claims = Decode(cpu);
  EXPECT_NE(claims.Find(CacheSource::kLeaf80000006, 2), nullptr);
  EXPECT_EQ(claims.Find(CacheSource::kLeaf80000006, 3), nullptr);
  EXPECT_EQ(claims.leaf(CacheSource::kLeaf80000006).fact.reason,
            "L3 has a size of 16 MiB and is off");
}

TEST(FormatBytesTest, IsExact) {
  EXPECT_EQ(FormatCacheSize(0), "0 B");
  EXPECT_EQ(FormatCacheSize(1023), "1023 B");
  EXPECT_EQ(FormatCacheSize(48 << 10), "48 KiB");
  EXPECT_EQ(FormatCacheSize(39321600), "37.5 MiB");
  EXPECT_EQ(FormatCacheSize(1310720), "1280 KiB");
  EXPECT_EQ(FormatCacheSize(uint64_t{4} << 30), "4 GiB");
}

}  // namespace
}  // namespace advisor
