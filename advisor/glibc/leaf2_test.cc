#include "advisor/glibc/leaf2.h"

#include "gtest/gtest.h"

namespace advisor {
namespace {

TEST(Leaf2, DescriptorsAreSortedAndAllThere) {
  const auto rows = AllLeaf2Descriptors();
  EXPECT_EQ(rows.size(), 68u);
  for (size_t i = 1; i < rows.size(); ++i) {
    EXPECT_LT(rows[i - 1].byte, rows[i].byte);
  }
}

TEST(Leaf2, FindsDescriptors) {
  const Leaf2Descriptor* l3 = FindLeaf2Descriptor(0x4d);
  ASSERT_NE(l3, nullptr);
  EXPECT_EQ(l3->level, CacheLevel::kL3);
  EXPECT_EQ(l3->size, 16u << 20);
  EXPECT_EQ(FindLeaf2Descriptor(0x06)->level, CacheLevel::kL1i);
  EXPECT_EQ(FindLeaf2Descriptor(0xec)->size, 24u << 20);
}

// These have a meaning of their own or none.
TEST(Leaf2, IgnoresOtherBytes) {
  for (int byte : {0x00, 0x01, 0x40, 0xf0, 0xfe, 0xff}) {
    EXPECT_EQ(FindLeaf2Descriptor(byte), nullptr) << byte;
  }
}

}  // namespace
}  // namespace advisor
