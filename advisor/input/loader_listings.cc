// Saved output of ld.so --list-diagnostics and --list-tunables.
//
// From glibc 2.40 on the diagnostics hold CPUID of every CPU. Before, they have
// the registers of the feature leaves that glibc keeps: indices of
// <sys/platform/x86.h> as in kFeatureLeaves.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "advisor/glibc/loader_listing.h"
#include "advisor/input/core_kinds.h"
#include "advisor/input/formats.h"
#include "advisor/input/input_text.h"

namespace advisor {
namespace {

struct FeatureLeafRow {
  uint32_t index;
  uint32_t leaf;
  uint32_t subleaf;
};

// sysdeps/x86/bits/platform/x86.h of 2.33 and later (CPUID_INDEX_1, ...).
constexpr FeatureLeafRow kFeatureLeaves[] = {
    {0, 1, 0},          {1, 7, 0},          {2, 0x80000001, 0}, {3, 0xd, 1},
    {4, 0x80000007, 0}, {5, 0x80000008, 0}, {6, 7, 1},
};

constexpr uint32_t kExtendedBase = 0x80000000;
constexpr uint32_t kHygonFamily = 0x18;

// EBX, EDX, ECX of leaf 0.
struct VendorWords {
  uint32_t ebx;
  uint32_t edx;
  uint32_t ecx;
};

// nullopt for "other", of which the listing does not tell the name.
std::optional<VendorWords> VendorOf(const DiagnosticsListing& listing) {
  constexpr VendorWords kIntel = {0x756e6547, 0x49656e69, 0x6c65746e};
  constexpr VendorWords kAmd = {0x68747541, 0x69746e65, 0x444d4163};
  constexpr VendorWords kHygon = {0x6f677948, 0x6e65476e, 0x656e6975};
  // The other name is "  Shanghai  "; glibc treats both alike.
  constexpr VendorWords kCentaur = {0x746e6543, 0x48727561, 0x736c7561};
  const uint32_t family = listing.family.value_or(0);
  switch (listing.kind.value_or(0)) {
    case 1:
      return kIntel;
    case 2:
      return family == kHygonFamily ? kHygon : kAmd;
    case 3:
      return kCentaur;
    case 4:
      // Hygon from 2.41 on; "other" before that has no family.
      if (family == kHygonFamily) return kHygon;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<CpuidRegisters> RegistersOf(const FeatureWords& words) {
  for (const auto& word : words.cpuid) {
    if (!word.has_value()) return std::nullopt;
  }
  return CpuidRegisters{*words.cpuid[0], *words.cpuid[1], *words.cpuid[2],
                        *words.cpuid[3]};
}

bool IsActive(const DiagnosticsListing& listing, uint32_t index, int word,
              int bit) {
  const auto entry = listing.features.find(index);
  return entry != listing.features.end() &&
         (entry->second.active[word].value_or(0) >> bit & 1) != 0;
}

// The least that XCR0 holds: AVX and AVX512F are active only with their states.
uint64_t LeastXcr0(const DiagnosticsListing& listing) {
  uint64_t xcr0 = 0x3;
  if (IsActive(listing, 0, 2, 28)) xcr0 |= 0x4;
  if (IsActive(listing, 1, 1, 16)) xcr0 |= 0xe0;
  return xcr0;
}

// The feature leaves. nullopt where vendor, leaf 1 or leaf 7 is not told.
std::optional<CpuidTable> FeatureTableOf(const DiagnosticsListing& listing) {
  const std::optional<VendorWords> vendor = VendorOf(listing);
  if (!vendor.has_value() || !listing.max_cpuid.has_value()) {
    return std::nullopt;
  }
  CpuidTable table;
  uint32_t highest_extended = kExtendedBase;
  for (const FeatureLeafRow& row : kFeatureLeaves) {
    const auto words = listing.features.find(row.index);
    if (words == listing.features.end()) continue;
    const auto registers = RegistersOf(words->second);
    if (!registers.has_value()) continue;
    const bool is_extended = row.leaf >= kExtendedBase;
    // glibc keeps zeros for a leaf that the CPU lacks.
    if (is_extended && *registers == CpuidRegisters{}) continue;
    if (!is_extended && row.leaf > *listing.max_cpuid) continue;
    table.Set(row.leaf, row.subleaf, *registers);
    if (is_extended) highest_extended = std::max(highest_extended, row.leaf);
  }
  table.Set(0, 0, {*listing.max_cpuid, vendor->ebx, vendor->ecx, vendor->edx});
  table.Set(kExtendedBase, 0, {highest_extended, 0, 0, 0});
  const std::optional<CpuidRegisters> leaf1 = table.Query(1);
  if (!leaf1.has_value() ||
      (*listing.max_cpuid >= 7 && !table.Query(7).has_value())) {
    return std::nullopt;
  }
  if ((leaf1->ecx >> 27 & 1) != 0) table.SetXcr0(LeastXcr0(listing));
  return table;
}

// CPUs of which the whole dump is there.
std::vector<NumberedCpu> WholeProcessors(const DiagnosticsListing& listing) {
  std::vector<NumberedCpu> cpus;
  for (const ListedProcessor& processor : listing.processors) {
    if (!processor.complete || !processor.cpuid.Query(0).has_value()) continue;
    cpus.push_back(
        {processor.observed.value_or(processor.index), processor.cpuid});
  }
  return cpus;
}

// AVX that the CPU and system offer and that this process did not have.
bool IsAvxOff(const DiagnosticsListing& listing) {
  const auto leaf1 = listing.features.find(0);
  if (leaf1 == listing.features.end()) return false;
  const uint32_t ecx = leaf1->second.cpuid[2].value_or(0);
  return (ecx >> 27 & 1) != 0 && (ecx >> 28 & 1) != 0 &&
         leaf1->second.active[2].has_value() && !IsActive(listing, 0, 2, 28);
}

bool IsDiagnosticsLine(absl::string_view line) {
  for (const absl::string_view start :
       {"x86.cpu_features.", "x86.processor[", "dl_platform=", "dl_hwcap=",
        "version.version=", "dl_discover_osversion="}) {
    if (absl::StartsWith(line, start)) return true;
  }
  return false;
}

bool IsTunableLine(absl::string_view line) {
  return absl::StartsWith(line, "glibc.") && absl::StrContains(line, ": ") &&
         !absl::StrContains(line.substr(0, line.find(':')), " ");
}

}  // namespace

bool LooksLikeDiagnostics(absl::string_view front) {
  return AnyLine(front, IsDiagnosticsLine);
}

absl::StatusOr<MachineInput> ParseDiagnostics(absl::string_view text,
                                              absl::string_view name) {
  absl::StatusOr<DiagnosticsListing> listing =
      ParseDiagnosticsListing(text, name);
  if (!listing.ok()) return listing.status();
  MachineInput input;
  input.name = std::string(name);
  input.warnings = listing->warnings;
  std::vector<NumberedCpu> cpus = WholeProcessors(*listing);
  if (!cpus.empty()) {
    AddCores(std::move(cpus), &input);
    input.has_cache_leaves = true;
    input.has_features = true;
  } else {
    if (std::optional<CpuidTable> table = FeatureTableOf(*listing)) {
      AddCores({{0, *std::move(table)}}, &input);
      input.has_features = true;
      if (IsAvxOff(*listing)) {
        input.warnings.push_back(
            "AVX is there and was not active when this was listed: XCR0 lacks "
            "its state, or GLIBC_TUNABLES masked it; it is taken to lack");
      }
    } else {
      input.unknown.push_back(
          {"vendor, family, model and features (leaves 0, 1, 7, 0x80000001)",
           "cpuid -r"});
    }
    input.unknown.push_back(
        {"caches and who shares them (the listing has CPUID from glibc 2.40 "
         "on)",
         "cpuid -r"});
  }
  input.diagnostics = *std::move(listing);
  return input;
}

bool LooksLikeTunables(absl::string_view front) {
  return AnyLine(front, IsTunableLine);
}

absl::StatusOr<MachineInput> ParseTunablesList(absl::string_view text,
                                               absl::string_view name) {
  absl::StatusOr<TunablesListing> listing = ParseTunablesListing(text, name);
  if (!listing.ok()) return listing.status();
  MachineInput input;
  input.name = std::string(name);
  input.warnings = listing->warnings;
  input.tunables = *std::move(listing);
  input.unknown.push_back(
      {"the CPU: vendor, features, caches (all leaves of CPUID)", "cpuid -r"});
  input.unknown.push_back(
      {"glibc's release, rep_movsb_stop_threshold and preferred flags",
       "ld.so --list-diagnostics"});
  return input;
}

}  // namespace advisor
