// Readings of a machine and a prediction that the rows of hazard_table.cc
// share.

#ifndef ADVISOR_EVIDENCE_HAZARD_FACTS_H_
#define ADVISOR_EVIDENCE_HAZARD_FACTS_H_

#include <cstdint>
#include <optional>

#include "advisor/cpu/cache_claims.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/evidence/hazard.h"
#include "advisor/glibc/copy_path.h"

namespace advisor {

// Bytes of the memmove variant's vectors; 0 for one without.
int VectorSize(const HazardFacts& facts);

// As in copy_path.h, for the predicted variant and thresholds.
bool ReadsNonTemporal(const HazardFacts& facts);
std::optional<SizeRange> CorruptedSizes(const HazardFacts& facts);

// Sizes that memmove copies by `rep movsb`, between buffers far apart.
std::optional<SizeRange> RepMovsbSizes(const HazardFacts& facts);

// EAX of the first leaf 4 entry of that level (of data, for level 1), with its
// subleaf.
struct Leaf4Entry {
  uint32_t subleaf;
  uint32_t sharing_field;  // EAX[25:14], low ten bits
};
std::optional<Leaf4Entry> FindLeaf4(const CpuidSource& cpu, uint32_t level);

// The claim that the build takes L3 from; nullptr for none.
const CacheClaim* UsedL3(const HazardFacts& facts);

// Why non_temporal_threshold is what it is, where that is wrong.
HazardCause NonTemporalCause(const HazardFacts& facts);
HazardCause CacheLeavesCause(const HazardFacts& facts);
HazardCause VendorCause(const HazardFacts& facts);

}  // namespace advisor

#endif  // ADVISOR_EVIDENCE_HAZARD_FACTS_H_
