// Two trees in one binary, as a base and a patched one: each with code and
// thresholds of its own. Here both are of the same source.

#include <cstring>
#include <string>

#include "gtest/gtest.h"
#include "kernels/variant.h"

namespace kernels {
namespace {

class TwoTreesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (AllTrees().empty()) GTEST_SKIP() << "no glibc source on this machine";
    ASSERT_EQ(AllTrees().size(), 2u);
    ASSERT_EQ(AllTrees()[0]->name(), "glibc");
    ASSERT_EQ(AllTrees()[1]->name(), "twin");
  }
};

TEST_F(TwoTreesTest, EachHasEveryVariantAtAnAddressOfItsOwn) {
  int pairs = 0;
  for (const Variant& variant : AllVariants()) {
    if (variant.tree->name() != "glibc") continue;
    const Variant* twin = FindVariant("twin", variant.name);
    ASSERT_NE(twin, nullptr) << variant.name;
    EXPECT_NE(twin->address, variant.address) << variant.name;
    EXPECT_EQ(twin->code_size, variant.code_size) << variant.name;
    ++pairs;
  }
  EXPECT_GT(pairs, 30);
  EXPECT_EQ(AllVariants().size(), 2u * pairs);
}

TEST_F(TwoTreesTest, EachHasThresholdsOfItsOwn) {
  const Tree& glibc = *AllTrees()[0];
  const Tree& twin = *AllTrees()[1];
  KernelParameters one;
  one.non_temporal_threshold = 0x100000;
  KernelParameters other;
  other.non_temporal_threshold = 0x200000;
  glibc.SetParameters(one);
  twin.SetParameters(other);
  EXPECT_EQ(glibc.parameters().non_temporal_threshold, 0x100000u);
  EXPECT_EQ(twin.parameters().non_temporal_threshold, 0x200000u);
}

TEST_F(TwoTreesTest, BothCopy) {
  const std::string from(100, 'x');
  for (absl::string_view tree : {"glibc", "twin"}) {
    const Variant* variant = FindVariant(tree, "__memmove_sse2_unaligned");
    ASSERT_NE(variant, nullptr);
    std::string to(100, '.');
    EXPECT_EQ(variant->Copy(&to[0], from.data(), 100), to.data());
    EXPECT_EQ(to, from);
  }
}

}  // namespace
}  // namespace kernels
