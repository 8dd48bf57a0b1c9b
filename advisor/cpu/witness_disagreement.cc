#include "advisor/cpu/witness_disagreement.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace advisor {
namespace {

constexpr uint32_t kSmtLevel = 1;
// CPUID.1:EBX[23:16] has eight bits, and rounds up to a power of two.
constexpr uint32_t kMostLogicalCount = 128;

bool IsAmdLike(const CpuModel& model) {
  return model.vendor_kind == VendorKind::kAmd ||
         model.vendor_kind == VendorKind::kHygon;
}

std::vector<CacheSource> SourcesThatCount(const CpuModel& model) {
  if (IsAmdLike(model)) {
    return {CacheSource::kLeaf80000005, CacheSource::kLeaf80000006,
            CacheSource::kLeaf8000001D};
  }
  return {CacheSource::kLeaf2, CacheSource::kLeaf4};
}

std::string PlaceOf(const CacheClaim& claim) {
  if (claim.descriptor.has_value()) {
    return absl::StrFormat("leaf 2, descriptor 0x%02x", *claim.descriptor);
  }
  if (claim.leaf == 4) return absl::StrCat("leaf 4:", claim.subleaf);
  if (claim.leaf == 0x8000001d) {
    return absl::StrCat("leaf 0x8000001D:", claim.subleaf);
  }
  return absl::StrFormat("leaf 0x%08X", claim.leaf);
}

uint32_t RoundUpToPowerOfTwo(uint32_t value) {
  uint32_t power = 1;
  while (power < value) power <<= 1;
  return power;
}

// Ids are handed out in powers of two, so `ids` may exceed `cpus` by rounding.
bool RoundingExplains(uint32_t ids, uint32_t cpus) {
  return cpus <= ids && ids <= RoundUpToPowerOfTwo(cpus);
}

class Comparison {
 public:
  Comparison(const CpuModel& model, const SysfsWitness& sysfs)
      : model_(model), sysfs_(sysfs), cpu_(sysfs.cpus[0]) {}

  std::vector<WitnessDisagreement> Run() {
    CompareCaches();
    CompareTopology();
    return std::move(rows_);
  }

 private:
  void Add(DisagreementKind kind, std::string subject, std::string cpuid_value,
           std::string cpuid_place, std::string sysfs_value,
           std::string sysfs_place) {
    rows_.push_back({kind, std::move(subject), std::move(cpuid_value),
                     std::move(cpuid_place), std::move(sysfs_value),
                     std::move(sysfs_place)});
  }

  void CompareCaches() {
    std::vector<const CacheClaim*> claims;
    for (const CacheSource source : SourcesThatCount(model_)) {
      for (const CacheClaim& claim : model_.caches.leaf(source).claims) {
        claims.push_back(&claim);
      }
    }
    if (!sysfs_.has_caches()) {
      if (claims.empty()) return;
      const CacheClaim& last = *claims.back();
      Add(DisagreementKind::kNoCachesInSysfs, "caches",
          absl::StrCat(CacheName(last.level, last.type), " ",
                       FormatCacheSize(last.size)),
          PlaceOf(last), "none", "");
      return;
    }
    if (claims.empty()) {
      Add(DisagreementKind::kNoCachesInCpuid, "caches", "none",
          "every cache leaf", "some", cpu_.caches[0].path);
      return;
    }
    for (const CacheClaim* claim : claims) CompareClaim(*claim);
    for (const SysfsCache& cache : cpu_.caches) FindMissing(cache, claims);
  }

  void CompareClaim(const CacheClaim& claim) {
    const std::string name = CacheName(claim.level, claim.type);
    const SysfsCache* cache = cpu_.Find(claim.level, claim.type);
    if (cache == nullptr) {
      Add(DisagreementKind::kCacheMissing, name, FormatCacheSize(claim.size),
          PlaceOf(claim), "none", "");
      return;
    }
    const bool is_package_sum = claim.leaf == 0x80000006 && claim.level == 3 &&
                                sysfs_.SizeInPackage(3) == claim.size;
    if (cache->size.has_value() && *cache->size != claim.size &&
        !is_package_sum) {
      Add(DisagreementKind::kCacheSize, name + " size",
          FormatCacheSize(claim.size), PlaceOf(claim),
          FormatCacheSize(*cache->size), cache->path + "/size");
    }
    if (!claim.sharers().has_value() || !cache->shared_cpus.has_value()) return;
    const auto cpus = static_cast<uint32_t>(cache->shared_cpus->size());
    if (!RoundingExplains(*claim.sharers(), cpus)) {
      Add(DisagreementKind::kSharers, name + " sharers",
          absl::StrCat(*claim.sharers()), PlaceOf(claim), absl::StrCat(cpus),
          cache->path + "/shared_cpu_list");
    }
  }

