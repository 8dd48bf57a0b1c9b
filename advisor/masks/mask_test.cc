#include "advisor/masks/mask.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "advisor/cpu/cpuid_dump.h"
#include "advisor/glibc/prediction.h"
#include "advisor/host/file_reader.h"
#include "advisor/masks/masked_choice.h"
#include "advisor/masks/variant_traits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kZen3[] =
    "amd_19-01-01_epyc-milan_qemu-tcg_qemu72-tcg-epyc-milan";
constexpr char kZen2[] = "amd_17-31-00_epyc-rome_qemu-tcg_qemu72-tcg-epyc-rome";
constexpr char kZen5[] =
    "amd_1a-02-01_oxide-virtual-turin-like_local_bhyve-this-machine";
constexpr char kHaswell[] =
    "intel_06-3c-01_core-haswell_qemu-tcg_qemu72-tcg-haswell-pc-2.6";
constexpr char kSkylakeServer[] =
    "intel_06-55-04_xeon-skylake_qemu-tcg_qemu72-tcg-skylake-server";
constexpr char kEmeraldRapids[] =
    "intel_06-cf-02_xeon-emerald-rapids_local_firecracker-2-vcpu";
constexpr char kConroe[] =
    "intel_06-0f-03_celeron-4x0-conroe-merom-class-core-2_qemu-tcg_qemu72-tcg-"
    "conroe";
constexpr char kValgrind[] =
    "intel_06-3c-03_core-i7-4910mq_local_valgrind-3.19";

MaskCpu ReadCpu(absl::string_view name) {
  const std::string path = absl::StrCat("testdata/cpuid/", name, ".txt");
  return {std::string(name),
          ParseCpuidDump(*RealFileReader().Read(path), path)->cpus[0]};
}

// All whole dumps.
const std::vector<MaskCpu>& AllCpus() {
  static const auto* const cpus = [] {
    auto* const cpus = new std::vector<MaskCpu>();
    for (const char* const folder :
         {"testdata/cpuid", "testdata/cpuid/field"}) {
      const std::vector<std::string> files =
          RealFileReader().List(folder).value();
      for (const std::string& file : files) {
        if (!absl::EndsWith(file, ".txt")) continue;
        const std::string path = absl::StrCat(folder, "/", file);
        cpus->push_back(
            {file,
             ParseCpuidDump(*RealFileReader().Read(path), path)->cpus[0]});
      }
    }
    return cpus;
  }();
  return *cpus;
}

// One of each way of selecting and of spelling.
const std::vector<GlibcBuild>& SomeBuilds() {
  static const auto* const builds = [] {
    auto* const builds = new std::vector<GlibcBuild>();
    for (const char* const name :
         {"2.26", "2.28", "2.28+branch", "2.31", "2.32", "2.33+branch", "2.34",
          "2.36", "2.38", "2.40", "2.42"}) {
      builds->push_back(*ParseGlibcBuild(name));
    }
    return builds;
  }();
  return *builds;
}

Mask Compose(absl::string_view purpose, const std::vector<std::string>& names,
             absl::string_view build, absl::string_view glibc_tunables = "",
             std::optional<int> isa_level = std::nullopt) {
  MaskQuestion question;
  question.purpose = FindPurpose(purpose);
  question.build = *ParseGlibcBuild(build);
  question.isa_level = isa_level;
  for (const std::string& name : names) question.cpus.push_back(ReadCpu(name));
  question.glibc_tunables = std::string(glibc_tunables);
  const absl::StatusOr<Mask> mask = ComposeMask(question);
  EXPECT_TRUE(mask.ok()) << mask.status();
  return mask.ok() ? *mask : Mask();
}

bool Uses(const MaskedChoice& choice, Feature feature) {
  for (const bool is_memset : {false, true}) {
    for (const Feature need :
         TraitsOfVariant(is_memset ? choice.memset : choice.memmove, is_memset)
             .needs) {
      if (need == feature) return true;
    }
  }
  return false;
}

