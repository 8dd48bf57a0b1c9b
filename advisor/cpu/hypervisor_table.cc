#include "advisor/cpu/hypervisor_table.h"

#include <initializer_list>
#include <optional>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "advisor/cpu/leaf_state.h"

namespace advisor {
namespace {

using K = HypervisorKind;

// signature, kind, name, imitated, source
constexpr HypervisorRow kRows[] = {
    {"ACRNACRNACRN", K::kAcrn, "ACRN", false,
     "Linux arch/x86/include/asm/acrn.h"},
    {"Apple VZ", K::kApple, "Apple", false, "systemd src/basic/virt.c"},
    {"BHyVE BHyVE", K::kBhyve, "bhyve", false, "stress-ng's list, early bhyve"},
    {"HAXMHAXMHAXM", K::kHaxm, "HAXM", false, "intel/haxm"},
    {"Jailhouse", K::kJailhouse, "Jailhouse", false,
     "Linux arch/x86/kernel/jailhouse.c"},
    {"KVMKVMKVM", K::kKvm, "KVM", true,
     "Linux Documentation/virt/kvm/x86/cpuid.rst; VirtualBox shows it to "
     "Linux guests too"},
    {"Linux KVM Hv", K::kKvm, "KVM", false,
     "Linux arch/x86/kvm/hyperv.c (KVM_GET_SUPPORTED_HV_CPUID)"},
    {"Microsoft Hv", K::kHyperV, "Hyper-V", true,
     "Microsoft, Hypervisor Top-Level Functional Specification, section 2.4"},
    {"OpenBSDVMM58", K::kOpenBsdVmm, "OpenBSD vmm", false, "OpenBSD vmm(4)"},
    {"QNXQVMBSQG", K::kQnx, "QNX", false, "systemd src/basic/virt.c"},
    {"SRESRESRESRE", K::kSre, "SRE", false, "systemd src/basic/virt.c"},
    {"TCGTCGTCGTCG", K::kQemuTcg, "QEMU TCG", false,
     "QEMU target/i386/cpu.c; qemu-user too"},
    {"VBoxVBoxVBox", K::kVirtualBox, "VirtualBox", false,
     "VirtualBox where it offers no other hypervisor's interface"},
    {"VMwareVMware", K::kVmware, "VMware", false,
     "Linux arch/x86/kernel/cpu/vmware.c"},
    {"VirtualApple", K::kApple, "Apple", false, "fwupd's list, Rosetta 2"},
    {"XenVMMXenVMM", K::kXen, "Xen", false,
     "Linux arch/x86/include/asm/xen/hypervisor.h"},
    {"___ NVMM ___", K::kNvmm, "NVMM", false, "NetBSD nvmm(4)"},
    {"bhyve bhyve", K::kBhyve, "bhyve", false, "FreeBSD sys/amd64/vmm/x86.c"},
    {"lrpepyh  vr", K::kParallels, "Parallels", false,
     "stress-ng's list: the last row's words in another byte order"},
    {"lrpepyh vr", K::kParallels, "Parallels", false, "fwupd's list"},
    {"prl hyperv", K::kParallels, "Parallels", false, "stress-ng's list"},
};

constexpr uint32_t kBase = 0x40000000;
constexpr uint32_t kEnd = 0x40010000;
constexpr uint32_t kStep = 0x100;

std::string Text(std::initializer_list<uint32_t> words) {
  std::string text;
  for (const uint32_t word : words) {
    for (int shift = 0; shift < 32; shift += 8) {
      text.push_back(static_cast<char>(word >> shift));
    }
  }
  return text;
}

// Hypervisors differ in how they fill twelve bytes: NULs or blanks, at either
// end.
absl::string_view Trim(absl::string_view signature) {
  constexpr absl::string_view kPadding("\0 ", 2);
  const size_t first = signature.find_first_not_of(kPadding);
  if (first == absl::string_view::npos) return "";
  return signature.substr(first,
                          signature.find_last_not_of(kPadding) - first + 1);
}

const HypervisorRow* FindSignature(absl::string_view signature) {
  for (const HypervisorRow& row : kRows) {
    if (row.signature == signature) return &row;
  }
  return nullptr;
}

std::vector<HypervisorRange> FindRanges(const CpuidSource& cpu) {
  std::vector<HypervisorRange> ranges;
  for (uint32_t base = kBase; base < kEnd; base += kStep) {
    const std::optional<CpuidRegisters> answer = cpu.Query(base);
    if (!answer.has_value()) continue;
    const std::string text = Text({answer->ebx, answer->ecx, answer->edx});
    const absl::string_view signature = Trim(text);
    // KVM said EAX = 0 in its first versions; a range that a processor lacks
    // has an EAX of elsewhere, or the range before repeated.
    const bool has_range =
        answer->eax == 0 || (answer->eax >= base && answer->eax < base + kStep);
    if (signature.empty() || !has_range) continue;
    ranges.push_back({base, answer->eax, std::string(signature)});
  }
  return ranges;
}

const HypervisorRow* Choose(const std::vector<HypervisorRange>& ranges) {
  const HypervisorRow* chosen = nullptr;
  for (const HypervisorRange& range : ranges) {
    const HypervisorRow* row = FindSignature(range.signature);
    if (row == nullptr) continue;
    if (chosen == nullptr || chosen->imitated || !row->imitated) chosen = row;
  }
  return chosen;
}

bool HasSignature(const std::vector<HypervisorRange>& ranges,
                  absl::string_view signature) {
  for (const HypervisorRange& range : ranges) {
    if (range.signature == signature) return true;
  }
  return false;
}

// Firecracker writes these brand strings into every guest, whatever the host's
// are (its cpuid crate, brand_string.rs); the frequency where it finds one.
bool IsFirecrackerBrand(absl::string_view brand) {
  constexpr absl::string_view kIntel = "Intel(R) Xeon(R) Processor";
  return brand == kIntel ||
         absl::StartsWith(brand, absl::StrCat(kIntel, " @ ")) ||
         brand == "AMD EPYC";
}

// Valgrind sets no bit. On a host with AVX2 it answers as one particular i7,
// without the FSGSBASE that a real one has (VEX guest_amd64_helpers.c).
bool IsValgrind(const CpuidSource& cpu, absl::string_view brand) {
  const std::optional<CpuidRegisters> leaf7 = QueryAnnounced(cpu, 7, 0);
  return brand == "Intel(R) Core(TM) i7-4910MQ CPU @ 2.90GHz" &&
         leaf7.has_value() && (leaf7->ebx & 1) == 0;
}

void DecodeConfidential(const CpuidSource& cpu, Hypervisor* hypervisor) {
  if (const auto tdx = QueryAnnounced(cpu, 0x21, 0); tdx.has_value()) {
    // EBX, EDX, ECX: the order of leaf 0.
    hypervisor->tdx = Trim(Text({tdx->ebx, tdx->edx, tdx->ecx})) == "IntelTDX";
  }
  if (const auto sev = QueryAnnounced(cpu, 0x8000001f, 0); sev.has_value()) {
    hypervisor->sev = (sev->eax >> 1 & 1) != 0;
    hypervisor->sev_es = (sev->eax >> 3 & 1) != 0;
    hypervisor->sev_snp = (sev->eax >> 4 & 1) != 0;
  }
}

}  // namespace

absl::Span<const HypervisorRow> HypervisorTable() { return kRows; }

Hypervisor DecodeHypervisor(const CpuidSource& cpu, absl::string_view brand) {
  Hypervisor hypervisor;
  DecodeConfidential(cpu, &hypervisor);
  hypervisor.guest_bit = (cpu.Execute(1).ecx >> 31 & 1) != 0;
  if (!hypervisor.guest_bit) {
    if (IsValgrind(cpu, brand)) {
      hypervisor.kind = HypervisorKind::kValgrind;
      hypervisor.name = "Valgrind";
    }
    return hypervisor;
  }
  hypervisor.ranges = FindRanges(cpu);
  const HypervisorRow* row = Choose(hypervisor.ranges);
  if (row == nullptr) {
    hypervisor.kind = HypervisorKind::kUnknown;
    hypervisor.name =
        hypervisor.ranges.empty()
            ? "unknown (no signature)"
            : absl::StrCat("unknown (signature \"",
                           absl::CHexEscape(hypervisor.ranges[0].signature),
                           "\")");
    return hypervisor;
  }
  hypervisor.kind = row->kind;
  hypervisor.name = std::string(row->name);
  hypervisor.offers_hyper_v = row->kind != HypervisorKind::kHyperV &&
                              HasSignature(hypervisor.ranges, "Microsoft Hv");
  if (row->kind == HypervisorKind::kKvm && IsFirecrackerBrand(brand)) {
    hypervisor.hint = "Firecracker";
  }
  return hypervisor;
}

std::string DescribeHypervisor(const Hypervisor& hypervisor) {
  std::string text = hypervisor.name;
  if (hypervisor.offers_hyper_v) {
    absl::StrAppend(&text, " with Hyper-V's interface");
  }
  if (!hypervisor.hint.empty()) {
    absl::StrAppend(&text, " (maybe ", hypervisor.hint, ")");
  }
  if (hypervisor.tdx) absl::StrAppend(&text, ", TDX");
  if (hypervisor.sev_snp) {
    absl::StrAppend(&text, ", SEV-SNP capable");
  } else if (hypervisor.sev_es) {
    absl::StrAppend(&text, ", SEV-ES capable");
  } else if (hypervisor.sev) {
    absl::StrAppend(&text, ", SEV capable");
  }
  return text;
}

}  // namespace advisor
