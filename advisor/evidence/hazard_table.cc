#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "advisor/evidence/hazard.h"
#include "advisor/evidence/hazard_facts.h"
#include "advisor/evidence/healthy_threshold.h"
#include "advisor/glibc/thresholds.h"
#include "advisor/glibc/tunables.h"

namespace advisor {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

// Largest L3 that cores share: 96 MiB of an AMD CCX with stacked cache
// (EPYC 9684X), 504 MiB of an Intel package (Xeon 6980P).
constexpr int64_t kLargestAmdL3 = int64_t{96} << 20;
constexpr int64_t kLargestIntelL3 = int64_t{504} << 20;
// No processor has more L3 for each core (EPYC 7373X, 9184X: 48 MiB).
constexpr uint64_t kLargestL3PerCpu = uint64_t{48} << 20;

uint64_t NonTemporal(const HazardFacts& facts) {
  return facts.prediction.thresholds.non_temporal_threshold;
}

Settings NoTunables(const HazardFacts&) { return {}; }

// Start-up hangs.

bool Hangs(const HazardFacts& facts) { return facts.prediction.hangs; }

std::string HangsTitle(const HazardFacts&) {
  return "start-up never ends: no program gets to main";
}

HazardCause HangsCause(const HazardFacts& facts) {
  HazardCause cause;
  if (facts.prediction.features.kind == CpuKind::kZhaoxin &&
      !FindLeaf4(facts.cpuid, 2).has_value()) {
    cause.text =
        "leaf 4 has no entry of level 2 and HTT is set: for a Zhaoxin CPU "
        "glibc goes on looking for it";
    cause.fields = {"4:0:EAX[7:5]", "1:0:EDX[28]"};
  } else {
    cause.text =
        "a leaf that glibc reads to its last subleaf has none (leaf 4 needs an "
        "entry of type 0, leaf 0xB a level of type 0)";
    cause.fields = {"4:0:EAX[4:0]", "b:0:ECX[15:8]"};
  }
  cause.settings = {GuestSetting::kCacheSizes};
  return cause;
}

// A threshold that is too small.

bool PagedCopyCorrupts(const HazardFacts& facts) {
  return CorruptedSizes(facts).has_value();
}

std::string PagedCopyTitle(const HazardFacts& facts) {
  const SizeRange sizes = *CorruptedSizes(facts);
  return absl::StrFormat(
      "copies of %d to %d bytes corrupt memory or crash: the paged copy of "
      "this build needs more than 4 pages, and non_temporal_threshold is %d%s",
      sizes.first, sizes.last, NonTemporal(facts),
      NonTemporal(facts) >= kMinimumNonTemporalThreshold
          ? absl::StrCat(
                ", rep_movsb_stop_threshold ",
                facts.prediction.thresholds.rep_movsb_stop_threshold.value_or(
                    0))
          : "");
}

bool IsZero(const HazardFacts& facts) {
  return !facts.prediction.hangs && ReadsNonTemporal(facts) &&
         !facts.build.Has(Change::kPagedLargeCopy) &&
         NonTemporal(facts) < kMinimumNonTemporalThreshold;
}

std::string ZeroTitle(const HazardFacts& facts) {
  const uint64_t first =
      std::max<uint64_t>(NonTemporal(facts), 8u * VectorSize(facts));
  return absl::StrFormat(
      "non_temporal_threshold is %d: every copy of more than %d bytes bypasses "
      "the caches (1 KiB took 1503 cycles instead of 78 on Ivy Bridge EX)",
      NonTemporal(facts), first);
}

bool IsTiny(const HazardFacts& facts) {
  return !facts.prediction.hangs && ReadsNonTemporal(facts) &&
         !PagedCopyCorrupts(facts) && !IsZero(facts) &&
         NonTemporal(facts) < kTinyNonTemporalThreshold;
}

std::string TinyTitle(const HazardFacts& facts) {
  return absl::StrFormat(
      "non_temporal_threshold is %d%s: copies of more than that bypass the "
      "caches, though they would fit L2",
      NonTemporal(facts),
      NonTemporal(facts) == kMinimumNonTemporalThreshold
          ? ", the lowest bound, for want of a cache size"
          : "");
}

Settings RaiseNonTemporal(const HazardFacts& facts) {
  const uint64_t bytes = HealthyNonTemporalThreshold(facts.cpuid).bytes;
  Settings settings = {
      {TunableName(facts.build, Tunable::kX86NonTemporalThreshold),
       absl::StrCat(bytes)}};
  // 2.35: sizes from the stop threshold on enter the paged copy whatever
  // non_temporal_threshold is, unless they stay below the `rep movsb` zone.
  if (facts.build.Has(Change::kMovsbStopEntersLargeCopy) &&
      !facts.build.Has(Change::kLargeCopyChecksNonTemporal) &&
      facts.prediction.thresholds.rep_movsb_stop_threshold.value_or(0) <
          kMinimumNonTemporalThreshold) {
    settings.push_back(
        {TunableName(facts.build, Tunable::kX86RepMovsbThreshold),
         absl::StrCat(bytes)});
  }
  return settings;
}

// Nothing is known of the caches.

bool NoCacheSize(const HazardFacts& facts) {
  const CacheInfo& cache = facts.prediction.cache;
  return !facts.prediction.hangs &&
         facts.prediction.features.kind != CpuKind::kOther &&
         cache.level1_dcache_size <= 0 && cache.level2_cache_size <= 0 &&
         cache.level3_cache_size <= 0;
}

std::string NoCacheSizeTitle(const HazardFacts&) {
  return "glibc finds no cache size: sizes and thresholds are what it has for "
         "that case, whatever the caches are";
}

// The size variables of 2.33 and 2.34 take "unknown", too.
bool CacheSizeZero(const HazardFacts& facts) {
  const Thresholds& now = facts.prediction.thresholds;
  return !facts.prediction.hangs &&
         (static_cast<int64_t>(now.data_cache_size) <= 0 ||
          static_cast<int64_t>(now.shared_cache_size) <= 0);
}

std::string CacheSizeZeroTitle(const HazardFacts& facts) {
  return absl::StrFormat(
      "data_cache_size is %d and shared_cache_size %d: variants that divide "
      "their work by them go wrong",
      static_cast<int64_t>(facts.prediction.thresholds.data_cache_size),
      static_cast<int64_t>(facts.prediction.thresholds.shared_cache_size));
}

Settings SetSizes(const HazardFacts& facts) {
  return {{TunableName(facts.build, Tunable::kX86DataCacheSize), "32768"},
          {TunableName(facts.build, Tunable::kX86SharedCacheSize), "1048576"}};
}

bool VendorUnknown(const HazardFacts& facts) {
  return facts.prediction.features.kind == CpuKind::kOther;
}

std::string VendorUnknownTitle(const HazardFacts& facts) {
  return absl::StrFormat(
      "glibc %s does not know the vendor \"%s\": it reads no cache leaf, and "
      "non_temporal_threshold is %d",
      facts.build.name(), absl::CHexEscape(facts.cpu.vendor),
      NonTemporal(facts));
}

bool Leaf2LowByte(const HazardFacts& facts) {
  if (facts.prediction.features.kind != CpuKind::kIntel) return false;
  if (facts.prediction.features.max_leaf < 4) return false;
  return !facts.build.Has(Change::kLeaf2LowByte) &&
         (facts.cpuid.Execute(2).eax & 0xff) != 1 &&
         FindLeaf4(facts.cpuid, 1).has_value();
}

std::string Leaf2LowByteTitle(const HazardFacts& facts) {
  return absl::StrFormat(
      "leaf 2's low byte is %d, not 1, and this build does not turn to leaf 4, "
      "which tells the caches: L3 is %d",
      facts.cpuid.Execute(2).eax & 0xff,
      facts.prediction.cache.level3_cache_size);
}

HazardCause Leaf2LowByteCause(const HazardFacts&) {
  return {"the hypervisor (TDX does) leaves leaf 2 empty",
          {"2:0:EAX[7:0]"},
          {GuestSetting::kCacheSizes}};
}

// AMD.

bool IsAmd(const HazardFacts& facts) {
  return facts.prediction.features.kind == CpuKind::kAmd ||
         facts.prediction.features.kind == CpuKind::kHygon;
}

bool Leaf8000001dEmpty(const HazardFacts& facts) {
  return IsAmd(facts) &&
         facts.cpu.caches.leaf(CacheSource::kLeaf8000001D).claims.empty();
}

bool AmdLeafEmptyMatters(const HazardFacts& facts) {
  if (!Leaf8000001dEmpty(facts) || NoCacheSize(facts)) return false;
  if (facts.build.Has(Change::kAmdLeaf8000001d)) {
    // From the legacy leaves, L3 as if each thread had its own.
    return facts.build.Has(Change::kAmdLegacyFallback) &&
           facts.prediction.features.family >= 0x17 &&
           facts.prediction.cache.level3_cache_size > 0;
  }
  return facts.build.Has(Change::kAmdCcxShare) &&
         facts.prediction.features.family >= 0x17 &&
         facts.prediction.cache.level3_cache_size > 0;
}

std::string AmdLeafEmptyTitle(const HazardFacts& facts) {
  return absl::StrFormat(
      "leaf 0x8000001D, which tells who shares L3, is empty: L3 counts as %d "
      "bytes for one thread, and non_temporal_threshold is %d",
      facts.prediction.cache.shared, NonTemporal(facts));
}

HazardCause AmdLeafEmptyCause(const HazardFacts& facts) {
  return {
      DescribeLeafFact(facts.cpu.caches.leaf(CacheSource::kLeaf8000001D).fact),
      {"8000001d:3:EAX[25:14]"},
      {GuestSetting::kAmdCacheLeaf}};
}

bool AmdLeaf4Only(const HazardFacts& facts) {
  return Leaf8000001dEmpty(facts) &&
         !facts.cpu.caches.leaf(CacheSource::kLeaf4).claims.empty();
}

std::string AmdLeaf4OnlyTitle(const HazardFacts&) {
  return "the caches stand in leaf 4, which is Intel's: on AMD glibc reads "
         "0x8000001D, and that is empty";
}

bool FsrmOnAmd(const HazardFacts& facts) {
  if (facts.prediction.hangs || facts.cpu.vendor_kind != VendorKind::kAmd) {
    return false;
  }
  return facts.prediction.features.cpuid.Contains(Feature::kFsrm) &&
         RepMovsbSizes(facts).has_value();
}

std::string FsrmOnAmdTitle(const HazardFacts& facts) {
  return absl::StrFormat(
      "copies from %d bytes on use `rep movsb`, which AMD announces as fast "
      "(FSRM) and which is slow for misaligned destinations: 20 times on Zen 3 "
      "(57 to 4.3 GB/s), 1.1 to 3.6 times below L1d's size on Zen 5",
      RepMovsbSizes(facts)->first);
}

HazardCause FsrmOnAmdCause(const HazardFacts&) {
  return {
      "FSRM and ERMS are set on an AMD CPU, and this build has no other "
      "rule for AMD",
      {"7:0:EDX[4]", "7:0:EBX[9]"},
      {}};
}

Settings CloseRepMovsb(const HazardFacts& facts) {
  if (!HasTunable(facts.build, Tunable::kX86RepMovsbThreshold)) {
    // The mask that is there stays.
    const std::string mask =
        ParseTunables(facts.glibc_tunables, facts.build).hwcaps.value_or("");
    return {{TunableName(facts.build, Tunable::kHwcaps),
             absl::StrCat(mask, mask.empty() ? "" : ",", "-ERMS")}};
  }
  const uint64_t stop = std::max(
      NonTemporal(facts),
      facts.prediction.thresholds.rep_movsb_stop_threshold.value_or(0));
  return {{TunableName(facts.build, Tunable::kX86RepMovsbThreshold),
           absl::StrCat(stop)}};
}

// Numbers that cannot be.

bool L3Absurd(const HazardFacts& facts) {
  if (facts.prediction.hangs) return false;
  const CacheInfo& cache = facts.prediction.cache;
  const bool amd = IsAmd(facts) && facts.prediction.features.family >= 0x17;
  // On Intel's the share of an L3 that does not include L2 has that, too.
  if (amd ? cache.shared > kLargestAmdL3
          : cache.level3_cache_size > kLargestIntelL3) {
    return true;
  }
  const CacheClaim* const l3 = UsedL3(facts);
  if (l3 == nullptr) return false;
  if (l3->wraps_in_glibc()) return true;
  return facts.cpu.is_guest() && facts.cpus.has_value() && *facts.cpus > 0 &&
         l3->size / *facts.cpus > kLargestL3PerCpu;
}

std::string L3AbsurdTitle(const HazardFacts& facts) {
  const CacheClaim* const l3 = UsedL3(facts);
  std::string text = absl::StrCat(
      "L3 is ", l3 == nullptr ? FormatCacheSize(facts.prediction.cache.shared)
                              : FormatCacheSize(l3->size));
  if (l3 != nullptr && l3->wraps_in_glibc()) {
    absl::StrAppend(&text,
                    ", which glibc cuts to 32 bits: ", l3->size_in_32_bits());
  }
  if (facts.cpus.has_value()) {
    absl::StrAppend(&text, " for ", *facts.cpus,
                    *facts.cpus == 1 ? " CPU" : " CPUs");
  }
  return absl::StrCat(text,
                      ", more than the cores that share it can have; "
                      "non_temporal_threshold is ",
                      NonTemporal(facts));
}

HazardCause L3AbsurdCause(const HazardFacts& facts) {
  const CacheClaim* const l3 = UsedL3(facts);
  HazardCause cause;
  cause.settings = {GuestSetting::kCacheSizes, GuestSetting::kTopology};
  if (l3 == nullptr) {
    cause.text = "the sizes of several leaves add up";
    return cause;
  }
  cause.text = DescribeCacheClaim(*l3);
  cause.fields = {
      l3->leaf == 0x80000006
          ? "80000006:0:EDX[31:18]"
          : absl::StrFormat("%x:%x:EBX,ECX", l3->leaf, l3->subleaf)};
  if (Leaf8000001dEmpty(facts)) {
    absl::StrAppend(&cause.text,
                    ", the whole package's; 0x8000001D, which would tell one "
                    "core complex's, is empty");
    cause.settings = {GuestSetting::kAmdCacheLeaf};
  }
  return cause;
}

// The count divides L3 in builds whose threshold is one thread's share.
bool SharersAbsurd(const HazardFacts& facts) {
  if (facts.prediction.hangs || facts.build.Has(Change::kNonTemporalOfTotal) ||
      !facts.build.Has(Change::kNonTemporalPerThread)) {
    return false;
  }
  const uint32_t threads = facts.prediction.cache.threads;
  if (threads <= 1 || facts.prediction.cache.shared <= 0) return false;
  if (facts.cpu.is_guest() && facts.cpus.has_value() &&
      threads >= 4u * *facts.cpus) {
    return true;
  }
  const std::optional<uint32_t> amd = facts.cpu.topology.amd_thread_count;
  return IsAmd(facts) && amd.has_value() && threads > 2 * *amd;
}

std::string SharersAbsurdTitle(const HazardFacts& facts) {
  std::string other;
  if (facts.cpus.has_value()) {
    other = absl::StrCat("the machine has ", *facts.cpus);
  } else {
    other = absl::StrCat("leaf 0x80000008 counts ",
                         facts.cpu.topology.amd_thread_count.value_or(0));
  }
  return absl::StrFormat(
      "L3 is divided by %d sharers, though %s: non_temporal_threshold is %d",
      facts.prediction.cache.threads, other, NonTemporal(facts));
}

HazardCause SharersAbsurdCause(const HazardFacts& facts) {
  return IsAmd(facts)
             ? HazardCause{absl::StrCat("leaf 1 counts ",
                                        facts.cpu.topology.logical_count,
                                        " logical processors in the package"),
                           {"1:0:EBX[23:16]", "80000008:0:ECX[7:0]"},
                           {GuestSetting::kTopology}}
             : HazardCause{
                   "the sharing fields are another machine's (the "
                   "host's), the number of CPUs is not",
                   {"4:3:EAX[25:14]", "b:1:EBX[7:0]"},
                   {GuestSetting::kTopology}};
}

bool HttClear(const HazardFacts& facts) {
  return facts.cpus.has_value() && *facts.cpus > 1 && !facts.cpu.topology.htt &&
         !facts.prediction.hangs &&
         (facts.prediction.features.kind == CpuKind::kIntel ||
          facts.prediction.features.kind == CpuKind::kZhaoxin) &&
         facts.prediction.cache.shared > 0;
}

std::string HttClearTitle(const HazardFacts& facts) {
  return absl::StrFormat(
      "HTT is clear though there are %d CPUs: glibc counts nobody who shares "
      "L3, and takes %d bytes as one thread's",
      *facts.cpus, facts.prediction.cache.shared);
}

HazardCause HttClearCause(const HazardFacts&) {
  return {"each CPU is a package of its own (one core, one thread)",
          {"1:0:EDX[28]"},
          {GuestSetting::kTopology, GuestSetting::kCacheSizes}};
}

bool NonTemporalNever(const HazardFacts& facts) {
  return !facts.prediction.hangs &&
         NonTemporal(facts) >= kMaximumNonTemporalThreshold &&
         !facts.prediction.tunables.IsSet(Tunable::kX86NonTemporalThreshold);
}

std::string NonTemporalNeverTitle(const HazardFacts& facts) {
  return absl::StrCat("non_temporal_threshold is ", NonTemporal(facts),
                      ": no copy, however large, spares the caches");
}

constexpr absl::string_view kSeed =
    "libc-alpha 2021-January/121510; openEuler blog of 2021-01-14";
constexpr absl::string_view kPagedReferences =
    "glibc bugs 29953 and 30428; google/gvisor#7341; "
    "oxidecomputer/propolis#1152; ceph/ceph-csi#4379";

constexpr absl::string_view kNonTemporalGroup = "non-temporal-threshold";

// {id, group, consequence, applies, title, cause, tunables, reference, fixture,
//  its build, neighbour, its build}. Most severe first.
constexpr HazardRow kRows[] = {
    {"start-up-hangs", "hang", Consequence::kHangs, Hangs, HangsTitle,
     HangsCause, NoTunables,
     "read from glibc's source (sysdeps/x86/dl-cacheinfo.h, the loops over "
     "leaves 4 and 0xB); no report is known",
     "vector:zx_nol2", "2.36", "vector:zx_kx6000", "2.36"},
    {"non-temporal-threshold-crash", kNonTemporalGroup, Consequence::kCrashes,
     PagedCopyCorrupts, PagedCopyTitle, NonTemporalCause, RaiseNonTemporal,
     kPagedReferences, "field/turin_guest_80000006_zero", "2.34",
     "field/turin_guest_80000006_zero", "2.37"},
    {"non-temporal-threshold-zero", kNonTemporalGroup, Consequence::kCliff,
     IsZero, ZeroTitle, NonTemporalCause, RaiseNonTemporal, kSeed,
     "field/seed_guest_htt0", "2.28", "field/seed_guest_4_cores", "2.28"},
    {"non-temporal-threshold-tiny", kNonTemporalGroup, Consequence::kCliff,
     IsTiny, TinyTitle, NonTemporalCause, RaiseNonTemporal,
     "glibc bugs 29953 and 30429", "field/zen_guest_8000001d_zero", "2.37",
     "field/zen_guest_8000001d_zero", "2.38"},
    {"fsrm-rep-movsb-on-amd", "fsrm", Consequence::kPartlySlow, FsrmOnAmd,
     FsrmOnAmdTitle, FsrmOnAmdCause, CloseRepMovsb, "glibc bug 30994",
     "amd_1a-02-01_oxide-virtual-turin-like_local_bhyve-this-machine", "2.36",
     "amd_1a-02-01_oxide-virtual-turin-like_local_bhyve-this-machine", "2.40"},
    {"cache-size-zero", "cache-size-zero", Consequence::kPartlySlow,
     CacheSizeZero, CacheSizeZeroTitle, CacheLeavesCause, SetSizes,
     "glibc bug 28784; FEX-Emu/FEX#789", "field/gvisor_intel_no_cache_leaves",
     "2.34", "field/gvisor_intel_no_cache_leaves", "2.35"},
    {"cache-leaves-empty", "cache-leaves", Consequence::kDoubtful, NoCacheSize,
     NoCacheSizeTitle, CacheLeavesCause, NoTunables,
     "google/gvisor#7341; Red Hat bug 2196271",
     "field/gvisor_amd_no_cache_leaves", "2.42", "field/zen_guest_no_l3",
     "2.42"},
    {"vendor-unknown", "vendor", Consequence::kDoubtful, VendorUnknown,
     VendorUnknownTitle, VendorCause, NoTunables,
     "ceph/ceph-csi#4379; glibc commits ade8b817fead (Hygon), 32ac0b988466 "
     "(Zhaoxin)",
     "field/hygon_7185", "2.28", "field/hygon_7185", "2.29"},
    {"leaf-2-low-byte", "leaf-2", Consequence::kDoubtful, Leaf2LowByte,
     Leaf2LowByteTitle, Leaf2LowByteCause, NoTunables,
     "glibc bugs 30037 and 30643; intel-staging/tdx#3",
     "field/tdx_guest_leaf_2_zero", "2.36", "field/tdx_guest_leaf_2_zero",
     "2.39"},
    {"amd-cache-leaf-empty", "amd-cache-leaf", Consequence::kDoubtful,
     AmdLeafEmptyMatters, AmdLeafEmptyTitle, AmdLeafEmptyCause, NoTunables,
     "NixOS/nixpkgs#106324; glibc commit 59803e81f96b",
     "field/zen_guest_8000001d_zero", "2.36", "field/wsl_threadripper_3990x",
     "2.36"},
    {"amd-leaf-4-only", "amd-leaf-4", Consequence::kDoubtful, AmdLeaf4Only,
     AmdLeaf4OnlyTitle, AmdLeafEmptyCause, NoTunables,
     "QEMU, target/i386/cpu.c, leaf 4 for every vendor without "
     "x-vendor-cpuid-only (7.1)",
     "amd_17-01-02_epyc_qemu-tcg_qemu72-tcg-epyc-pc-q35-2.12", "2.42",
     "amd_17-01-02_epyc_qemu-tcg_qemu72-tcg-epyc", "2.42"},
    {"l3-size-absurd", "l3-size", Consequence::kDoubtful, L3Absurd,
     L3AbsurdTitle, L3AbsurdCause, NoTunables,
     "glibc, sysdeps/x86/dl-cacheinfo.h: products of 32-bit numbers; a Turin "
     "guest of two CPUs with 508 MiB",
     "amd_1a-02-01_oxide-virtual-turin-like_local_bhyve-this-machine", "2.39",
     "field/wsl_threadripper_3990x", "2.39"},
    {"sharers-absurd", "sharers", Consequence::kDoubtful, SharersAbsurd,
     SharersAbsurdTitle, SharersAbsurdCause, NoTunables,
     "a Turin guest of two CPUs that counts 254",
     "amd_1a-02-01_oxide-virtual-turin-like_local_bhyve-this-machine", "2.36",
     "field/wsl_threadripper_3990x", "2.36"},
    {"htt-clear", "htt", Consequence::kDoubtful, HttClear, HttClearTitle,
     HttClearCause, NoTunables, kSeed, "field/seed_guest_htt0 cpus=4", "2.33",
     "field/seed_guest_4_cores cpus=4", "2.33"},
    {"non-temporal-threshold-never", kNonTemporalGroup, Consequence::kDoubtful,
     NonTemporalNever, NonTemporalNeverTitle, NonTemporalCause,
     RaiseNonTemporal,
     "glibc, sysdeps/x86/dl-cacheinfo.h: an unknown size, divided as unsigned",
     "field/gvisor_intel_no_cache_leaves erms", "2.42",
     "field/gvisor_intel_no_cache_leaves", "2.38"},
};

}  // namespace

absl::Span<const HazardRow> AllHazards() { return kRows; }

}  // namespace advisor
