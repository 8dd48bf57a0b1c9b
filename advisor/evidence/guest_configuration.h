// Where a hypervisor's configuration decides what a guest's CPUID says: parts
// of the leaves that glibc reads, and QEMU's and libvirt's words for each.

#ifndef ADVISOR_EVIDENCE_GUEST_CONFIGURATION_H_
#define ADVISOR_EVIDENCE_GUEST_CONFIGURATION_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace advisor {

enum class GuestSetting {
  kVendor,         // leaf 0's vendor string
  kHighestLeaves,  // leaf 0 EAX, leaf 0x80000000 EAX
  kCpuModel,       // leaf 1 EAX
  kFeatures,       // bits of leaves 1, 7, 0xD, 0x80000001; XCR0
  kTopology,       // HTT, logical processors, leaf 0xB, sharing fields
  kCacheSizes,     // leaves 2, 4, 0x80000005, 0x80000006
  kAmdCacheLeaf,   // leaf 0x8000001D
};

struct GuestSettingRow {
  GuestSetting setting;
  // What it is: "topology".
  absl::string_view name;
  absl::string_view qemu;
  // Of a domain's XML.
  absl::string_view libvirt;
  absl::string_view source;
};

// In the order of the enumeration.
absl::Span<const GuestSettingRow> AllGuestSettings();
const GuestSettingRow& GuestSettingRowOf(GuestSetting setting);

}  // namespace advisor

#endif  // ADVISOR_EVIDENCE_GUEST_CONFIGURATION_H_
