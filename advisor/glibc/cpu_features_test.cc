#include "advisor/glibc/cpu_features.h"

#include <set>
#include <string>

#include "advisor/glibc/expected_vectors.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

CpuFeatures Detect(const CpuidTable& cpu, absl::string_view build) {
  return DetectCpuFeatures(cpu, *ParseGlibcBuild(build), StepRecorder(nullptr));
}

// The first line of a vendor's leaf 0, another family, model and stepping.
CpuidTable Model(const char* vector, uint32_t family, uint32_t model,
                 uint32_t stepping) {
  CpuidTable cpu = VectorNamed(vector);
  CpuidRegisters leaf1 = cpu.Execute(1);
  const uint32_t extended = family >= 0xf ? family - 0xf : 0;
  leaf1.eax = (extended << 20) | ((model >> 4) << 16) |
              ((family - extended) << 8) | ((model & 0xf) << 4) | stepping;
  cpu.Set(1, 0, leaf1);
  return cpu;
}

bool Has(const CpuidTable& cpu, absl::string_view build, Flag flag) {
  return Detect(cpu, build).flags.Contains(flag);
}

TEST(FeatureTable, NamesAndPlacesAreUnique) {
  std::set<std::string> names;
  std::set<std::string> places;
  for (int i = 0; i < kFeatureCount; ++i) {
    const Feature feature = static_cast<Feature>(i);
    EXPECT_TRUE(names.insert(std::string(FeatureName(feature))).second);
    EXPECT_TRUE(places.insert(FeatureSource(feature)).second);
    EXPECT_EQ(FeatureByName(FeatureName(feature)), feature);
  }
  EXPECT_EQ(FeatureSource(Feature::kHtt), "1:0:EDX[28]");
  EXPECT_EQ(FeatureSource(Feature::kAvxVnni), "7:1:EAX[4]");
  EXPECT_FALSE(FeatureByName("avx").has_value());
}

TEST(FlagTable, Names) {
  for (int i = 0; i < kFlagCount; ++i) {
    const Flag flag = static_cast<Flag>(i);
    EXPECT_EQ(FlagByName(FlagName(flag)), flag);
  }
  EXPECT_FALSE(FlagByName("").has_value());
}

TEST(Kind, NewVendorsAreOthersAtFirst) {
  const CpuidTable hygon = VectorNamed("hygon_7185");
  EXPECT_EQ(Detect(hygon, "2.28").kind, CpuKind::kOther);
  EXPECT_EQ(Detect(hygon, "2.28+branch").kind, CpuKind::kOther);
  EXPECT_EQ(Detect(hygon, "2.29").kind, CpuKind::kAmd);
  EXPECT_EQ(Detect(hygon, "2.41").kind, CpuKind::kHygon);
  const CpuidTable zhaoxin = VectorNamed("zx_kx6000");
  EXPECT_EQ(Detect(zhaoxin, "2.31").kind, CpuKind::kOther);
  EXPECT_EQ(Detect(zhaoxin, "2.32").kind, CpuKind::kZhaoxin);
}

TEST(Kind, OthersLoseLeaf1ButNotLeaf7) {
  const CpuFeatures features = Detect(VectorNamed("unknown_erms"), "2.36");
  EXPECT_EQ(features.family, 0u);
  EXPECT_FALSE(features.cpuid.Contains(Feature::kHtt));
  EXPECT_FALSE(features.usable.Contains(Feature::kAvx));
  EXPECT_TRUE(features.usable.Contains(Feature::kErms));
}

TEST(Usable, NeedsTheOperatingSystem) {
  CpuidTable cpu = VectorNamed("skx_host");
  EXPECT_TRUE(Detect(cpu, "2.36").usable.Contains(Feature::kAvx512vl));
  cpu.SetXcr0(0x7);
  EXPECT_FALSE(Detect(cpu, "2.36").usable.Contains(Feature::kAvx512vl));
  EXPECT_TRUE(Detect(cpu, "2.36").usable.Contains(Feature::kAvx2));
  cpu.SetXcr0(0x3);
  EXPECT_FALSE(Detect(cpu, "2.36").usable.Contains(Feature::kAvx2));
  EXPECT_TRUE(Detect(cpu, "2.36").usable.Contains(Feature::kErms));
  EXPECT_TRUE(Detect(cpu, "2.36").cpuid.Contains(Feature::kAvx2));
}

// A hypervisor that hides XSAVE (1:ECX[26]) but has OSXSAVE on loses nothing.
TEST(Usable, XsaveFollowsOsxsave) {
  CpuidTable cpu = VectorNamed("skx_host");
  CpuidRegisters leaf1 = cpu.Execute(1);
  leaf1.ecx &= ~(1u << 26);
  cpu.Set(1, 0, leaf1);
  EXPECT_TRUE(Detect(cpu, "2.36").usable.Contains(Feature::kXsave));
  leaf1.ecx &= ~(1u << 27);
  cpu.Set(1, 0, leaf1);
  EXPECT_FALSE(Detect(cpu, "2.36").usable.Contains(Feature::kXsave));
}

