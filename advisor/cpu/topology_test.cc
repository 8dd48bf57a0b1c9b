#include "advisor/cpu/topology.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

// Two threads a core, `logical` in the package.
CpuidTable Intel(uint32_t logical) {
  CpuidTable cpu;
  cpu.Set(0, 0, {0x1f, 0, 0, 0});
  cpu.Set(1, 0, {0, 0x05400800, 0, 1u << 28});
  cpu.Set(4, 0, {0x3c000121, 0x01c0003f, 0x3f, 0});
  cpu.Set(0xb, 0, {1, 2, 0x100, 7});
  cpu.Set(0xb, 1, {5, logical, 0x201, 7});
  cpu.Set(0xb, 2, {0, 0, 2, 7});
  return cpu;
}

TEST(DecodeTopologyTest, ReadsLevels) {
  const Topology topology = DecodeTopology(Intel(30), false);
  EXPECT_TRUE(topology.htt);
  EXPECT_EQ(topology.logical_count, 64);
  EXPECT_EQ(topology.initial_apic_id, 5);
  EXPECT_THAT(topology.core_ids, Optional(16));
  ASSERT_EQ(topology.leaf_b.levels.size(), 2);
  EXPECT_EQ(topology.leaf_b.fact.state, LeafState::kGood);
  EXPECT_EQ(topology.leaf_b.Find(1)->logical_cpus, 2);
  EXPECT_EQ(topology.leaf_b.Find(2)->logical_cpus, 30);
  EXPECT_EQ(topology.leaf_b.Find(5), nullptr);
  EXPECT_EQ(topology.leaf_1f.fact.state, LeafState::kAbsent);
  EXPECT_EQ(topology.amd_thread_count, std::nullopt);
  EXPECT_EQ(DescribeTopology(topology),
            "HTT set, 64 logical CPU ids in the package; leaf 0xB: SMT 2 "
            "core 30");
}

TEST(DecodeTopologyTest, CountsMoreThanAByte) {
  EXPECT_EQ(DecodeTopology(Intel(257), false).leaf_b.Find(2)->logical_cpus,
            257);
}

TEST(DecodeTopologyTest, AbsentZeroAndMalformedDiffer) {
  CpuidTable cpu = Intel(30);
  cpu.Set(0, 0, {0xa, 0, 0, 0});
  EXPECT_EQ(DecodeTopology(cpu, false).leaf_b.fact.state, LeafState::kAbsent);
  cpu = Intel(30);
  cpu.Remove(0xb);
  cpu.Set(0xb, 0, {0, 0, 0, 0});
  EXPECT_EQ(DecodeTopology(cpu, false).leaf_b.fact.state, LeafState::kZero);
  // The x2APIC id alone tells nothing.
  cpu.Set(0xb, 0, {0, 0, 0, 7});
  EXPECT_EQ(DecodeTopology(cpu, false).leaf_b.fact.state, LeafState::kZero);
  cpu = Intel(0);
  const TopologyLeaf leaf = DecodeTopology(cpu, false).leaf_b;
  EXPECT_EQ(leaf.fact.state, LeafState::kMalformed);
  EXPECT_THAT(leaf.fact.reason, HasSubstr("subleaf 1 counts no CPU"));
  EXPECT_EQ(leaf.levels.size(), 1);
}

TEST(DecodeTopologyTest, ALevelThatRepeatsIsMalformed) {
  CpuidTable cpu = Intel(30);
  for (uint32_t subleaf = 0; subleaf < 20; ++subleaf) {
    cpu.Set(0xb, subleaf, {1, 2, 0x100, 0});
  }
  const TopologyLeaf leaf = DecodeTopology(cpu, false).leaf_b;
  EXPECT_EQ(leaf.fact.state, LeafState::kMalformed);
  EXPECT_LT(leaf.levels.size(), 20);
}

TEST(DecodeTopologyTest, ReadsAmdLeavesForAmdOnly) {
  CpuidTable cpu = Intel(16);
  cpu.Set(0x80000000, 0, {0x8000001e, 0, 0, 0});
  cpu.Set(0x80000001, 0, {0, 0, 1u << 22, 0});
  cpu.Set(0x80000008, 0, {0x3030, 0, 0x707f, 0});
  cpu.Set(0x8000001e, 0, {0, 0x0100, 0x0300, 0});
  const Topology amd = DecodeTopology(cpu, true);
  EXPECT_TRUE(amd.topoext);
  EXPECT_THAT(amd.amd_thread_count, Optional(128));
  EXPECT_THAT(amd.amd_apic_id_size, Optional(7));
  EXPECT_THAT(amd.amd_threads_per_core, Optional(2));
  EXPECT_THAT(amd.amd_nodes_per_processor, Optional(4));
  const Topology intel = DecodeTopology(cpu, false);
  EXPECT_EQ(intel.amd_thread_count, std::nullopt);
  EXPECT_FALSE(intel.topoext);
  EXPECT_EQ(intel.leaf_80000008.state, LeafState::kGood);
}

}  // namespace
}  // namespace advisor
