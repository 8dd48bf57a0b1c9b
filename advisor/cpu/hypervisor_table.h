// Hypervisors and emulators, as far as CPUID tells them.

#ifndef ADVISOR_CPU_HYPERVISOR_TABLE_H_
#define ADVISOR_CPU_HYPERVISOR_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/cpu/cpuid_source.h"

namespace advisor {

enum class HypervisorKind {
  kNone,     // the hypervisor bit is clear and nothing else gives one away
  kUnknown,  // the bit is set, and no signature is known
  kAcrn,
  kApple,
  kBhyve,
  kHaxm,
  kHyperV,
  kJailhouse,
  kKvm,
  kNvmm,
  kOpenBsdVmm,
  kParallels,
  kQemuTcg,
  kQnx,
  kSre,
  kValgrind,
  kVirtualBox,
  kVmware,
  kXen,
};

struct HypervisorRow {
  // EBX, ECX, EDX of the range's first leaf, NULs and blanks at the ends cut
  // off.
  absl::string_view signature;
  HypervisorKind kind;
  absl::string_view name;
  // Others imitate it, so that a second range decides (see DecodeHypervisor).
  bool imitated;
  absl::string_view source;
};

// Sorted by signature, which is unique. gVisor, Firecracker and Cloud
// Hypervisor have none of their own: guests of all three see KVM's, or in
// gVisor the host's CPUID.
absl::Span<const HypervisorRow> HypervisorTable();

// One range of leaves for hypervisors, 0x40000000 or a later step of 0x100.
struct HypervisorRange {
  uint32_t base = 0;
  uint32_t highest_leaf = 0;
  std::string signature;
};

struct Hypervisor {
  HypervisorKind kind = HypervisorKind::kNone;
  // "KVM", "Hyper-V", "unknown (signature \"...\")", "none".
  std::string name = "none";
  // CPUID.1:ECX[31]. Clear under Valgrind, and where a host hides itself.
  bool guest_bit = false;
  std::vector<HypervisorRange> ranges;
  // A hypervisor that offers Hyper-V's interface to its guests and is not
  // Hyper-V ("Microsoft Hv" at 0x40000000, its own signature above).
  bool offers_hyper_v = false;
  // What may stand behind a signature that several share: "Firecracker" by its
  // brand strings. Empty: nothing is known. A hint, not a fact.
  std::string hint;
  // Leaf 0x21 says "IntelTDX    ": this is a TDX guest.
  bool tdx = false;
  // Leaf 0x8000001F EAX[1], [3], [4]. The (virtual) processor has SEV, SEV-ES,
  // SEV-SNP. A host has them too; whether this guest is encrypted stands in an
  // MSR that programs cannot read.
  bool sev = false;
  bool sev_es = false;
  bool sev_snp = false;

  bool is_guest() const { return kind != HypervisorKind::kNone; }
};

// `brand`: the brand string of leaves 0x80000002 to 0x80000004. Of several
// known signatures, one that is not imitated wins; among equals the higher
// range, as in Linux (detect_hypervisor_vendor).
Hypervisor DecodeHypervisor(const CpuidSource& cpu, absl::string_view brand);

// "KVM with Hyper-V's interface (maybe Firecracker), TDX".
std::string DescribeHypervisor(const Hypervisor& hypervisor);

}  // namespace advisor

#endif  // ADVISOR_CPU_HYPERVISOR_TABLE_H_
