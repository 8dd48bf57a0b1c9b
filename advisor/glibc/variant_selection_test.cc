#include "advisor/glibc/variant_selection.h"

#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "advisor/glibc/expected_vectors.h"
#include "advisor/glibc/hwcaps_mask.h"
#include "advisor/glibc/prediction.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

// What the code of a variant needs from the CPU and the operating system.
std::vector<Feature> Needs(absl::string_view function,
                           absl::string_view variant, const GlibcBuild& build) {
  const bool memset = function == "memset";
  if (absl::StartsWith(variant, "evex") ||
      (absl::StartsWith(variant, "avx512_unaligned") &&
       build.Has(memset ? Change::kEvexMemset : Change::kEvexMemmove))) {
    if (memset) return {Feature::kAvx512vl, Feature::kAvx512bw};
    return {Feature::kAvx512vl};
  }
  if (absl::StartsWith(variant, "avx512")) return {Feature::kAvx512f};
  if (absl::EndsWith(variant, "_rtm")) return {Feature::kAvx, Feature::kRtm};
  if (absl::StartsWith(variant, "avx2")) return {Feature::kAvx2};
  if (absl::StartsWith(variant, "avx")) return {Feature::kAvx};
  if (absl::StartsWith(variant, "ssse3")) return {Feature::kSsse3};
  return {};
}

std::vector<std::string> Masks(const GlibcBuild& build) {
  std::set<std::string> masks = {""};
  for (const MaskNameRow& row : AllMaskNames()) {
    if (FindMaskName(row.name, build) != &row) continue;
    masks.insert(std::string(row.name));
    masks.insert(absl::StrCat("-", row.name));
  }
  return {masks.begin(), masks.end()};
}

// No mask brings a variant that the unmasked CPU cannot run.
TEST(Invariants, MasksSelectOnlyWhatTheCpuCanRun) {
  const StepRecorder none(nullptr);
  for (const auto& [name, input] : ExpectedVectors()["cases"].items()) {
    const CpuidTable cpu = ParseVector(input);
    for (const GlibcBuild& build : UpstreamBuilds()) {
      const CpuFeatures able = DetectCpuFeatures(cpu, build, none);
      for (const std::string& mask : Masks(build)) {
        CpuFeatures masked = able;
        ApplyHwcapsMask(mask, "", build, masked);
        ClearXsaveDependents(build, masked);
        for (const auto& [function, variant] :
             {std::pair{"memmove", SelectMemmove(build, masked, none)},
              std::pair{"memset", SelectMemset(build, masked, none)}}) {
          for (const Feature feature : Needs(function, variant, build)) {
            EXPECT_TRUE(able.usable.Contains(feature))
                << name << " " << build.name() << " " << mask << " " << variant
                << " " << FeatureName(feature);
          }
        }
      }
    }
  }
}

// A masked feature that the resolver asks for selects no variant with it.
// (It does not ask for AVX and AVX2 in memmove but for a flag.)
TEST(Invariants, AskedFeaturesAreObeyed) {
  const struct {
    const char* mask;
    Feature feature;
  } cases[] = {{"-AVX512VL", Feature::kAvx512vl},
               {"-SSSE3", Feature::kSsse3},
               {"-RTM", Feature::kRtm}};
  for (const auto& [name, input] : ExpectedVectors()["cases"].items()) {
    const CpuidTable cpu = ParseVector(input);
    for (int release = 34; release <= kLastRelease; ++release) {
      const GlibcBuild build = GlibcBuild::Tag(release);
      for (const auto& c : cases) {
        const Prediction prediction =
            Predict(cpu, build, absl::StrCat("glibc.cpu.hwcaps=", c.mask));
        if (prediction.hangs) continue;
        for (const Feature feature :
             Needs("memmove", prediction.memmove, build)) {
          EXPECT_NE(feature, c.feature) << name << " " << build.name();
        }
        for (const Feature feature :
             Needs("memset", prediction.memset, build)) {
          EXPECT_NE(feature, c.feature) << name << " " << build.name();
        }
      }
      const Prediction no_erms = Predict(cpu, build, "glibc.cpu.hwcaps=-ERMS");
      if (no_erms.hangs) continue;
      EXPECT_FALSE(absl::StrContains(no_erms.memmove, "erms")) << name;
    }
  }
}

TEST(VariantIsErms, ByName) {
  EXPECT_TRUE(VariantIsErms("sse2_unaligned_erms"));
  EXPECT_TRUE(VariantIsErms("evex_unaligned_erms"));
  EXPECT_TRUE(VariantIsErms("avx_unaligned_erms_rtm"));
  EXPECT_FALSE(VariantIsErms("avx_unaligned_rtm"));
  EXPECT_FALSE(VariantIsErms("evex_unaligned"));
  EXPECT_FALSE(VariantIsErms("erms"));
}

TEST(VectorSize, ByName) {
  EXPECT_EQ(VariantVectorSize("erms"), 0);
  EXPECT_EQ(VariantVectorSize("sse2_unaligned_erms"), 16);
  EXPECT_EQ(VariantVectorSize("ssse3_back"), 16);
  EXPECT_EQ(VariantVectorSize("avx_unaligned"), 32);
  EXPECT_EQ(VariantVectorSize("avx2_unaligned_erms_rtm"), 32);
  EXPECT_EQ(VariantVectorSize("evex_unaligned"), 32);
  EXPECT_EQ(VariantVectorSize("avx512_no_vzeroupper"), 64);
}

TEST(Selection, MemsetNeedsBmi2From234) {
  CpuidTable cpu = VectorNamed("skx_host");
  CpuidRegisters leaf7 = cpu.Execute(7, 0);
  leaf7.ebx &= ~(1u << 8);
  cpu.Set(7, 0, leaf7);
  const auto memset = [&cpu](const char* build) {
    return Predict(cpu, *ParseGlibcBuild(build)).memset;
  };
  EXPECT_EQ(memset("2.34"), "avx2_unaligned_erms_rtm");
  EXPECT_EQ(memset("2.35"), "avx2_unaligned_erms");
  EXPECT_EQ(memset("2.33+branch"), "avx2_unaligned_erms");
  EXPECT_EQ(memset("2.32+branch"), "evex_unaligned_erms");
}

}  // namespace
}  // namespace advisor
