#include "advisor/evidence/hazard_facts.h"

#include <algorithm>
#include <limits>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "advisor/glibc/cache_size.h"
#include "advisor/glibc/thresholds.h"
#include "advisor/glibc/variant_selection.h"

namespace advisor {
namespace {

CopyCode CodeOf(const HazardFacts& facts) {
  return {facts.build, VariantIsErms(facts.prediction.memmove),
          VectorSize(facts)};
}

// The leaves that the build takes sizes from.
std::vector<CacheSource> LeavesRead(const HazardFacts& facts) {
  switch (facts.prediction.features.kind) {
    case CpuKind::kIntel:
      return {CacheSource::kLeaf2, CacheSource::kLeaf4};
    case CpuKind::kZhaoxin:
      return {CacheSource::kLeaf4};
    case CpuKind::kHygon:
      return {CacheSource::kLeaf8000001D};
    case CpuKind::kAmd:
      if (facts.build.Has(Change::kAmdLegacyFallback)) {
        return {CacheSource::kLeaf8000001D, CacheSource::kLeaf80000005,
                CacheSource::kLeaf80000006};
      }
      if (facts.build.Has(Change::kAmdLeaf8000001d)) {
        return {CacheSource::kLeaf8000001D};
      }
      return {CacheSource::kLeaf80000005, CacheSource::kLeaf80000006};
    case CpuKind::kOther:
      break;
  }
  return {};
}

// Intel and Zhaoxin: no sharer was counted.
HazardCause NoSharersCause(const HazardFacts& facts) {
  HazardCause cause;
  cause.settings = {GuestSetting::kTopology, GuestSetting::kCacheSizes};
  const int64_t shared =
      static_cast<int64_t>(facts.prediction.thresholds.shared_cache_size);
  const std::string product = absl::StrCat(": ", shared, " * 0 * 3 / 4 = 0");
  if (!facts.cpu.topology.htt) {
    cause.text = absl::StrCat(
        "HTT is clear, so nobody counts as a sharer of "
        "the last-level cache",
        product);
    cause.fields = {"1:0:EDX[28]"};
    return cause;
  }
  if (!facts.prediction.features.cpuid.Contains(Feature::kHtt)) {
    cause.text = absl::StrCat("the hwcaps mask clears HTT", product);
    cause.settings.clear();
    return cause;
  }
  const uint32_t level = facts.prediction.cache.level3_cache_size > 0 ? 3 : 2;
  const std::optional<Leaf4Entry> entry =
      facts.prediction.features.max_leaf >= 4 ? FindLeaf4(facts.cpuid, level)
                                              : std::nullopt;
  if (!entry.has_value()) {
    cause.text = absl::StrCat(
        "leaf 4 has no level ", level,
        " and leaf 1 counts no logical processor in the package", product);
    cause.fields = {"1:0:EBX[23:16]"};
  } else if (entry->sharing_field == 0) {
    cause.text = absl::StrCat("the sharing field of L", level,
                              " in leaf 4 is 0, and glibc takes that as "
                              "unknown",
                              product);
    cause.fields = {absl::StrFormat("4:%x:EAX[25:14]", entry->subleaf)};
  } else {
    cause.text = absl::StrCat("leaf 4 says that L", level,
                              " is shared, and leaf 0xB's count, cut to "
                              "the bits of that field, is 0",
                              product);
    cause.fields = {"b:1:EBX[7:0]",
                    absl::StrFormat("4:%x:EAX[25:14]", entry->subleaf)};
  }
  return cause;
}

std::string FieldOf(CacheSource source) {
  switch (source) {
    case CacheSource::kLeaf2:
      return "2:0";
    case CacheSource::kLeaf4:
      return "4:0";
    case CacheSource::kLeaf80000005:
      return "80000005:0:ECX";
    case CacheSource::kLeaf80000006:
      return "80000006:0:ECX,EDX";
    case CacheSource::kLeaf8000001D:
      return "8000001d:3";
  }
  return "";
}

}  // namespace

int VectorSize(const HazardFacts& facts) {
  return VariantVectorSize(facts.prediction.memmove);
}

bool ReadsNonTemporal(const HazardFacts& facts) {
  return advisor::ReadsNonTemporal(facts.build, facts.prediction.memmove);
}

std::optional<SizeRange> CorruptedSizes(const HazardFacts& facts) {
  if (facts.prediction.hangs) return std::nullopt;
  return advisor::CorruptedSizes(facts.build, facts.prediction.memmove,
                                 ThresholdsOf(facts.prediction));
}

std::optional<SizeRange> RepMovsbSizes(const HazardFacts& facts) {
  const CopyCode code = CodeOf(facts);
  if (facts.prediction.hangs || !code.erms || code.vector_size == 0) {
    return std::nullopt;
  }
  const EffectiveThresholds thresholds = ThresholdsOf(facts.prediction);
  const uint64_t first = thresholds.rep_movsb_threshold.value_or(
                             ConstantRepMovsbThreshold(code.vector_size)) +
                         1;
  const uint64_t end = facts.build.Has(Change::kRepMovsbStop)
                           ? thresholds.rep_movsb_stop_threshold.value_or(0)
                           : *thresholds.non_temporal_threshold;
  if (first == 0 || first >= end) return std::nullopt;
  return SizeRange{first, end - 1};
}

std::optional<Leaf4Entry> FindLeaf4(const CpuidSource& cpu, uint32_t level) {
  for (uint32_t subleaf = 0; subleaf < kMaxSubleaf; ++subleaf) {
    const uint32_t eax = cpu.Execute(4, subleaf).eax;
    if ((eax & 0x1f) == 0) return std::nullopt;
    if (level == 1 && (eax & 0x1f) == 2) continue;
    if (((eax >> 5) & 7) == level)
      return Leaf4Entry{subleaf, (eax >> 14) & 0x3ff};
  }
  return std::nullopt;
}

const CacheClaim* UsedL3(const HazardFacts& facts) {
  std::vector<CacheSource> sources = LeavesRead(facts);
  if (facts.prediction.features.kind == CpuKind::kIntel) {
    // Leaf 2 mostly defers to leaf 4.
    const CacheClaim* const claim =
        facts.cpu.caches.Find(CacheSource::kLeaf2, 3);
    if (claim != nullptr) return claim;
  }
  for (const CacheSource source : sources) {
    const CacheClaim* const claim = facts.cpu.caches.Find(source, 3);
    if (claim != nullptr) return claim;
  }
  return nullptr;
}

HazardCause CacheLeavesCause(const HazardFacts& facts) {
  if (facts.prediction.features.kind == CpuKind::kOther) {
    return VendorCause(facts);
  }
  HazardCause cause;
  std::vector<std::string> states;
  bool only_amd_leaf = true;
  for (const CacheSource source : LeavesRead(facts)) {
    const LeafFact& fact = facts.cpu.caches.leaf(source).fact;
    if (fact.state == LeafState::kGood) continue;
    states.push_back(DescribeLeafFact(fact));
    cause.fields.push_back(FieldOf(source));
    only_amd_leaf = only_amd_leaf && source == CacheSource::kLeaf8000001D;
  }
  cause.settings = {only_amd_leaf ? GuestSetting::kAmdCacheLeaf
                                  : GuestSetting::kCacheSizes};
  cause.text = states.empty() ? "the leaves that this build reads tell no size"
                              : absl::StrJoin(states, "; ");
  return cause;
}

HazardCause VendorCause(const HazardFacts& facts) {
  return {absl::StrCat("the vendor string is \"",
                       absl::CHexEscape(facts.cpu.vendor), "\""),
          {"0:0:EBX,EDX,ECX"},
          {GuestSetting::kVendor}};
}

HazardCause NonTemporalCause(const HazardFacts& facts) {
  const Prediction& prediction = facts.prediction;
  if (prediction.tunables.IsSet(Tunable::kX86NonTemporalThreshold) &&
      prediction.tunables.Number(Tunable::kX86NonTemporalThreshold) ==
          prediction.thresholds.non_temporal_threshold) {
    return {"GLIBC_TUNABLES sets it", {}, {}};
  }
  if (prediction.features.kind == CpuKind::kOther) return VendorCause(facts);
  const CacheInfo& cache = prediction.cache;
  const bool counts_threads = !facts.build.Has(Change::kNonTemporalPerThread) &&
                              !facts.build.Has(Change::kNonTemporalOfTotal);
  const bool amd = prediction.features.kind == CpuKind::kAmd;
  if (amd && counts_threads && cache.threads == 0 && cache.core > 0) {
    return {absl::StrCat("there is no L3 in leaf 0x80000006, and without one "
                         "this build counts no threads: ",
                         cache.core, " * 0 * 3 / 4 = 0"),
            {"80000006:0:EDX"},
            {GuestSetting::kCacheSizes}};
  }
  if (!amd && counts_threads && cache.threads == 0) {
    return NoSharersCause(facts);
  }
  return CacheLeavesCause(facts);
}

}  // namespace advisor
