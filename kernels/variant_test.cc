#include "kernels/variant.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>

#include "advisor/cpu/feature_table.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kernels {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Optional;

const Tree* FindTree(absl::string_view name) {
  for (const Tree* tree : AllTrees()) {
    if (tree->name() == name) return tree;
  }
  return nullptr;
}

const Variant* FindVariant(absl::string_view name) {
  for (const Variant& variant : AllVariants()) {
    if (variant.name == name) return &variant;
  }
  return nullptr;
}

TEST(AllTreesTest, PortsAreAlwaysThere) {
  const Tree* ports = FindTree("ports");
  ASSERT_NE(ports, nullptr);
  EXPECT_EQ(ports->release(), "2.28");
}

TEST(AllVariantsTest, EverySymbolOfEveryTreeIsListed) {
  EXPECT_THAT(UnlistedSymbols(), IsEmpty());
}

TEST(AllVariantsTest, NamesAreUniqueWithinATree) {
  std::set<std::pair<const Tree*, std::string>> seen;
  for (const Variant& variant : AllVariants()) {
    EXPECT_TRUE(seen.emplace(variant.tree, std::string(variant.name)).second)
        << variant.name;
    EXPECT_NE(variant.address, nullptr) << variant.name;
  }
}

TEST(AllVariantsTest, GlibcTreeHasEveryTechniqueOfItsRelease) {
  if (FindTree("glibc") == nullptr) {
    GTEST_SKIP() << "no glibc source on this machine";
  }
  std::set<std::string> names;
  for (const Variant& variant : AllVariants()) {
    names.insert(std::string(variant.name));
  }
  // Those that all releases from 2.26 have.
  EXPECT_THAT(names, IsSupersetOf({
                         "__memcpy_ssse3",
                         "__memmove_avx512_no_vzeroupper",
                         "__memmove_avx512_unaligned_erms",
                         "__memmove_avx_unaligned",
                         "__memmove_avx_unaligned_erms",
                         "__memmove_erms",
                         "__memmove_sse2_unaligned",
                         "__memmove_sse2_unaligned_erms",
                         "__memmove_ssse3",
                         "__mempcpy_avx_unaligned_erms",
                         "__memset_avx2_unaligned_erms",
                         "__memset_avx512_no_vzeroupper",
                         "__memset_avx512_unaligned_erms",
                         "__memset_erms",
                         "__memset_sse2_unaligned_erms",
                     }));
}

TEST(VariantTest, NamesOnlyThresholdsOfItsTree) {
  for (const Variant& variant : AllVariants()) {
    const KernelParameters parameters = variant.tree->parameters();
    for (absl::string_view threshold : variant.thresholds) {
      if (threshold == "shared_non_temporal_threshold") {
        EXPECT_TRUE(parameters.non_temporal_threshold.has_value());
      } else if (threshold == "rep_movsb_threshold") {
        EXPECT_TRUE(parameters.rep_movsb_threshold.has_value());
      } else if (threshold == "shared_cache_size_half") {
        EXPECT_TRUE(parameters.shared_cache_size.has_value());
      }
    }
  }
}

TEST(VariantTest, CopiesAndReturnsAsItsFunctionDoes) {
  for (const Variant& variant : AllVariants()) {
    // SSE2 only: what every x86-64 CPU runs.
    if (!variant.required_features.empty()) continue;
    char to[300] = {};
    const std::string from(250, 'x');
    if (variant.function == Function::kMemset) {
      EXPECT_EQ(variant.Set(to, 'x', 250), to) << variant.name;
    } else {
      const int ahead = variant.function == Function::kMempcpy ? 250 : 0;
      EXPECT_EQ(variant.Copy(to, from.data(), 250), to + ahead) << variant.name;
    }
    EXPECT_STREQ(to, from.c_str()) << variant.name;
  }
}

TEST(TreeTest, StoresOnlyTheGivenParameters) {
  for (const Tree* tree : AllTrees()) {
    const KernelParameters before = tree->parameters();
    ASSERT_TRUE(before.non_temporal_threshold.has_value()) << tree->name();
    KernelParameters change;
    change.non_temporal_threshold = 0x12340;
    tree->SetParameters(change);
    const KernelParameters after = tree->parameters();
    EXPECT_THAT(after.non_temporal_threshold, Optional(0x12340));
    EXPECT_EQ(after.rep_movsb_threshold, before.rep_movsb_threshold);
    EXPECT_EQ(after.shared_cache_size, before.shared_cache_size);
    tree->SetParameters(before);
    EXPECT_EQ(tree->parameters().non_temporal_threshold,
              before.non_temporal_threshold);
  }
}