TEST(MaskTest, EveryWordCountsAndEveryPurposeIsReached) {
  int masks = 0;
  for (const PurposeRow& purpose : AllPurposes()) {
    if (purpose.least_cpus > 1) continue;
    for (const MaskCpu& cpu : AllCpus()) {
      for (const GlibcBuild& build : SomeBuilds()) {
        MaskQuestion question = {&purpose, build, 1, {cpu}, ""};
        const absl::StatusOr<Mask> mask = ComposeMask(question);
        ASSERT_TRUE(mask.ok()) << mask.status();
        const std::string what =
            absl::StrCat(purpose.name, " ", cpu.name, " ", build.name(), " ",
                         mask->glibc_tunables);
        EXPECT_TRUE(mask->reached()) << what;
        const MaskedCpu& one = mask->cpus[0];
        const MaskedChoice after =
            ChoiceUnder(cpu.cpuid, build, 1, mask->glibc_tunables);
        EXPECT_TRUE(after.SameVariants(one.after)) << what;
        for (const bool is_memset : {false, true}) {
          const VariantTraits before = TraitsOfVariant(
              is_memset ? one.before.memset : one.before.memmove, is_memset);
          const VariantTraits now = TraitsOfVariant(
              is_memset ? after.memset : after.memmove, is_memset);
          EXPECT_TRUE(!now.is_special || before.is_special)
              << what << " " << after.memmove << " " << after.memset;
          EXPECT_LE(now.level, before.level) << what;
        }
        for (const Feature feature : purpose.hides) {
          if (feature == Feature::kErms) continue;
          EXPECT_FALSE(Uses(after, feature))
              << FeatureName(feature) << " " << what;
        }
        if (mask->value.empty()) continue;
        ++masks;
        // Each word is one that the build takes.
        for (const MaskItem& item :
             Predict(cpu.cpuid, build, mask->glibc_tunables).mask_items) {
          EXPECT_TRUE(item.accepted) << item.text << " " << what;
        }
      }
    }
  }
  EXPECT_GT(masks, 1000);
}

TEST(MaskTest, IsSpeltForItsRelease) {
  EXPECT_EQ(Compose("no-avx", {kHaswell}, "2.28").glibc_tunables,
            "glibc.tune.hwcaps=-AVX2_Usable,-AVX_Usable,-FMA_Usable,"
            "Fast_Unaligned_Copy,-AVX_Fast_Unaligned_Load");
}

TEST(MaskTest, TakesMemmoveOffTheAvxVariant) {
  const Mask mask = Compose("no-avx", {kZen3}, "2.42");
  EXPECT_EQ(mask.cpus[0].before.memmove, "avx_unaligned_erms");
  // Not ssse3, which is for Core 2: AMD has no Fast_Unaligned_Copy.
  EXPECT_EQ(mask.cpus[0].after.memmove, "sse2_unaligned_erms");
  EXPECT_EQ(mask.cpus[0].after.memset, "sse2_unaligned_erms");
  EXPECT_THAT(mask.value, HasSubstr("-AVX_Fast_Unaligned_Load"));
  EXPECT_THAT(mask.value, HasSubstr(",Fast_Unaligned_Copy"));
  EXPECT_THAT(mask.limits, Contains(HasSubstr("libm")));
}

TEST(MaskTest, DoesNotFallToSse2WithoutRtm) {
  MaskCpu cpu = ReadCpu(kEmeraldRapids);
  // As a Broadwell: RTM, and no AVX-512.
  CpuidRegisters leaf7 = cpu.cpuid.Execute(7);
  for (const int bit : {16, 17, 28, 30, 31}) leaf7.ebx &= ~(1u << bit);
  cpu.cpuid.Set(7, 0, leaf7);
  const Mask mask =
      *ComposeMask({FindPurpose("no-rtm"), GlibcBuild::Tag(36), 1, {cpu}, ""});
  // Prefer_No_VZEROUPPER was derived from RTM before the mask is read.
  EXPECT_EQ(mask.value, "-RTM,-Prefer_No_VZEROUPPER");
  EXPECT_EQ(mask.cpus[0].before.memmove, "avx_unaligned_erms_rtm");
  EXPECT_EQ(mask.cpus[0].after.memmove, "avx_unaligned_erms");
  EXPECT_EQ(mask.cpus[0].after.memset, "avx2_unaligned_erms");
  EXPECT_EQ(
      ChoiceUnder(cpu.cpuid, GlibcBuild::Tag(36), 1, "glibc.cpu.hwcaps=-RTM")
          .memmove,
      "sse2_unaligned_erms");
}

TEST(MaskTest, KeepsTransactionsWhereTheyAreLeft) {
  const Mask mask = Compose("no-avx512", {kEmeraldRapids}, "2.36");
  EXPECT_EQ(mask.cpus[0].before.memmove, "evex_unaligned_erms");
  EXPECT_EQ(mask.cpus[0].after.memmove, "avx_unaligned_erms_rtm");
  EXPECT_EQ(mask.cpus[0].after.memset, "avx2_unaligned_erms_rtm");
}

