#include "advisor/glibc/hwcaps_mask.h"

#include <string>
#include <vector>

#include "advisor/glibc/expected_vectors.h"
#include "advisor/glibc/prediction.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

GlibcBuild Build(absl::string_view name) { return *ParseGlibcBuild(name); }

bool Accepts(absl::string_view build, absl::string_view name) {
  return FindMaskName(name, Build(build)) != nullptr;
}

TEST(MaskNames, AreSorted) {
  const auto rows = AllMaskNames();
  for (size_t i = 1; i < rows.size(); ++i) {
    EXPECT_LE(rows[i - 1].name, rows[i].name);
  }
}

TEST(MaskNames, RowsAreConsistent) {
  for (const MaskNameRow& row : AllMaskNames()) {
    const bool feature = row.action == MaskAction::kClearFeature ||
                         row.action == MaskAction::kClearUsable ||
                         row.action == MaskAction::kSetClearFeature;
    const bool flag = row.action == MaskAction::kClearFlag ||
                      row.action == MaskAction::kSetClearFlag;
    EXPECT_EQ(row.feature.has_value(), feature) << row.name;
    EXPECT_EQ(row.flag.has_value(), flag) << row.name;
    if (row.flag.has_value()) {
      EXPECT_EQ(FlagName(*row.flag), row.name);
    }
    if (row.action == MaskAction::kClearFeature) {
      EXPECT_EQ(FeatureName(*row.feature), row.name);
    }
  }
}

TEST(MaskNames, FollowTheReleases) {
  EXPECT_TRUE(Accepts("2.31", "AVX2_Usable"));
  EXPECT_FALSE(Accepts("2.32", "AVX2_Usable"));
  EXPECT_TRUE(Accepts("2.31+branch", "AVX2_Usable"));
  EXPECT_FALSE(Accepts("2.31+branch", "AVX512VL_Usable"));
  EXPECT_TRUE(Accepts("2.26", "Use_dl_runtime_resolve_slow"));
  EXPECT_FALSE(Accepts("2.26+branch", "Use_dl_runtime_resolve_slow"));
  EXPECT_TRUE(Accepts("2.26+branch", "XSAVEC_Usable"));
  EXPECT_FALSE(Accepts("2.26", "XSAVEC_Usable"));
  EXPECT_FALSE(Accepts("2.26", "SHSTK"));
  EXPECT_TRUE(Accepts("2.27", "SHSTK"));
  EXPECT_FALSE(Accepts("2.27", "Prefer_FSRM"));
  EXPECT_TRUE(Accepts("2.28", "Prefer_FSRM"));
  EXPECT_FALSE(Accepts("2.31", "XSAVEC"));
  EXPECT_TRUE(Accepts("2.32", "XSAVEC"));
  EXPECT_FALSE(Accepts("2.33+branch", "XSAVE"));
  EXPECT_TRUE(Accepts("2.34", "XSAVE"));
  EXPECT_FALSE(Accepts("2.33", "Prefer_AVX2_STRCMP"));
  EXPECT_TRUE(Accepts("2.34", "Prefer_AVX2_STRCMP"));
  EXPECT_FALSE(Accepts("2.35", "Prefer_AVX2_STRCMP"));
  EXPECT_TRUE(Accepts("2.32+branch", "Prefer_AVX2_STRCMP"));
  EXPECT_FALSE(Accepts("2.33+branch", "Prefer_AVX2_STRCMP"));
  EXPECT_FALSE(Accepts("2.34+branch", "Prefer_AVX2_STRCMP"));
  EXPECT_TRUE(Accepts("2.34", "Prefer_MAP_32BIT_EXEC"));
  EXPECT_FALSE(Accepts("2.35", "Prefer_MAP_32BIT_EXEC"));
  EXPECT_FALSE(Accepts("2.39", "Avoid_Non_Temporal_Memset"));
  EXPECT_TRUE(Accepts("2.39+branch", "Avoid_Non_Temporal_Memset"));
  EXPECT_FALSE(Accepts("2.40", "Avoid_STOSB"));
  EXPECT_TRUE(Accepts("2.41", "Avoid_STOSB"));
  for (const GlibcBuild& build : UpstreamBuilds()) {
    for (const char* never :
         {"FSRM", "AVX_VNNI", "Avoid_Short_Distance_REP_MOVSB",
          "Prefer_No_AVX512_Probing", "avx2", "AVX2 "}) {
      EXPECT_EQ(FindMaskName(never, build), nullptr) << never;
    }
  }
}