TEST(TreeTest, ParametersOfOneTreeLeaveTheOthersAlone) {
  if (AllTrees().size() < 2) GTEST_SKIP() << "no glibc source on this machine";
  const Tree& first = *AllTrees()[0];
  const Tree& second = *AllTrees()[1];
  const KernelParameters before = first.parameters();
  const auto other = second.parameters().non_temporal_threshold;
  KernelParameters change;
  change.non_temporal_threshold = *other + 64;
  first.SetParameters(change);
  EXPECT_EQ(second.parameters().non_temporal_threshold, other);
  first.SetParameters(before);
}

TEST(TreeTest, CacheSizesReadBackThroughTheirHalves) {
  const Tree* glibc = FindTree("glibc");
  if (glibc == nullptr) GTEST_SKIP() << "no glibc source on this machine";
  const KernelParameters before = glibc->parameters();
  KernelParameters change;
  change.shared_cache_size = 6 << 20;
  glibc->SetParameters(change);
  EXPECT_THAT(glibc->parameters().shared_cache_size, Optional(6 << 20));
  glibc->SetParameters(before);
}

// CPUID bits: leaf 1 ECX and leaf 7 EBX.
constexpr uint32_t kOsxsave = 1u << 27;
constexpr uint32_t kAvx = 1u << 28;
constexpr uint32_t kBmi2 = 1u << 8;
constexpr uint32_t kRtm = 1u << 11;
constexpr uint32_t kAvx512 = 1u << 16 | 1u << 30 | 1u << 31;  // F, BW, VL

advisor::CpuidTable Cpu(uint32_t leaf1_ecx, uint32_t leaf7_ebx, uint64_t xcr0) {
  advisor::CpuidTable cpu;
  cpu.Set(0, 0, {7, 0, 0, 0});
  cpu.Set(1, 0, {0, 0, leaf1_ecx | kOsxsave, 0});
  cpu.Set(7, 0, {0, leaf7_ebx, 0, 0});
  cpu.SetXcr0(xcr0);
  return cpu;
}

TEST(MissingFeatureTest, AvxNeedsTheBitAndTheSavedRegisters) {
  const Variant* avx = FindVariant("port_memmove_avx_unaligned");
  ASSERT_NE(avx, nullptr);
  EXPECT_THAT(avx->required_features, ElementsAre("AVX"));
  EXPECT_EQ(MissingFeature(*avx, Cpu(kAvx, 0, 7)), std::nullopt);
  EXPECT_EQ(MissingFeature(*avx, Cpu(kAvx, 0, 3)), "AVX");
  EXPECT_EQ(MissingFeature(*avx, Cpu(0, 0, 7)), "AVX");
}

TEST(MissingFeatureTest, Sse2RunsEverywhere) {
  const Variant* sse2 = FindVariant("port_memmove_sse2_unaligned");
  ASSERT_NE(sse2, nullptr);
  EXPECT_EQ(MissingFeature(*sse2, advisor::CpuidTable()), std::nullopt);
}

TEST(MissingFeatureTest, NamesTheFirstOfSeveral) {
  const Variant* evex = FindVariant("__memset_evex_unaligned");
  if (evex == nullptr) GTEST_SKIP() << "no variant of that name was built in";
  EXPECT_EQ(MissingFeature(*evex, Cpu(kAvx, kAvx512 | kBmi2, 0xe7)),
            std::nullopt);
  EXPECT_EQ(MissingFeature(*evex, Cpu(kAvx, kAvx512, 0xe7)), "BMI2");
  EXPECT_EQ(MissingFeature(*evex, Cpu(kAvx, kAvx512 | kBmi2, 7)), "AVX512VL");
}

TEST(MissingFeatureTest, LeafPastTheMaximumOffersNothing) {
  const Variant* rtm = FindVariant("__memmove_avx_unaligned_rtm");
  if (rtm == nullptr) GTEST_SKIP() << "no variant of that name was built in";
  advisor::CpuidTable cpu = Cpu(kAvx, kRtm, 7);
  EXPECT_EQ(MissingFeature(*rtm, cpu), std::nullopt);
  cpu.Set(0, 0, {4, 0, 0, 0});
  EXPECT_EQ(MissingFeature(*rtm, cpu), "RTM");
}

// A name that the feature table lacks would keep its variant from ever running.
TEST(MissingFeatureTest, EveryRequiredFeatureIsInTheTable) {
  for (const Variant& variant : AllVariants()) {
    for (absl::string_view feature : variant.required_features) {
      EXPECT_NE(advisor::FindFeature(feature), nullptr) << feature;
    }
  }
}

}  // namespace
}  // namespace kernels