TEST(MaskTest, GoesDownToSse2WhereAvx512vlHasNoWord) {
  const Mask mask = Compose("no-avx512", {kEmeraldRapids}, "2.28+branch");
  EXPECT_EQ(mask.cpus[0].before.memmove, "evex_unaligned_erms");
  EXPECT_EQ(mask.cpus[0].after.memmove, "sse2_unaligned_erms");
  EXPECT_EQ(mask.cpus[0].after.memset, "sse2_unaligned_erms");
  ASSERT_FALSE(mask.unhidden.empty());
  EXPECT_THAT(mask.unhidden[0].why, HasSubstr("no word"));
  EXPECT_FALSE(mask.unhidden[0].used);
}

TEST(MaskTest, ErmsOfMemsetNeedsItsThresholdFrom241On) {
  EXPECT_EQ(Compose("no-erms", {kEmeraldRapids}, "2.40").glibc_tunables,
            "glibc.cpu.hwcaps=-ERMS");
  const Mask mask = Compose("no-erms", {kEmeraldRapids}, "2.41");
  EXPECT_EQ(mask.glibc_tunables,
            "glibc.cpu.x86_rep_stosb_threshold=18446744073709551615:"
            "glibc.cpu.hwcaps=-ERMS");
  EXPECT_EQ(mask.cpus[0].after.memmove, "evex_unaligned");
  EXPECT_EQ(mask.cpus[0].after.thresholds.rep_stosb_threshold, UINT64_MAX);
}

TEST(MaskTest, NothingIsSetWhereNothingIsThere) {
  for (const char* const purpose :
       {"no-avx512", "no-avx", "no-rtm", "no-erms"}) {
    const Mask mask =
        Compose(purpose, {kConroe}, "2.36", "glibc.malloc.check=0");
    EXPECT_THAT(mask.settings, IsEmpty()) << purpose;
    EXPECT_EQ(mask.glibc_tunables, "glibc.malloc.check=0");
    EXPECT_EQ(mask.cpus[0].after.memmove, "ssse3");
  }
}

TEST(MaskTest, KeepsTheEnvironment) {
  const Mask mask = Compose(
      "no-erms", {kEmeraldRapids}, "2.36",
      "glibc.cpu.hwcaps=Prefer_No_AVX512,ERMS:glibc.malloc.arena_max=1");
  EXPECT_EQ(mask.glibc_tunables,
            "glibc.malloc.arena_max=1:"
            "glibc.cpu.hwcaps=Prefer_No_AVX512,-ERMS");
}

TEST(MaskTest, APoolHidesWhatSomeLack) {
  const Mask mask = Compose("pool", {kZen2, kZen3, kZen5}, "2.36");
  EXPECT_TRUE(mask.reached());
  // Zen 2 has no ERMS, only Zen 5 has AVX-512.
  EXPECT_THAT(mask.value, HasSubstr("-AVX512F"));
  EXPECT_THAT(mask.value, HasSubstr("-ERMS"));
  EXPECT_THAT(mask.value, Not(HasSubstr("-AVX2")));
  for (const MaskedCpu& cpu : mask.cpus) {
    EXPECT_EQ(cpu.after.memmove, "avx_unaligned") << cpu.name;
    EXPECT_EQ(cpu.after.memset, "avx2_unaligned") << cpu.name;
  }
  const auto alone = ComposeMask(
      {FindPurpose("pool"), GlibcBuild::Tag(36), 1, {ReadCpu(kZen2)}, ""});
  EXPECT_THAT(std::string(alone.status().message()),
              HasSubstr("at least 2 machines, found 1"));
}

// Whichever CPU a program starts on, what it selected runs on all of them.
TEST(MaskTest, PoolsAreSafeOnEveryCpu) {
  const std::vector<MaskCpu>& all = AllCpus();
  for (const char* const name : {"2.26", "2.31", "2.34", "2.38", "2.42"}) {
    const GlibcBuild build = *ParseGlibcBuild(name);
    for (size_t i = 0; i < all.size(); ++i) {
      const MaskCpu& other = all[(i * 7 + 3) % all.size()];
      const Mask mask =
          *ComposeMask({FindPurpose("pool"), build, 1, {all[i], other}, ""});
      for (const CpuidTable* const on : {&all[i].cpuid, &other.cpuid}) {
        const CpuFeatures has =
            DetectCpuFeatures(*on, build, StepRecorder(nullptr));
        for (const MaskedCpu& from : mask.cpus) {
          for (int feature = 0; feature < kFeatureCount; ++feature) {
            if (!Uses(from.after, static_cast<Feature>(feature))) continue;
            const bool runs = has.Active(static_cast<Feature>(feature)) ||
                              // An instruction that every CPU has.
                              static_cast<Feature>(feature) == Feature::kErms;
            EXPECT_TRUE(runs || !mask.reached())
                << all[i].name << " " << other.name << " " << name << " "
                << FeatureName(static_cast<Feature>(feature)) << " "
                << mask.glibc_tunables;
          }
        }
      }
    }
  }
}

