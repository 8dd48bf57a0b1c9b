// The correctness suite over every variant of every tree in the registry.

#include "kernels/correctness.h"

#include <iostream>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "kernels/variant.h"

namespace kernels {
namespace {

// What keeps a variant from running here. `xtest` is answered by the suite, so
// RTM, the last of the features, may be missing.
std::optional<std::string> WhyNotRunnable(const Variant& variant) {
  static const auto& cpu = *new advisor::CpuidTable(advisor::ReadNativeCpuid());
  std::optional<std::string> missing = MissingFeature(variant, cpu);
  if (missing == "RTM") return std::nullopt;
  return missing;
}

int ran = 0;
int skipped = 0;
std::map<std::string, int> skipped_for;

class Summary : public ::testing::Environment {
 public:
  void TearDown() override {
    std::cout << "variants: " << ran << " ran, " << skipped << " skipped";
    for (const auto& [feature, count] : skipped_for) {
      std::cout << " (" << count << " need " << feature << ")";
    }
    std::cout << "\n";
  }
};

[[maybe_unused]] const auto* const summary =
    ::testing::AddGlobalTestEnvironment(new Summary);

// Defects of released code that the suite finds. Distributions may have fixed
// them in the same release, so that passing is no surprise either.
struct KnownDefect {
  absl::string_view variant;
  // The last release that has it.
  absl::string_view until;
  absl::string_view reference;
};
constexpr KnownDefect kKnownDefects[] = {
    // Non-temporal path: stores the head to the returned address. Fixed in 2.28
    // by "Don't write beyond destination in __mempcpy_avx512_no_vzeroupper".
    {"__mempcpy_avx512_no_vzeroupper", "2.27", "bug 23196, CVE-2018-11237"},
};

const KnownDefect* FindKnownDefect(const Variant& variant) {
  for (const KnownDefect& defect : kKnownDefects) {
    // Releases compared here have two digits after the point.
    if (defect.variant == variant.name &&
        variant.tree->release() <= defect.until) {
      return &defect;
    }
  }
  return nullptr;
}

class CorrectnessTest : public ::testing::TestWithParam<const Variant*> {};

std::string TestName(const ::testing::TestParamInfo<const Variant*>& info) {
  return absl::StrCat(info.param->tree->name(), "_", info.param->name);
}

// The variant whose code this one is too, when it comes first in the registry.
const Variant* EarlierName(const Variant& variant) {
  for (const Variant& other : AllVariants()) {
    if (other.address == variant.address) return &other;
  }
  return &variant;
}

TEST_P(CorrectnessTest, Passes) {
  const Variant& variant = *GetParam();
  if (const auto missing = WhyNotRunnable(variant)) {
    ++skipped;
    ++skipped_for[*missing];
    GTEST_SKIP() << variant.name << " needs " << *missing;
  }
  ++ran;
  const Variant* earlier = EarlierName(variant);
  if (earlier != &variant) {
    // memcpy is memmove's code, and memmove's checks are the stricter.
    ASSERT_EQ(earlier->function, Function::kMemmove);
    std::cout << "the same code as " << earlier->name << "\n";
    return;
  }
  const CheckOutcome outcome = CheckVariant(variant);
  const KnownDefect* defect = FindKnownDefect(variant);
  if (defect != nullptr && outcome.failure.has_value()) {
    GTEST_SKIP() << variant.name << " of " << variant.tree->release()
                 << " is known to be wrong (" << defect->reference
                 << "): " << *outcome.failure;
  }
  EXPECT_GT(outcome.calls, 10000);
  EXPECT_FALSE(outcome.failure.has_value()) << *outcome.failure;
}

std::vector<const Variant*> Pointers() {
  std::vector<const Variant*> pointers;
  for (const Variant& variant : AllVariants()) pointers.push_back(&variant);
  return pointers;
}

INSTANTIATE_TEST_SUITE_P(All, CorrectnessTest, ::testing::ValuesIn(Pointers()),
                         TestName);

TEST(CorrectnessCoverageTest, SomeVariantRunsHere) {
  int runnable = 0;
  for (const Variant& variant : AllVariants()) {
    if (!WhyNotRunnable(variant).has_value()) ++runnable;
  }
  EXPECT_GT(runnable, 0);
}

TEST(CorrectnessCoverageTest, GlibcsOwnVariantsAreBuiltIn) {
  for (const Variant& variant : AllVariants()) {
    if (variant.tree->name() == "glibc") return;
  }
  GTEST_SKIP() << "no glibc source on this machine: only the ports ran";
}

TEST(CorrectnessCoverageTest, RtmIsTheLastFeatureOfARow) {
  for (const Variant& variant : AllVariants()) {
    for (size_t i = 0; i + 1 < variant.required_features.size(); ++i) {
      EXPECT_NE(variant.required_features[i], "RTM") << variant.name;
    }
  }
}

}  // namespace
}  // namespace kernels
