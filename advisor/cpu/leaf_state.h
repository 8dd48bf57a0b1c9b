// What a CPUID leaf tells, apart from its content. Absent, zero and malformed
// are three different facts: hypervisors hide leaves in each of these ways, and
// each has its own effect on glibc.

#ifndef ADVISOR_CPU_LEAF_STATE_H_
#define ADVISOR_CPU_LEAF_STATE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "advisor/cpu/cpuid_source.h"

namespace advisor {

enum class LeafState {
  kAbsent,     // above the highest leaf, or the source does not tell
  kZero,       // there, and all its registers are zero
  kMalformed,  // there, and it cannot mean what it says
  kGood,
};

// "absent", "zero", "malformed", "good".
absl::string_view LeafStateName(LeafState state);

// One leaf or group of leaves.
struct LeafFact {
  uint32_t leaf = 0;
  LeafState state = LeafState::kAbsent;
  // Why it is absent or malformed; empty otherwise.
  std::string reason;
};

// "leaf 0x00000002: malformed (low byte 0x00, expected 0x01)".
std::string DescribeLeafFact(const LeafFact& fact);

// The highest leaf of the range that holds `leaf`, as the range's first leaf
// says it. nullopt when the source does not tell or the answer lies outside of
// the range (Intel processors answer so for a range that they lack).
std::optional<uint32_t> HighestLeaf(const CpuidSource& cpu, uint32_t leaf);

// The answer of a leaf that its range announces; nullopt for one above the
// highest leaf, whatever CPUID would give there.
std::optional<CpuidRegisters> QueryAnnounced(const CpuidSource& cpu,
                                             uint32_t leaf,
                                             uint32_t subleaf = 0);

// Absent with its reason, zero, or good: the part that all leaves share.
LeafFact BasicLeafFact(const CpuidSource& cpu, uint32_t leaf);

}  // namespace advisor

#endif  // ADVISOR_CPU_LEAF_STATE_H_
