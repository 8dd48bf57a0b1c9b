// What CPUID says about a processor or guest, decoded once. Everything above
// (glibc's thresholds and choices, the rules, the reports) reads this.

#ifndef ADVISOR_CPU_CPU_MODEL_H_
#define ADVISOR_CPU_CPU_MODEL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "advisor/cpu/cache_claims.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/cpu/feature_table.h"
#include "advisor/cpu/hypervisor_table.h"
#include "advisor/cpu/leaf_state.h"
#include "advisor/cpu/microarchitecture_table.h"
#include "advisor/cpu/topology.h"

namespace advisor {

struct FamilyModelStepping {
  uint32_t family = 0;
  uint32_t model = 0;
  uint32_t stepping = 0;

  bool operator==(const FamilyModelStepping& other) const {
    return family == other.family && model == other.model &&
           stepping == other.stepping;
  }
};

// As the vendors' manuals count (DisplayFamily, DisplayModel): the extended
// model counts in family 6 and from 15 on; in family 7 too for Zhaoxin.
FamilyModelStepping ArchitecturalSignature(VendorKind vendor, uint32_t eax);

// As glibc counts them for a vendor that it knows (init_cpu_features in
// cpu-features.c, 2.26 to 2.42): the extended family and model from family 15
// on, the extended model besides in Intel's family 6 and in every Zhaoxin.
// All zero for VendorKind::kOther, for which glibc does not read leaf 1: pass
// it for a vendor that the release in question does not know.
FamilyModelStepping GlibcSignature(VendorKind vendor, uint32_t eax);

struct CpuModel {
  // The twelve bytes of leaf 0, and the brand string without padding.
  std::string vendor;
  VendorKind vendor_kind = VendorKind::kOther;
  std::string brand;
  // CPUID.1:EAX.
  uint32_t signature = 0;
  FamilyModelStepping architectural;
  // As the newest glibc counts (see GlibcSignature for others).
  FamilyModelStepping glibc;
  // nullptr: the table lacks it.
  const MicroarchitectureRow* microarchitecture = nullptr;

  uint32_t max_leaf = 0;                      // CPUID.0:EAX
  std::optional<uint32_t> max_extended_leaf;  // CPUID.0x80000000:EAX
  std::optional<uint64_t> xcr0;

  std::vector<FeatureState> features;
  CacheClaims caches;
  Topology topology;
  Hypervisor hypervisor;

  // The state of each leaf that matters here, by leaf: those of the caches and
  // of the topology, and 7, 0xD, 0x21, 0x8000001F.
  std::vector<LeafFact> leaf_facts;
  // Leaves up to max_leaf that the source does not tell. A dump with many of
  // them was not made by reading a processor.
  std::vector<uint32_t> untold_leaves;

  bool is_guest() const { return hypervisor.is_guest(); }
  // Names by FeatureTable; false for a name that it lacks.
  bool HasCpuidBit(absl::string_view feature) const;
  bool IsUsable(absl::string_view feature) const;
  LeafState StateOf(uint32_t leaf) const;
  // "Ivy Bridge", "unknown".
  absl::string_view microarchitecture_name() const;
};

// Never fails: what is missing or senseless is a fact of the model.
CpuModel DecodeCpuModel(const CpuidSource& cpu);

// "Intel(R) Xeon(R) ... (GenuineIntel 6/62/7, Ivy Bridge), guest of KVM".
std::string DescribeCpuModel(const CpuModel& model);

}  // namespace advisor

#endif  // ADVISOR_CPU_CPU_MODEL_H_
