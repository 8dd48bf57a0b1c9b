#include "advisor/cpu/topology.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace advisor {
namespace {

constexpr uint32_t kMaxLevels = 8;

absl::string_view LevelName(uint32_t type) {
  constexpr absl::string_view kNames[] = {"?",      "SMT",  "core",
                                          "module", "tile", "die"};
  return type < 6 ? kNames[type] : "?";
}

// Intel SDM volume 2A, leaves 0xB and 0x1F: levels in rising order until the
// type is 0; subleaf 0 with EBX = 0 means that the leaf tells nothing.
TopologyLeaf DecodeTopologyLeaf(const CpuidSource& cpu, uint32_t leaf) {
  TopologyLeaf result{BasicLeafFact(cpu, leaf), {}};
  if (result.fact.state != LeafState::kGood) return result;
  const auto malformed = [&](std::string reason) {
    result.fact.state = LeafState::kMalformed;
    result.fact.reason = std::move(reason);
  };
  for (uint32_t subleaf = 0;; ++subleaf) {
    if (subleaf == kMaxLevels) {
      malformed("it does not end");
      break;
    }
    const CpuidRegisters answer = cpu.Execute(leaf, subleaf);
    TopologyLevel level;
    level.subleaf = subleaf;
    level.type = answer.ecx >> 8 & 0xff;
    level.shift = answer.eax & 0x1f;
    level.logical_cpus = answer.ebx & 0xffff;
    if (level.type == 0) break;
    if (level.logical_cpus == 0) {
      malformed(absl::StrFormat("subleaf %d counts no CPU", subleaf));
      break;
    }
    if (!result.levels.empty() && (level.type <= result.levels.back().type ||
                                   level.shift < result.levels.back().shift)) {
      malformed(
          absl::StrFormat("subleaf %d is not above the one before", subleaf));
    }
    result.levels.push_back(level);
  }
  // EDX holds the x2APIC id even where nothing else is told.
  if (result.levels.empty() && result.fact.state == LeafState::kGood) {
    result.fact.state = LeafState::kZero;
  }
  return result;
}

void DecodeAmd(const CpuidSource& cpu, Topology* topology) {
  if (const auto answer = QueryAnnounced(cpu, 0x80000008); answer) {
    topology->amd_thread_count = (answer->ecx & 0xff) + 1;
    topology->amd_apic_id_size = answer->ecx >> 12 & 0xf;
  }
  if (topology->leaf_8000001e.state == LeafState::kGood) {
    const CpuidRegisters answer = cpu.Execute(0x8000001e);
    topology->amd_threads_per_core = (answer.ebx >> 8 & 0xff) + 1;
    topology->amd_nodes_per_processor = (answer.ecx >> 8 & 7) + 1;
  }
}

std::string DescribeLevels(absl::string_view name, const TopologyLeaf& leaf) {
  if (leaf.levels.empty()) {
    return absl::StrCat("; ", name, " ", LeafStateName(leaf.fact.state));
  }
  std::string text = absl::StrCat("; ", name, ":");
  for (const TopologyLevel& level : leaf.levels) {
    absl::StrAppend(&text, " ", LevelName(level.type), " ", level.logical_cpus);
  }
  return text;
}

}  // namespace

const TopologyLevel* TopologyLeaf::Find(uint32_t type) const {
  for (const TopologyLevel& level : levels) {
    if (level.type == type) return &level;
  }
  return nullptr;
}

Topology DecodeTopology(const CpuidSource& cpu, bool is_amd) {
  Topology topology;
  if (const auto answer = QueryAnnounced(cpu, 1); answer.has_value()) {
    topology.htt = (answer->edx >> 28 & 1) != 0;
    topology.logical_count = answer->ebx >> 16 & 0xff;
    topology.initial_apic_id = answer->ebx >> 24;
  }
  if (BasicLeafFact(cpu, 4).state == LeafState::kGood) {
    topology.core_ids = (cpu.Execute(4, 0).eax >> 26) + 1;
  }
  topology.leaf_b = DecodeTopologyLeaf(cpu, 0xb);
  topology.leaf_1f = DecodeTopologyLeaf(cpu, 0x1f);
  topology.leaf_80000008 = BasicLeafFact(cpu, 0x80000008);
  topology.leaf_8000001e = BasicLeafFact(cpu, 0x8000001e);
  if (const auto answer = QueryAnnounced(cpu, 0x80000001); answer && is_amd) {
    topology.topoext = (answer->ecx >> 22 & 1) != 0;
  }
  if (is_amd) DecodeAmd(cpu, &topology);
  return topology;
}

std::string DescribeTopology(const Topology& topology) {
  std::string text =
      absl::StrFormat("HTT %s, %d logical CPU id%s in the package",
                      topology.htt ? "set" : "clear", topology.logical_count,
                      topology.logical_count == 1 ? "" : "s");
  absl::StrAppend(&text, DescribeLevels("leaf 0xB", topology.leaf_b));
  if (topology.leaf_1f.fact.state != LeafState::kAbsent) {
    absl::StrAppend(&text, DescribeLevels("leaf 0x1F", topology.leaf_1f));
  }
  if (topology.amd_thread_count.has_value()) {
    absl::StrAppend(&text, "; leaf 0x80000008: ", *topology.amd_thread_count,
                    *topology.amd_thread_count == 1 ? " thread" : " threads");
  }
  if (topology.amd_threads_per_core.has_value()) {
    absl::StrAppend(&text,
                    "; leaf 0x8000001E: ", *topology.amd_threads_per_core,
                    " per core");
  }
  return text;
}

}  // namespace advisor