struct SelectionCase {
  const char* build;
  const char* vector;
  const char* mask;
  const char* memmove;
  const char* memset;
};

// What each release's own code selected.
constexpr SelectionCase kSelections[] = {
    {"2.28", "skx_host", "", "avx_unaligned_erms", "avx2_unaligned_erms"},
    {"2.28", "skx_host", "-AVX2", "avx_unaligned_erms", "avx2_unaligned_erms"},
    {"2.28", "skx_host", "-AVX2_Usable", "avx_unaligned_erms",
     "sse2_unaligned_erms"},
    {"2.28", "skx_host", "-AVX_Fast_Unaligned_Load", "sse2_unaligned_erms",
     "avx2_unaligned_erms"},
    {"2.28", "skx_host", "-AVX_Fast_Unaligned_Load,-Fast_Unaligned_Copy",
     "ssse3", "avx2_unaligned_erms"},
    {"2.28", "skx_host", "-Prefer_No_AVX512", "avx512_unaligned_erms",
     "avx512_unaligned_erms"},
    {"2.28", "skx_host", "-ERMS", "avx_unaligned", "avx2_unaligned"},
    {"2.28", "ivb_host", "AVX_Fast_Unaligned_Load", "avx_unaligned_erms",
     "sse2_unaligned_erms"},
    {"2.42", "skx_host", "", "evex_unaligned_erms", "evex_unaligned_erms"},
    {"2.42", "skx_host", "-AVX2", "evex_unaligned_erms", "sse2_unaligned_erms"},
    {"2.42", "skx_host", "-AVX512VL", "avx_unaligned_erms",
     "avx2_unaligned_erms"},
    {"2.42", "skx_host", "-AVX512VL,-AVX_Fast_Unaligned_Load",
     "sse2_unaligned_erms", "avx2_unaligned_erms"},
    {"2.42", "skx_host", "-Prefer_No_AVX512", "avx512_unaligned_erms",
     "avx512_unaligned_erms"},
    {"2.42", "skx_host", "Prefer_ERMS", "erms", "erms"},
    {"2.42", "skx_host", "Prefer_FSRM", "erms", "evex_unaligned_erms"},
    {"2.42", "skx_host", "-ERMS", "evex_unaligned", "evex_unaligned"},
    {"2.42", "zen3_7763", "Prefer_No_VZEROUPPER", "ssse3",
     "sse2_unaligned_erms"},
    {"2.42", "zen4_9654", "Prefer_No_AVX512", "evex_unaligned_erms",
     "evex_unaligned_erms"},
};

std::string MaskString(const GlibcBuild& build, absl::string_view mask) {
  return TunableName(build, Tunable::kHwcaps) + "=" + std::string(mask);
}

TEST(Mask, SelectsAsTheReleasesDid) {
  for (const SelectionCase& c : kSelections) {
    const GlibcBuild build = Build(c.build);
    const Prediction prediction =
        Predict(VectorNamed(c.vector), build, MaskString(build, c.mask));
    EXPECT_EQ(prediction.memmove, c.memmove) << c.build << " " << c.mask;
    EXPECT_EQ(prediction.memset, c.memset) << c.build << " " << c.mask;
  }
}

