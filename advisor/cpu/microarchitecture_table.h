// Micro-architectures by vendor, family and model.

#ifndef ADVISOR_CPU_MICROARCHITECTURE_TABLE_H_
#define ADVISOR_CPU_MICROARCHITECTURE_TABLE_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace advisor {

// By the vendor string of leaf 0. The newest glibc tells these five apart; the
// older ones have fewer (Hygon: "other" up to 2.28, AMD in 2.29 to 2.40;
// Zhaoxin: "other" up to 2.31).
enum class VendorKind { kIntel, kAmd, kHygon, kZhaoxin, kOther };

// "Intel", "AMD", "Hygon", "Zhaoxin", "other".
absl::string_view VendorKindName(VendorKind kind);

// GenuineIntel, AuthenticAMD, HygonGenuine, CentaurHauls and "  Shanghai  ".
VendorKind VendorKindOf(absl::string_view vendor);

struct MicroarchitectureRow {
  VendorKind vendor;
  // As Linux and the vendors' manuals count them (DisplayFamily_DisplayModel).
  uint32_t family;
  uint32_t first_model;
  uint32_t last_model;
  uint32_t first_stepping;
  uint32_t last_stepping;
  // As the vendor calls it.
  absl::string_view name;
  // The word that glibc's cpu-features.c uses for it, in lower case and without
  // prefix; empty where glibc only compares numbers.
  absl::string_view glibc_name;
  absl::string_view source;
};

// Sorted by vendor, family, model, stepping; no two rows overlap.
absl::Span<const MicroarchitectureRow> MicroarchitectureTable();

// nullptr when the table has no such processor.
const MicroarchitectureRow* FindMicroarchitecture(VendorKind vendor,
                                                  uint32_t family,
                                                  uint32_t model,
                                                  uint32_t stepping);

}  // namespace advisor

#endif  // ADVISOR_CPU_MICROARCHITECTURE_TABLE_H_
