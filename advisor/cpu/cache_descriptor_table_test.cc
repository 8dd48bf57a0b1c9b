#include "advisor/cpu/cache_descriptor_table.h"

#include "gtest/gtest.h"

namespace advisor {
namespace {

TEST(CacheDescriptorTableTest, IsSortedAndPossible) {
  const auto table = CacheDescriptorTable();
  EXPECT_EQ(table.size(), 68);
  int last = -1;
  for (const CacheDescriptorRow& row : table) {
    EXPECT_LT(last, row.descriptor);
    last = row.descriptor;
    EXPECT_TRUE(row.line == 32 || row.line == 64) << last;
    // A whole number of sets, but where glibc is not the manual.
    const bool is_rounded = row.descriptor >= 0xdc && row.descriptor <= 0xde;
    EXPECT_EQ(row.size % (row.ways * row.line) != 0, is_rounded) << last;
    EXPECT_EQ(row.type == CacheType::kUnified, row.level > 1) << last;
    EXPECT_LE(row.level, 3) << last;
  }
}

TEST(CacheDescriptorTableTest, BytesWithOtherMeaningsAreNoCaches) {
  EXPECT_EQ(FindCacheDescriptor(kNoL2OrL3Descriptor), nullptr);
  EXPECT_EQ(FindCacheDescriptor(kSeeLeaf4Descriptor), nullptr);
  EXPECT_EQ(FindCacheDescriptor(0), nullptr);
  ASSERT_NE(FindCacheDescriptor(kL2OrL3Descriptor), nullptr);
  EXPECT_EQ(FindCacheDescriptor(kL2OrL3Descriptor)->level, 2);
}

TEST(CacheDescriptorTableTest, KnowsWhatQemuTells) {
  const CacheDescriptorRow* l3 = FindCacheDescriptor(0x4d);
  ASSERT_NE(l3, nullptr);
  EXPECT_EQ(l3->level, 3);
  EXPECT_EQ(l3->size, 16u << 20);
  const CacheDescriptorRow* l1d = FindCacheDescriptor(0x2c);
  ASSERT_NE(l1d, nullptr);
  EXPECT_EQ(l1d->size, 32u << 10);
}

}  // namespace
}  // namespace advisor