TEST(Mask, HttChangesTheThresholdUntil232) {
  const CpuidTable cpu = VectorNamed("skx_host");
  for (const char* name : {"2.28", "2.32"}) {
    const GlibcBuild build = Build(name);
    EXPECT_EQ(Predict(cpu, build, MaskString(build, "-HTT"))
                  .thresholds.non_temporal_threshold,
              0u)
        << name;
  }
  for (const char* name : {"2.33", "2.42"}) {
    const GlibcBuild build = Build(name);
    EXPECT_EQ(Predict(cpu, build, MaskString(build, "-HTT"))
                  .thresholds.non_temporal_threshold,
              Predict(cpu, build).thresholds.non_temporal_threshold)
        << name;
  }
}

TEST(Mask, TellsWhatEachItemDid) {
  const GlibcBuild build = Build("2.36");
  const Prediction prediction =
      Predict(VectorNamed("skx_host"), build,
              MaskString(build, "-AVX2,AVX2,-avx,,-AVX512ER,Prefer_ERMS"));
  ASSERT_EQ(prediction.mask_items.size(), 6u);
  const auto& items = prediction.mask_items;
  EXPECT_TRUE(items[0].accepted && items[0].effective);
  EXPECT_FALSE(items[1].accepted);  // Nothing sets a CPU bit.
  EXPECT_FALSE(items[2].accepted);  // Names are case-sensitive.
  EXPECT_FALSE(items[3].accepted);
  EXPECT_TRUE(items[4].accepted);
  EXPECT_FALSE(items[4].effective);  // The CPU has none.
  EXPECT_TRUE(items[5].effective);
}

// Bug 30183: the parser went on into what follows the mask.
TEST(Mask, OldParsersReadOn) {
  const CpuidTable cpu = VectorNamed("skx_host");
  const std::string text =
      "glibc.cpu.hwcaps=-AVX2:glibc.malloc.check=0,Prefer_ERMS,0";
  const Prediction old = Predict(cpu, Build("2.37"), text);
  EXPECT_EQ(old.memmove, "erms");
  EXPECT_TRUE(old.mask_items.back().behind_end);
  EXPECT_NE(Predict(cpu, Build("2.38"), text).memmove, "erms");
  // A mask at the end has only the environment behind it, unknown here.
  EXPECT_NE(Predict(cpu, Build("2.37"),
                    "glibc.malloc.check=0,Prefer_ERMS,0:"
                    "glibc.cpu.hwcaps=-AVX2")
                .memmove,
            "erms");
}

TEST(Mask, WithoutXsaveNoAvxFrom234) {
  const CpuidTable cpu = VectorNamed("skx_host");
  const auto memset = [&cpu](const char* name, const char* mask) {
    const GlibcBuild build = Build(name);
    return Predict(cpu, build, MaskString(build, mask)).memset;
  };
  EXPECT_EQ(memset("2.34", "-OSXSAVE"), "sse2_unaligned_erms");
  EXPECT_EQ(memset("2.34", "-XSAVE,-XSAVEC"), "sse2_unaligned_erms");
  EXPECT_EQ(memset("2.34", "-XSAVEC"), "evex_unaligned_erms");
  EXPECT_EQ(memset("2.33", "-OSXSAVE"), "avx2_unaligned_erms");
}

TEST(Mask, ShstkCanBeSetFrom239IfTheCpuHasIt) {
  CpuidTable cpu = VectorNamed("spr_host");
  CpuidRegisters leaf7 = cpu.Execute(7, 0);
  leaf7.ecx |= 1u << 7;
  cpu.Set(7, 0, leaf7);
  const auto set = [](const CpuidTable& table, const char* name) {
    return Predict(table, Build(name), "glibc.cpu.hwcaps=-SHSTK,SHSTK")
        .features.usable.Contains(Feature::kShstk);
  };
  EXPECT_FALSE(set(cpu, "2.38"));
  EXPECT_TRUE(set(cpu, "2.39"));
  EXPECT_TRUE(set(cpu, "2.38+branch"));
  leaf7.ecx &= ~(1u << 7);
  cpu.Set(7, 0, leaf7);
  EXPECT_FALSE(set(cpu, "2.39"));
}

}  // namespace
}  // namespace advisor
