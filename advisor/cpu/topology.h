// What CPUID tells about logical CPUs, cores and packages.

#ifndef ADVISOR_CPU_TOPOLOGY_H_
#define ADVISOR_CPU_TOPOLOGY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advisor/cpu/cpuid_source.h"
#include "advisor/cpu/leaf_state.h"

namespace advisor {

// One subleaf of leaf 0xB or 0x1F.
struct TopologyLevel {
  uint32_t subleaf = 0;
  // ECX[15:8]: 1 SMT, 2 core, 3 module, 4 tile, 5 die.
  uint32_t type = 0;
  // EAX[4:0]: bits of the x2APIC id below the next level.
  uint32_t shift = 0;
  // EBX[15:0]: logical CPUs at this level; glibc reads EBX[7:0].
  uint32_t logical_cpus = 0;
};

struct TopologyLeaf {
  LeafFact fact;
  std::vector<TopologyLevel> levels;

  // nullptr when no level has the type.
  const TopologyLevel* Find(uint32_t type) const;
};

struct Topology {
  // CPUID.1:EDX[28] (HTT in glibc's words): whether the next number counts.
  bool htt = false;
  // CPUID.1:EBX[23:16] (LPC): logical CPU ids in the package.
  uint32_t logical_count = 0;
  // CPUID.1:EBX[31:24].
  uint32_t initial_apic_id = 0;
  // CPUID.4.0:EAX[31:26] + 1: core ids in the package. nullopt without leaf 4.
  std::optional<uint32_t> core_ids;
  TopologyLeaf leaf_b;
  TopologyLeaf leaf_1f;

  // AMD. Leaf 0x80000008.
  LeafFact leaf_80000008;
  std::optional<uint32_t> amd_thread_count;  // ECX[7:0] + 1
  std::optional<uint32_t> amd_apic_id_size;  // ECX[15:12]
  // Leaf 0x8000001E, which counts when topoext is set.
  LeafFact leaf_8000001e;
  std::optional<uint32_t> amd_threads_per_core;     // EBX[15:8] + 1
  std::optional<uint32_t> amd_nodes_per_processor;  // ECX[10:8] + 1
  // CPUID.0x80000001:ECX[22] (TopologyExtensions): leaves 0x8000001D and
  // 0x8000001E are announced. Some hypervisors answer them without it.
  bool topoext = false;
};

// `is_amd`: the vendor is AMD or Hygon; for others the AMD fields stay unknown.
Topology DecodeTopology(const CpuidSource& cpu, bool is_amd);

// "HTT set, 8 logical CPU ids in the package; leaf 0xB: 2 per core, 8 in all".
std::string DescribeTopology(const Topology& topology);

}  // namespace advisor

#endif  // ADVISOR_CPU_TOPOLOGY_H_