TEST(AvxFastUnalignedLoad, IntelOnlyUntil227) {
  const CpuidTable zen = VectorNamed("zen2_7742");
  EXPECT_FALSE(Has(zen, "2.27", Flag::kAvxFastUnalignedLoad));
  EXPECT_TRUE(Has(zen, "2.28", Flag::kAvxFastUnalignedLoad));
  EXPECT_TRUE(
      Has(VectorNamed("hsw_host"), "2.26", Flag::kAvxFastUnalignedLoad));
}

TEST(AvxFastUnalignedLoad, NotOnExcavator) {
  for (uint32_t model : {0x60u, 0x7fu}) {
    EXPECT_FALSE(Has(Model("amd_excavator", 0x15, model, 0), "2.36",
                     Flag::kAvxFastUnalignedLoad))
        << model;
  }
  EXPECT_TRUE(Has(Model("amd_excavator", 0x15, 0x80, 0), "2.36",
                  Flag::kAvxFastUnalignedLoad));
}

// Bug 23709.
TEST(Haswell, HasNoFastCopyUntil228) {
  const CpuidTable cpu = VectorNamed("hsw_host");
  EXPECT_FALSE(Has(cpu, "2.28", Flag::kFastUnalignedCopy));
  EXPECT_TRUE(Has(cpu, "2.28+branch", Flag::kFastUnalignedCopy));
  EXPECT_TRUE(Has(cpu, "2.29", Flag::kFastUnalignedCopy));
  EXPECT_TRUE(Has(VectorNamed("bdw_host"), "2.28", Flag::kFastUnalignedCopy));
}

TEST(Rtm, ModelsThatLoseIt) {
  // Broadwell's table has RTM.
  const auto rtm = [](uint32_t model, uint32_t stepping, const char* build) {
    return Detect(Model("bdw_host", 6, model, stepping), build)
        .Active(Feature::kRtm);
  };
  EXPECT_TRUE(rtm(0x4f, 1, "2.36"));
  EXPECT_FALSE(rtm(0x3c, 9, "2.26"));
  EXPECT_FALSE(rtm(0x3f, 3, "2.26"));
  EXPECT_TRUE(rtm(0x3f, 4, "2.26"));
  EXPECT_TRUE(rtm(0x55, 5, "2.34"));
  EXPECT_FALSE(rtm(0x55, 5, "2.35"));
  EXPECT_TRUE(rtm(0x55, 6, "2.35"));
  EXPECT_FALSE(rtm(0x55, 5, "2.28+branch"));
  EXPECT_FALSE(rtm(0x8e, 0xc, "2.38"));
  EXPECT_TRUE(rtm(0x9e, 0xd, "2.38"));
  EXPECT_FALSE(rtm(0x5e, 0xd, "2.42"));
}

TEST(Rtm, AlwaysAbort) {
  CpuidTable cpu = VectorNamed("bdw_host");
  CpuidRegisters leaf7 = cpu.Execute(7, 0);
  leaf7.edx |= 1u << 11;
  cpu.Set(7, 0, leaf7);
  EXPECT_TRUE(Detect(cpu, "2.33").Active(Feature::kRtm));
  EXPECT_FALSE(Detect(cpu, "2.34").Active(Feature::kRtm));
  EXPECT_FALSE(Detect(cpu, "2.31+branch").Active(Feature::kRtm));
}

TEST(Avx512, AvxVnniLiftsThePreference) {
  const CpuidTable spr = VectorNamed("spr_host");
  EXPECT_TRUE(Has(spr, "2.34", Flag::kPreferNoAvx512));
  EXPECT_FALSE(Has(spr, "2.35", Flag::kPreferNoAvx512));
  EXPECT_FALSE(Has(spr, "2.34+branch", Flag::kPreferNoAvx512));
  EXPECT_TRUE(Has(VectorNamed("icx_host"), "2.42", Flag::kPreferNoAvx512));
  EXPECT_FALSE(Has(VectorNamed("zen4_9654"), "2.28", Flag::kPreferNoAvx512));
}

TEST(OtherIntelFamilies, GetFlagsFrom242) {
  const CpuidTable cpu = Model("spr_host", 0x13, 1, 0);
  EXPECT_FALSE(Has(cpu, "2.41", Flag::kFastUnalignedCopy));
  EXPECT_TRUE(Has(cpu, "2.42", Flag::kFastUnalignedCopy));
  EXPECT_TRUE(Has(cpu, "2.41+branch", Flag::kFastUnalignedCopy));
  EXPECT_EQ(Detect(cpu, "2.41").non_temporal_divisor, 4u);
  EXPECT_EQ(Detect(cpu, "2.42").non_temporal_divisor, 2u);
}

TEST(Zhaoxin, Flags) {
  const CpuidTable kh40000 = VectorNamed("zx_kh40000");
  EXPECT_TRUE(Has(kh40000, "2.39", Flag::kAvxFastUnalignedLoad));
  EXPECT_FALSE(Has(kh40000, "2.40", Flag::kAvxFastUnalignedLoad));
  EXPECT_TRUE(Has(kh40000, "2.40", Flag::kPreferNoVzeroupper));
  EXPECT_EQ(Detect(kh40000, "2.40").non_temporal_divisor, 2u);
  EXPECT_FALSE(
      Detect(VectorNamed("zx_kx6000"), "2.36").usable.Contains(Feature::kAvx));
}

}  // namespace
}  // namespace advisor
