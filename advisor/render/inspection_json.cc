#include "advisor/render/inspection_json.h"

#include <optional>

#include "absl/strings/str_format.h"
#include "advisor/render/json_text.h"
#include "advisor/render/or_null.h"
#include "nlohmann/json.hpp"

namespace advisor {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

template <typename Row>
Json Array(const std::vector<Row>& rows, Json (*to_json)(const Row&)) {
  Json result = Json::array();
  for (const Row& row : rows) result.push_back(to_json(row));
  return result;
}

Json Text(absl::string_view text) { return std::string(text); }
Json Leaf(uint32_t leaf) { return absl::StrFormat("0x%08x", leaf); }
Json LeafOrNull(const std::optional<uint32_t>& leaf) {
  return leaf.has_value() ? Leaf(*leaf) : Json(nullptr);
}

Json Family(const FamilyModelStepping& family) {
  return {{"family", family.family},
          {"model", family.model},
          {"stepping", family.stepping}};
}

Json Feature(const FeatureFact& fact) {
  return {{"name", Text(fact.state.name())},
          {"place", FeaturePlace(*fact.state.row)},
          {"cpuid", fact.state.cpuid},
          {"usable", fact.state.usable},
          {"why_not", fact.why_not},
          {"matters", fact.matters}};
}

Json Range(const HypervisorRange& range) {
  return {{"base", Leaf(range.base)},
          {"highest_leaf", Leaf(range.highest_leaf)},
          {"signature", range.signature}};
}

Json Guest(const Hypervisor& hypervisor) {
  return {{"is_guest", hypervisor.is_guest()},
          {"hypervisor", hypervisor.name},
          {"guest_bit", hypervisor.guest_bit},
          {"ranges", Array(hypervisor.ranges, &Range)},
          {"offers_hyper_v", hypervisor.offers_hyper_v},
          {"hint", hypervisor.hint},
          {"tdx", hypervisor.tdx},
          {"sev", hypervisor.sev},
          {"sev_es", hypervisor.sev_es},
          {"sev_snp", hypervisor.sev_snp}};
}

Json Fact(const LeafFact& fact) {
  return {{"leaf", Leaf(fact.leaf)},
          {"state", Text(LeafStateName(fact.state))},
          {"reason", fact.reason}};
}

Json Claim(const CacheClaim& claim) {
  return {{"cache", CacheName(claim.level, claim.type)},
          {"level", claim.level},
          {"bytes", claim.size},
          {"ways", OrNull(claim.ways)},
          {"fully_associative", claim.fully_associative},
          {"line", OrNull(claim.line)},
          {"partitions", OrNull(claim.partitions)},
          {"sets", OrNull(claim.sets)},
          {"sharers", OrNull(claim.sharers())},
          {"inclusive", OrNull(claim.inclusive)},
          {"subleaf", claim.subleaf},
          {"descriptor", OrNull(claim.descriptor)},
          {"wraps_in_glibc", claim.wraps_in_glibc()}};
}

Json CachesOfLeaf(const CacheLeaf& leaf) {
  Json json = Fact(leaf.fact);
  json["caches"] = Array(leaf.claims, &Claim);
  return json;
}

Json Level(const TopologyLevel& level) {
  return {{"subleaf", level.subleaf},
          {"type", level.type},
          {"shift", level.shift},
          {"logical_cpus", level.logical_cpus}};
}

Json CpuidTopology(const Topology& topology) {
  return {{"htt", topology.htt},
          {"logical_count", topology.logical_count},
          {"initial_apic_id", topology.initial_apic_id},
          {"core_ids", OrNull(topology.core_ids)},
          {"leaf_0xb", Array(topology.leaf_b.levels, &Level)},
          {"leaf_0x1f", Array(topology.leaf_1f.levels, &Level)},
          {"amd_thread_count", OrNull(topology.amd_thread_count)},
          {"amd_apic_id_size", OrNull(topology.amd_apic_id_size)},
          {"amd_threads_per_core", OrNull(topology.amd_threads_per_core)},
          {"amd_nodes_per_processor", OrNull(topology.amd_nodes_per_processor)},
          {"topoext", topology.topoext}};
}

Json Threshold(const ThresholdFact& fact) {
  return {{"name", fact.name},
          {"is_tunable", fact.is_tunable},
          {"listed", OrNull(fact.listed)},
          {"predicted", OrNull(fact.predicted)},
          {"differs", fact.differs()}};
}

Json Tunable(const TunableFact& fact) {
  return {{"item", fact.item},
          {"outcome", fact.outcome},
          {"in_force", fact.in_force}};
}

// glibc's own "unknown" is null.
Json Size(int64_t bytes) { return bytes < 0 ? Json(nullptr) : Json(bytes); }

Json OnePrediction(const std::optional<Prediction>& prediction) {
  if (!prediction.has_value()) return nullptr;
  if (prediction->hangs) return {{"hangs", true}};
  Json flags = Json::array();
  for (int i = 0; i < kFlagCount; ++i) {
    const Flag flag = static_cast<Flag>(i);
    if (prediction->features.flags.Contains(flag)) {
      flags.push_back(Text(FlagName(flag)));
    }
  }
  const CacheInfo& cache = prediction->cache;
  return {{"hangs", false},
          {"memmove", Text(prediction->memmove)},
          {"memset", Text(prediction->memset)},
          {"flags", flags},
          {"level1_dcache_size", Size(cache.level1_dcache_size)},
          {"level2_cache_size", Size(cache.level2_cache_size)},
          {"level3_cache_size", Size(cache.level3_cache_size)},
          {"threads", cache.threads}};
}

Json Core(const CoreInspection& core) {
  const CpuModel& cpu = core.cpu;
  Json xcr0 = nullptr;
  if (cpu.xcr0.has_value()) xcr0 = absl::StrFormat("0x%x", *cpu.xcr0);
  Json microarchitecture = nullptr;
  if (cpu.microarchitecture != nullptr) {
    microarchitecture = Text(cpu.microarchitecture->name);
  }
  return {{"name", core.name},
          {"vendor", cpu.vendor},
          {"vendor_kind", Text(VendorKindName(cpu.vendor_kind))},
          {"brand", cpu.brand},
          {"microarchitecture", microarchitecture},
          {"architectural", Family(cpu.architectural)},
          {"glibc", Family(cpu.glibc)},
          {"max_leaf", Leaf(cpu.max_leaf)},
          {"max_extended_leaf", LeafOrNull(cpu.max_extended_leaf)},
          {"xcr0", xcr0},
          {"features", Array(core.features, &Feature)},
          {"guest", Guest(cpu.hypervisor)},
          {"leaves", Array(cpu.leaf_facts, &Fact)},
          {"caches", Array(cpu.caches.leaves, &CachesOfLeaf)},
          {"topology", CpuidTopology(cpu.topology)},
          {"prediction", OnePrediction(core.prediction)},
          {"features_glibc_ignores", core.features_glibc_ignores},
          {"thresholds", Array(core.thresholds, &Threshold)},
          {"tunables", Array(core.tunables, &Tunable)}};
}

Json OneSysfsCache(const SysfsCache& cache) {
  Json name = nullptr;
  if (cache.level.has_value() && cache.type.has_value()) {
    name = CacheName(*cache.level, *cache.type);
  }
  return {{"path", cache.path},
          {"cache", name},
          {"level", OrNull(cache.level)},
          {"bytes", OrNull(cache.size)},
          {"ways", OrNull(cache.ways)},
          {"line", OrNull(cache.line)},
          {"shared_cpus", OrNull(cache.shared_cpus)}};
}

Json OneSysfsCpu(const SysfsCpu& cpu) {
  return {{"cpu", cpu.cpu},
          {"package", OrNull(cpu.package)},
          {"core", OrNull(cpu.core)},
          {"thread_siblings", OrNull(cpu.thread_siblings)},
          {"package_siblings", OrNull(cpu.package_siblings)},
          {"caches", Array(cpu.caches, &OneSysfsCache)}};
}

Json Sysfs(const std::optional<SysfsWitness>& sysfs) {
  if (!sysfs.has_value()) return nullptr;
  return {{"cpus", Array(sysfs->cpus, &OneSysfsCpu)},
          {"problems", sysfs->problems}};
}

Json Disagreement(const WitnessDisagreement& disagreement) {
  return {{"subject", disagreement.subject},
          {"cpuid_value", disagreement.cpuid_value},
          {"cpuid_place", disagreement.cpuid_place},
          {"sysfs_value", disagreement.sysfs_value},
          {"sysfs_place", disagreement.sysfs_place}};
}

Json Installed(const std::optional<InstalledLibc>& libc) {
  if (!libc.has_value()) return nullptr;
  Json banner = nullptr;
  if (libc->banner.has_value()) {
    banner = {{"release", libc->banner->release},
              {"package", libc->banner->package},
              {"distribution", OrNull(libc->banner->distribution)},
              {"revision", OrNull(libc->banner->revision)}};
  }
  return {{"interpreter", libc->interpreter},
          {"loader_path", libc->loader_path},
          {"loader_build_id", OrNull(libc->loader_build_id)},
          {"libc_path", OrNull(libc->libc_path)},
          {"libc_build_id", OrNull(libc->libc_build_id)},
          {"banner", banner},
          {"package_version", OrNull(libc->package_version)}};
}

Json Glibc(const std::optional<GlibcInspection>& glibc) {
  if (!glibc.has_value()) return nullptr;
  return {{"installed", Installed(glibc->libc)},
          {"build", glibc->build},
          {"note", glibc->note},
          {"problems", glibc->problems},
          {"is_listed", glibc->is_listed},
          {"loader_warnings", glibc->loader_warnings},
          {"thresholds", Array(glibc->thresholds, &Threshold)},
          {"tunables", OrNull(glibc->tunables)}};
}

}  // namespace

std::string RenderInspectionJson(const Inspection& inspection) {
  const Json json = {
      {"schema_version", kSchemaVersion},
      {"tool_version", inspection.tool_version},
      {"origin", inspection.origin},
      {"format", inspection.format},
      {"notes", inspection.notes},
      {"caches_told", inspection.caches_told},
      {"cores", Array(inspection.cores, &Core)},
      {"sysfs", Sysfs(inspection.sysfs)},
      {"disagreements", Array(inspection.disagreements, &Disagreement)},
      {"glibc", Glibc(inspection.glibc)}};
  return JsonText(json, 2) + "\n";
}

}  // namespace advisor
