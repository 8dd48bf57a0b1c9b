#include <cstdint>
#include <optional>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "advisor/evidence/hazard_facts.h"
#include "advisor/evidence/known_issue.h"
#include "advisor/glibc/cpu_features.h"
#include "advisor/glibc/thresholds.h"
#include "advisor/glibc/tunables.h"
#include "advisor/glibc/variant_selection.h"

namespace advisor {
namespace {

using Facts = KnownIssueFacts;

// What start-up derives before a mask.
CpuFeatures Unmasked(const Facts& facts) {
  return DetectCpuFeatures(facts.cpuid, facts.build, StepRecorder(nullptr));
}

// The mask takes `feature` from a CPU that has it.
bool MaskHides(const Facts& facts, Feature feature) {
  return facts.prediction.tunables.hwcaps.has_value() &&
         Unmasked(facts).Active(feature) &&
         !facts.prediction.features.Active(feature);
}

bool IsSet(const Facts& facts, absl::string_view name,
           absl::string_view value) {
  return absl::c_any_of(facts.prediction.tunables.assignments,
                        [&](const TunableAssignment& assignment) {
                          return assignment.name == name &&
                                 assignment.value == value &&
                                 assignment.outcome == AssignmentOutcome::kSet;
                        });
}

// Faults.

bool XsavecMaskCrashes(const Facts& facts) {
  return facts.build.Has(Change::kTlsdescStateSize) &&
         !facts.build.Has(Change::kTlsdescOwnStateSize) &&
         MaskHides(facts, Feature::kXsavec) &&
         facts.prediction.features.Active(Feature::kXsave);
}

std::string XsavecMaskCrashesTitle(const Facts&) {
  return "the mask hides XSAVEC and leaves XSAVE: in this build the loader "
         "then "
         "saves registers in too little room, and programs crash";
}

bool MempcpyWritesOn(const Facts& facts) {
  return !facts.build.Has(Change::kMempcpyEnds) &&
         facts.prediction.memmove == "avx512_no_vzeroupper";
}

std::string MempcpyWritesOnTitle(const Facts&) {
  return "mempcpy is __mempcpy_avx512_no_vzeroupper, which writes past the end "
         "of its destination";
}

bool LooneyTunables(const Facts& facts) {
  return facts.build.certain() && facts.build.Has(Change::kParserLooksAgain) &&
         !facts.build.Has(Change::kParserEnds);
}

std::string LooneyTunablesTitle(const Facts&) {
  return "this build has CVE-2023-4911: by GLIBC_TUNABLES a local user gets "
         "the "
         "rights of set-uid programs";
}

// Limits of the CPU.

// The bits of x86-64-v2 (psABI): leaf 1 ECX SSE3, SSSE3, CMPXCHG16B, SSE4.1,
// SSE4.2, POPCNT; leaf 0x80000001 ECX LAHF.
constexpr uint32_t kLevel2 =
    1u << 0 | 1u << 9 | 1u << 13 | 1u << 19 | 1u << 20 | 1u << 23;

bool BelowLevel2(const Facts& facts) {
  return facts.cpu.is_guest() &&
         ((facts.cpuid.Execute(1).ecx & kLevel2) != kLevel2 ||
          (facts.cpuid.Execute(0x80000001).ecx & 1) == 0);
}

std::string BelowLevel2Title(const Facts&) {
  return "this guest's CPU is below x86-64-v2: programs of distributions that "
         "need it end with \"CPU does not support x86-64-v2\"";
}

bool OpenBlasHole(const Facts& facts) {
  return facts.cpu.vendor_kind == VendorKind::kAmd &&
         facts.cpu.max_extended_leaf.value_or(0) >= 0x80000006 &&
         (facts.cpuid.Execute(0x80000006).ecx >> 16) == 0;
}

std::string OpenBlasHoleTitle(const Facts&) {
  return "leaf 0x80000006 tells no L2: OpenBLAS reads the same leaf, and has "
         "looped without end or taken a size of its own";
}

// Slow choices.

bool SkylakeMemset(const Facts& facts) {
  return facts.build.Has(Change::kNonTemporalMemset) &&
         !facts.build.Has(Change::kAvoidNonTemporalMemset) &&
         facts.prediction.features.kind == CpuKind::kIntel &&
         facts.prediction.features.family == 6 &&
         facts.prediction.features.model == 0x55 &&
         VariantIsErms(facts.prediction.memset);
}

std::string SkylakeMemsetTitle(const Facts&) {
  return "memset uses non-temporal stores for large sizes, which on Skylake "
         "Server are slower than `rep stosb`";
}

bool MovsbListDefault(const Facts& facts) {
  if (!facts.build.Has(Change::kRepThresholdTunables) ||
      facts.build.Has(Change::kNoMovsbListDefault) ||
      !VariantIsErms(facts.prediction.memmove) || VectorSize(facts) < 32) {
    return false;
  }
  return facts.prediction.thresholds.rep_movsb_threshold == 2048 &&
         !facts.prediction.tunables.IsSet(Tunable::kX86RepMovsbThreshold);
}

std::string MovsbListDefaultTitle(const Facts& facts) {
  return absl::StrFormat(
      "rep_movsb_threshold is 2048, the list's default taken for a user's "
      "value; %d was meant for this CPU",
      2048 * VectorSize(facts) / 16);
}

bool MaskSelectsErms(const Facts& facts) {
  return facts.prediction.memmove == "erms";
}

std::string MaskSelectsErmsTitle(const Facts& facts) {
  return absl::StrCat(
      "the mask selects __memmove_erms: `rep movsb` for every size, backwards "
      "with the direction flag set (2.5 to 3.5 GB/s where vectors reach 10 to "
      "30)",
      Unmasked(facts).Active(Feature::kErms)
          ? ""
          : "; this CPU does not even have ERMS");
}

bool CopiesByAvx(const Facts& facts) {
  return absl::StartsWith(facts.prediction.memmove, "avx_");
}

bool HygonAvx(const Facts& facts) {
  return facts.cpu.vendor_kind == VendorKind::kHygon && CopiesByAvx(facts);
}

bool ZhaoxinAvx(const Facts& facts) {
  const CpuFeatures& features = facts.prediction.features;
  return !facts.build.Has(Change::kZhaoxinKh40000) &&
         features.kind == CpuKind::kZhaoxin && features.family == 7 &&
         (features.model == 0x5b || features.model == 0x6b) &&
         CopiesByAvx(facts);
}

std::string AvxUnalignedTitle(const Facts& facts) {
  return absl::StrCat("memmove is __memmove_", facts.prediction.memmove,
                      ": unaligned 32-byte loads are slow on this CPU, and "
                      "later code for it does without");
}

// A guest's count of sharers says little; see the hazard "sharers-absurd".
bool ThreadShare(const Facts& facts) {
  return !facts.cpu.is_guest() &&
         facts.build.Has(Change::kNonTemporalPerThread) &&
         !facts.build.Has(Change::kNonTemporalOfTotal) &&
         !facts.prediction.tunables.IsSet(Tunable::kX86NonTemporalThreshold) &&
         facts.prediction.cache.threads >= 8 && ReadsNonTemporal(facts) &&
         facts.prediction.thresholds.non_temporal_threshold >=
             kMinimumNonTemporalThreshold &&
         facts.prediction.thresholds.non_temporal_threshold <= uint64_t{2}
                                                                   << 20;
}

std::string ThreadShareTitle(const Facts& facts) {
  return absl::StrFormat(
      "non_temporal_threshold is %d, 3/4 of one thread's share of L3 (%d "
      "sharers): a single copier of 1 to 10 MB is 2 to 4 times slower than "
      "before 2.33; with all threads copying it is right",
      facts.prediction.thresholds.non_temporal_threshold,
      facts.prediction.cache.threads);
}

// The threshold with that fault repaired, where it differs.
std::optional<uint64_t> WithDividedShare(const Facts& facts) {
  if (!facts.build.Has(Change::kNonTemporalOfTotal) ||
      facts.build.Has(Change::kPerThreadOnAllPaths) ||
      facts.prediction.features.kind != CpuKind::kIntel ||
      facts.prediction.cache.shared <= 0 ||
      facts.prediction.tunables.IsSet(Tunable::kX86NonTemporalThreshold)) {
    return std::nullopt;
  }
  const GlibcBuild tip = GlibcBuild::BranchTip(facts.build.release());
  const uint64_t repaired =
      Predict(facts.cpuid, tip, facts.glibc_tunables, Reasoning::kOmitted)
          .thresholds.non_temporal_threshold;
  if (repaired >= facts.prediction.thresholds.non_temporal_threshold) {
    return std::nullopt;
  }
  return repaired;
}

bool ShareUndivided(const Facts& facts) {
  return WithDividedShare(facts).has_value();
}

std::string ShareUndividedTitle(const Facts& facts) {
  return absl::StrFormat(
      "non_temporal_threshold is %d: this build does not divide L3 by its "
      "sharers on every path; %d was meant",
      facts.prediction.thresholds.non_temporal_threshold,
      *WithDividedShare(facts));
}

bool ZhaoxinSmall(const Facts& facts) {
  return facts.build.Has(Change::kNonTemporalOfTotal) &&
         !facts.build.Has(Change::kZhaoxinNonTemporal) &&
         facts.prediction.features.kind == CpuKind::kZhaoxin &&
         !facts.prediction.features.Active(Feature::kErms) &&
         !facts.prediction.tunables.IsSet(Tunable::kX86NonTemporalThreshold) &&
         Predict(facts.cpuid, GlibcBuild::Tag(40), facts.glibc_tunables,
                 Reasoning::kOmitted)
                 .thresholds.non_temporal_threshold >
             facts.prediction.thresholds.non_temporal_threshold;
}

std::string ZhaoxinSmallTitle(const Facts& facts) {
  return absl::StrFormat(
      "non_temporal_threshold is %d, as for a CPU without ERMS; 2.40 has %d "
      "for Zhaoxin",
      facts.prediction.thresholds.non_temporal_threshold,
      Predict(facts.cpuid, GlibcBuild::Tag(40), facts.glibc_tunables,
              Reasoning::kOmitted)
          .thresholds.non_temporal_threshold);
}

bool Zen5WithoutRepMovsb(const Facts& facts) {
  return facts.build.Has(Change::kAmdMovsbIsNonTemporal) &&
         facts.prediction.features.kind == CpuKind::kAmd &&
         facts.prediction.features.family == 0x1a &&
         VariantIsErms(facts.prediction.memmove) &&
         !RepMovsbSizes(facts).has_value();
}

std::string Zen5WithoutRepMovsbTitle(const Facts&) {
  return "copies never use `rep movsb` here, which on Zen 5 was measured to "
         "take half of the time from 32 to 256 KiB in buffers in use";
}

// Settings that are copied from one another.

// The value of a recipe for releases that took one thread's share.
bool ThreeQuarters(const Facts& facts) {
  const int64_t l3 = facts.prediction.cache.level3_cache_size;
  return facts.build.Has(Change::kNonTemporalOfTotal) && l3 > 0 &&
         facts.prediction.tunables.IsSet(Tunable::kX86NonTemporalThreshold) &&
         facts.prediction.tunables.Number(Tunable::kX86NonTemporalThreshold) ==
             static_cast<uint64_t>(l3) * 3 / 4;
}

std::string ThreeQuartersTitle(const Facts& facts) {
  return absl::StrFormat(
      "x86_non_temporal_threshold is set to 3/4 of L3, a recipe for older "
      "releases; without it this one takes %d",
      Predict(facts.cpuid, facts.build, "", Reasoning::kOmitted)
          .thresholds.non_temporal_threshold);
}

bool NeedlessAvx512Mask(const Facts& facts) {
  return MaskHides(facts, Feature::kAvx512f) &&
         Unmasked(facts).flags.Contains(Flag::kPreferNoAvx512);
}

std::string NeedlessAvx512MaskTitle(const Facts&) {
  return "the mask hides AVX512F: glibc does not use 64-byte registers on this "
         "CPU anyway (Prefer_No_AVX512)";
}

bool ChangesLibm(const Facts& facts) {
  return MaskHides(facts, Feature::kFma) || MaskHides(facts, Feature::kAvx2) ||
         MaskHides(facts, Feature::kFma4);
}

std::string ChangesLibmTitle(const Facts&) {
  return "the mask hides FMA or AVX2: libm takes other code, and the last bits "
         "of sin, exp and others may differ";
}

bool ForcesCet(const Facts& facts) {
  return IsSet(facts, TunableName(facts.build, Tunable::kX86Shstk), "on") ||
         IsSet(facts, TunableName(facts.build, Tunable::kX86Ibt), "on");
}

std::string ForcesCetTitle(const Facts&) {
  return "x86_ibt or x86_shstk is \"on\", which forces it on programs that are "
         "not marked for it: they are killed";
}

constexpr Severity kInfo = Severity::kInformation;
constexpr Severity kWarn = Severity::kWarning;
constexpr Severity kCrit = Severity::kCritical;

constexpr absl::string_view kEmeraldRapids =
    "intel_06-cf-02_xeon-emerald-rapids_local_firecracker-2-vcpu";
constexpr absl::string_view kZen5 =
    "amd_1a-02-01_oxide-virtual-turin-like_local_bhyve-this-machine";
constexpr absl::string_view kZen2 =
    "amd_17-31-00_epyc-rome_qemu-tcg_qemu72-tcg-epyc-rome";

constexpr absl::string_view kWithoutAvxLoad =
    "hwcaps=-AVX_Fast_Unaligned_Load,Fast_Unaligned_Copy (glibc.tune up to "
    "2.28, then glibc.cpu); `advisor recommend` measures whether it pays.";

// {id, severity, applies, title, remedy, reference, fixed in, sample that
//  triggers it, sample that must not}. Most severe first.
constexpr KnownIssueRow kRows[] = {
    {"mask-without-xsavec-crashes",
     kCrit,
     XsavecMaskCrashes,
     XsavecMaskCrashesTitle,
     "Take -XSAVEC out, or hide XSAVE with it (and AVX then goes, too).",
     "glibc bug 32810",
     "2.42; branches 2.38 to 2.41 from 2025",
     {kEmeraldRapids, "2.41", "glibc.cpu.hwcaps=-XSAVEC"},
     {kEmeraldRapids, "2.42", "glibc.cpu.hwcaps=-XSAVEC"}},
    {"mempcpy-writes-past-end",
     kCrit,
     MempcpyWritesOn,
     MempcpyWritesOnTitle,
     "Hide AVX512F: hwcaps=-AVX512F_Usable.",
     "CVE-2018-11237, glibc bug 23196",
     "2.28; branches 2.26 and 2.27 from 2018-05-24",
     {kEmeraldRapids, "2.26",
      "glibc.tune.hwcaps=-Prefer_No_AVX512,Prefer_No_VZEROUPPER"},
     {kEmeraldRapids, "2.28",
      "glibc.tune.hwcaps=-Prefer_No_AVX512,Prefer_No_VZEROUPPER"}},
    {"cet-forced",
     kWarn,
     ForcesCet,
     ForcesCetTitle,
     "\"permissive\" leaves such programs alone.",
     "secureblue/secureblue#1108",
     "",
     {kEmeraldRapids, "2.36", "glibc.cpu.x86_shstk=on"},
     {kEmeraldRapids, "2.36", "glibc.cpu.x86_shstk=permissive"}},
    {"cpu-below-x86-64-v2",
     kWarn,
     BelowLevel2,
     BelowLevel2Title,
     "Tunables cannot raise it. Give the guest another CPU model: "
     "x86-64-v2-AES, or the host's own.",
     "chainguard-images/images#1658; wazuh/wazuh-packages#3007; "
     "kubevirt/containerized-data-importer#2652",
     "",
     {"field/kvm64_2_sockets_3_cores", "2.36"},
     {"field/seed_guest_htt0", "2.36"}},
    {"cve-2023-4911",
     kWarn,
     LooneyTunables,
     LooneyTunablesTitle,
     "Upgrade glibc.",
     "CVE-2023-4911, glibc commit 1056e5b4c3f2",
     "2.39; branches 2.34 to 2.38 from 2023-10-02",
     {kEmeraldRapids, "2.36"},
     {kEmeraldRapids, "2.36+branch"}},
    {"mask-selects-erms",
     kWarn,
     MaskSelectsErms,
     MaskSelectsErmsTitle,
     "Take Prefer_ERMS and Prefer_FSRM out of the mask.",
     "firedancer-io/firedancer#1073; FreeBSD commit f22068d91b81",
     "",
     {kZen2, "2.36", "glibc.cpu.hwcaps=Prefer_ERMS"},
     {kZen2, "2.36"}},
    {"memset-non-temporal-skylake-server",
     kWarn,
     SkylakeMemset,
     SkylakeMemsetTitle,
     "Upgrade glibc.",
     "glibc commit 5bcf6265f215",
     "2.40; branch 2.39 from 2025-04-14",
     {"vector:skx_host", "2.38+branch"},
     {"vector:skx_host", "2.40"}},
    {"movsb-list-default",
     kWarn,
     MovsbListDefault,
     MovsbListDefaultTitle,
     "Set x86_rep_movsb_threshold to that value.",
     "glibc bugs 27061 and 27069",
     "2.33",
     {"vector:hsw_host", "2.32"},
     {"vector:hsw_host", "2.33"}},
    {"thread-share-undivided",
     kWarn,
     ShareUndivided,
     ShareUndividedTitle,
     "Upgrade, or set x86_non_temporal_threshold to that value.",
     "glibc bug 30745",
     "2.39; every branch from 2.28 on, 2023-09",
     {"field/seed_host_37m", "2.38"},
     {"field/seed_host_37m", "2.39"}},
    {"avx-loads-on-hygon",
     kInfo,
     HygonAvx,
     AvxUnalignedTitle,
     kWithoutAvxLoad,
     "glibc commit 00d406e77b (after 2.42)",
     "",
     {"field/hygon_7185", "2.36"},
     {"field/hygon_7185", "2.36", "glibc.cpu.hwcaps=-AVX_Fast_Unaligned_Load"}},
    {"avx-loads-on-zhaoxin",
     kInfo,
     ZhaoxinAvx,
     AvxUnalignedTitle,
     kWithoutAvxLoad,
     "glibc commit 44d757eb9f4c",
     "2.40",
     {"vector:zx_kh40000", "2.36"},
     {"vector:zx_kh40000", "2.40"}},
    {"avx512-mask-needless",
     kInfo,
     NeedlessAvx512Mask,
     NeedlessAvx512MaskTitle,
     "Take it out, unless AVX512VL is to go, too (then see `advisor mask "
     "--for=no-avx512`).",
     "glibc bug 21396",
     "",
     {kEmeraldRapids, "2.36", "glibc.cpu.hwcaps=-AVX512F"},
     {kZen5, "2.36", "glibc.cpu.hwcaps=-AVX512F"}},
    {"mask-changes-libm",
     kInfo,
     ChangesLibm,
     ChangesLibmTitle,
     "Where results must be the same bit by bit, set the same mask everywhere.",
     "FluidSynth/fluidsynth#512",
     "",
     {kEmeraldRapids, "2.36", "glibc.cpu.hwcaps=-FMA"},
     {kEmeraldRapids, "2.36", "glibc.cpu.hwcaps=-ERMS"}},
    {"openblas-finds-no-l2",
     kInfo,
     OpenBlasHole,
     OpenBlasHoleTitle,
     "Set OPENBLAS_L2_SIZE where that OpenBLAS knows it, or have the "
     "hypervisor pass the "
     "leaf on.",
     "OpenMathLib/OpenBLAS#1610, #4609",
     "",
     {"field/xcp_ng_guest_80000005_6_zero", "2.36"},
     {kZen5, "2.36"}},
    {"thread-share-of-many",
     kInfo,
     ThreadShare,
     ThreadShareTitle,
     "Set x86_non_temporal_threshold to a quarter of L3 where one or few "
     "threads copy at a time; `advisor recommend` measures both.",
     "libc-alpha 2021-January/121510; glibc commits d3c57027470b, af992e7abdc9",
     "2.38; every branch from 2.28 on, 2023",
     {"field/seed_host_37m", "2.33"},
     {"field/seed_host_37m", "2.38"}},
    {"three-quarters-recipe",
     kInfo,
     ThreeQuarters,
     ThreeQuartersTitle,
     "Take it out, or measure: `advisor recommend`.",
     "Huawei Cloud EulerOS, FAQ hce_03_0021",
     "",
     {"field/seed_host_37m", "2.38",
      "glibc.cpu.x86_non_temporal_threshold=29491200"},
     {"field/seed_host_37m", "2.38",
      "glibc.cpu.x86_non_temporal_threshold=4194304"}},
    {"zen-5-without-rep-movsb",
     kInfo,
     Zen5WithoutRepMovsb,
     Zen5WithoutRepMovsbTitle,
     "Measure: `advisor recommend` finds where it pays.",
     "a Turin guest, measured under 2.36; glibc bug 30994",
     "",
     {kZen5, "2.40"},
     {kZen5, "2.36"}},
    {"zhaoxin-threshold-small",
     kInfo,
     ZhaoxinSmall,
     ZhaoxinSmallTitle,
     "Set x86_non_temporal_threshold to that value.",
     "glibc commit 9dc645cb569a",
     "2.40",
     {"vector:zx_kh40000", "2.39"},
     {"vector:zx_kh40000", "2.40"}},
};

}  // namespace

absl::Span<const KnownIssueRow> AllKnownIssues() { return kRows; }

}  // namespace advisor