// Hosts that know nothing of each other get the same mask, and with it the same
// variants and thresholds.
TEST(MaskTest, PinIsTheSameEverywhere) {
  for (const GlibcBuild& build : SomeBuilds()) {
    std::set<std::string> values, choices;
    for (const MaskCpu& cpu : AllCpus()) {
      const Mask mask = *ComposeMask({FindPurpose("pin"), build, 1, {cpu}, ""});
      values.insert(mask.glibc_tunables);
      const Thresholds& sizes = mask.cpus[0].after.thresholds;
      choices.insert(absl::StrCat(
          mask.cpus[0].after.memmove, " ", mask.cpus[0].after.memset, " ",
          sizes.data_cache_size, " ", sizes.shared_cache_size, " ",
          sizes.non_temporal_threshold, " ",
          sizes.rep_movsb_threshold.value_or(0), " ",
          sizes.memset_non_temporal_threshold.value_or(0)));
    }
    EXPECT_EQ(values.size(), 1u) << build.name() << "\n"
                                 << *values.begin() << "\n"
                                 << *values.rbegin();
    // rep_stosb_threshold differs; this memset does not read it.
    EXPECT_THAT(*choices.begin(), HasSubstr("sse2_unaligned sse2_unaligned "));
    EXPECT_EQ(choices.size(), 1u) << build.name() << "\n"
                                  << *choices.begin() << "\n"
                                  << *choices.rbegin();
  }
}

TEST(MaskTest, PinHidesNoMoreThanItTakes) {
  const Mask mask = Compose("pin", {kZen5, kEmeraldRapids}, "2.36");
  EXPECT_TRUE(mask.reached());
  EXPECT_EQ(mask.cpus[0].after.memmove, "evex_unaligned");
  EXPECT_EQ(mask.cpus[1].after.memmove, "evex_unaligned");
  EXPECT_FALSE(mask.unpinned.empty());
}

TEST(MaskTest, ALibcForALaterLevelIgnoresIt) {
  const Mask mask = Compose("no-avx", {kEmeraldRapids}, "2.39", "", 3);
  EXPECT_FALSE(mask.reached());
  EXPECT_THAT(mask.failures[0], HasSubstr("which uses AVX"));
  // AVX-512 is above that level.
  EXPECT_TRUE(Compose("no-avx512", {kEmeraldRapids}, "2.39", "", 3).reached());
  EXPECT_TRUE(Compose("no-avx", {kEmeraldRapids}, "2.39", "", 2).reached());
}

TEST(MaskTest, NeverTakesXsavecAwayWhereThatCrashes) {
  for (const char* const build : {"2.40", "2.41"}) {
    for (const MaskCpu& a : AllCpus()) {
      const Mask mask = *ComposeMask({FindPurpose("checkpoint"),
                                      *ParseGlibcBuild(build),
                                      1,
                                      {a, ReadCpu(kEmeraldRapids)},
                                      ""});
      const std::vector<std::string> words = absl::StrSplit(mask.value, ',');
      const bool xsave = std::count(words.begin(), words.end(), "-XSAVE") > 0;
      const bool xsavec = std::count(words.begin(), words.end(), "-XSAVEC") > 0;
      EXPECT_EQ(xsave, xsavec) << a.name << " " << mask.value;
    }
  }
}

// A mask made outside is good inside of Valgrind, whose CPUID is another.
TEST(MaskTest, TheMaskForValgrindSuitsItsCpuid) {
  const CpuidTable inside = ReadCpu(kValgrind).cpuid;
  for (const char* const host :
       {kZen3, kZen5, kHaswell, kSkylakeServer, kEmeraldRapids}) {
    for (const GlibcBuild& build : SomeBuilds()) {
      const Mask mask = *ComposeMask(
          {FindPurpose("valgrind"), build, 1, {ReadCpu(host)}, ""});
      const MaskedChoice choice =
          ChoiceUnder(inside, build, 1, mask.glibc_tunables);
      EXPECT_FALSE(TraitsOfVariant(choice.memmove, false).is_special ||
                   TraitsOfVariant(choice.memset, true).is_special)
          << host << " " << build.name() << " " << choice.memmove;
    }
  }
}

}  // namespace
}  // namespace advisor