  void FindMissing(const SysfsCache& cache,
                   const std::vector<const CacheClaim*>& claims) {
    if (!cache.level || !cache.type || !cache.size) return;
    const bool is_instruction = *cache.type == CacheType::kInstruction;
    for (const CacheClaim* claim : claims) {
      if (claim->level == *cache.level &&
          (claim->type == CacheType::kInstruction) == is_instruction) {
        return;
      }
    }
    Add(DisagreementKind::kCacheMissing, CacheName(*cache.level, *cache.type),
        "none", "every cache leaf", FormatCacheSize(*cache.size), cache.path);
  }

  void CompareTopology() {
    if (cpu_.package_siblings.has_value()) {
      ComparePackage(static_cast<uint32_t>(cpu_.package_siblings->size()));
    }
    if (!cpu_.thread_siblings.has_value()) return;
    const auto threads = static_cast<uint32_t>(cpu_.thread_siblings->size());
    const TopologyLevel* smt = model_.topology.leaf_b.Find(kSmtLevel);
    if (smt != nullptr) {
      CompareCount("CPUs in a core", smt->logical_cpus,
                   absl::StrFormat("leaf 0xB:%d", smt->subleaf), threads,
                   "thread_siblings_list");
    }
    if (model_.topology.topoext && model_.topology.amd_threads_per_core) {
      CompareCount("CPUs in a core", *model_.topology.amd_threads_per_core,
                   "leaf 0x8000001E:EBX[15:8] + 1", threads,
                   "thread_siblings_list");
    }
  }

  void ComparePackage(uint32_t cpus) {
    const Topology& topology = model_.topology;
    const absl::string_view subject = "CPUs in the package";
    if (!topology.htt) {
      if (cpus > 1) {
        Add(DisagreementKind::kLogicalCpus, std::string(subject),
            "1 (HTT clear)", "CPUID.1:EDX[28]", absl::StrCat(cpus),
            PathOf("core_siblings_list"));
      }
      // LPC counts only with HTT.
    } else if (cpus <= kMostLogicalCount &&
               !RoundingExplains(topology.logical_count, cpus)) {
      Add(DisagreementKind::kLogicalCpus, std::string(subject),
          absl::StrCat(topology.logical_count), "CPUID.1:EBX[23:16]",
          absl::StrCat(cpus), PathOf("core_siblings_list"));
    }
    if (!topology.leaf_b.levels.empty()) {
      const TopologyLevel& top = topology.leaf_b.levels.back();
      CompareCount(subject, top.logical_cpus,
                   absl::StrFormat("leaf 0xB:%d", top.subleaf), cpus,
                   "core_siblings_list");
    }
  }

  void CompareCount(absl::string_view subject, uint32_t cpuid,
                    std::string place, uint32_t sysfs, absl::string_view file) {
    if (cpuid == sysfs) return;
    Add(DisagreementKind::kLogicalCpus, std::string(subject),
        absl::StrCat(cpuid), std::move(place), absl::StrCat(sysfs),
        PathOf(file));
  }

  std::string PathOf(absl::string_view file) const {
    return absl::StrCat(cpu_.path, "/topology/", file);
  }

  const CpuModel& model_;
  const SysfsWitness& sysfs_;
  const SysfsCpu& cpu_;
  std::vector<WitnessDisagreement> rows_;
};

}  // namespace

std::string WitnessDisagreement::Describe() const {
  return absl::StrCat(subject, ": ", cpuid_value, " in ", cpuid_place, ", but ",
                      sysfs_value, " in ",
                      sysfs_place.empty() ? "sysfs" : sysfs_place);
}

std::vector<WitnessDisagreement> CompareWitnesses(const CpuModel& model,
                                                  const SysfsWitness& sysfs) {
  if (sysfs.cpus.empty()) return {};
  return Comparison(model, sysfs).Run();
}

}  // namespace advisor
