#include "advisor/input/linux_cpu.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "advisor/cpu/feature_table.h"

namespace advisor {
namespace {

struct FlagNameRow {
  absl::string_view feature;
  absl::string_view flag;
};

// feature, Linux's flag where it is not the feature in lower case; empty: not
// shown. Source: arch/x86/include/asm/cpufeatures.h of Linux 6.12, whose
// generated table leaves out the lines with an empty name in quotes (before
// 6.11) or without one (since).
// Sorted by feature.
constexpr FlagNameRow kFlagNames[] = {
    {"APX_F", "apx"},
    {"AVX10", ""},
    {"AVX512_IFMA", "avx512ifma"},
    {"AVX512_VBMI", "avx512vbmi"},
    {"CMPXCHG16B", "cx16"},
    {"FSRCS", ""},
    {"FSRS", ""},
    {"FZLRM", ""},
    {"HTT", "ht"},
    {"LAHF64_SAHF64", "lahf_lm"},
    {"LZCNT", "abm"},
    {"OSXSAVE", ""},
    {"PREFETCHW", "3dnowprefetch"},
    {"RTM_ALWAYS_ABORT", ""},
    {"SHSTK", "user_shstk"},
    {"SSE3", "pni"},
    {"XGETBV_ECX_1", "xgetbv1"},
};

struct BitRow {
  absl::string_view flag;
  uint32_t leaf;
  uint32_t subleaf;
  Register reg;
  int bit;
};

// Bits that are no feature of glibc's and that are worth knowing of a machine.
constexpr BitRow kOtherBits[] = {
    {"hypervisor", 1, 0, Register::kEcx, 31},
    {"lm", 0x80000001, 0, Register::kEdx, 29},
    {"topoext", 0x80000001, 0, Register::kEcx, 22},
};

struct StateRow {
  absl::string_view flag;
  uint64_t states;  // of XCR0
  // Bytes of the XSAVE area up to the end of the state, at least: the legacy
  // part and header, then Intel's offsets (SDM volume 1, section 13.5) or AMD's
  // where they are smaller (APM volume 2, section 11.5.6).
  uint32_t size;
};

constexpr StateRow kStates[] = {
    {"xsave", 0x3, 576},
    {"avx", 0x7, 832},
    {"avx512f", 0xe7, 2432},
};

constexpr absl::string_view kShanghai = "  Shanghai  ";
constexpr size_t kVendorSize = 12;
constexpr size_t kBrandSize = 48;
constexpr uint32_t kExtendedBase = 0x80000000;

uint32_t* RegisterOf(Register reg, CpuidRegisters* registers) {
  switch (reg) {
    case Register::kEax:
      return &registers->eax;
    case Register::kEbx:
      return &registers->ebx;
    case Register::kEcx:
      return &registers->ecx;
    case Register::kEdx:
      return &registers->edx;
  }
  return &registers->eax;
}

std::string FullVendor(absl::string_view vendor) {
  const absl::string_view stripped = absl::StripAsciiWhitespace(vendor);
  if (stripped == absl::StripAsciiWhitespace(kShanghai)) {
    return std::string(kShanghai);
  }
  return std::string(stripped);
}

uint32_t WordAt(absl::string_view text, size_t offset) {
  uint32_t word;
  std::memcpy(&word, text.data() + offset, sizeof(word));
  return word;
}

uint32_t Signature(uint32_t family, uint32_t model, uint32_t stepping) {
  const uint32_t base = std::min<uint32_t>(family, 0xf);
  return ((family - base) & 0xff) << 20 | ((model >> 4) & 0xf) << 16 |
         base << 8 | (model & 0xf) << 4 | (stepping & 0xf);
}

void SetBit(uint32_t leaf, uint32_t subleaf, Register reg, int bit,
            CpuidTable* table) {
  CpuidRegisters registers = table->Execute(leaf, subleaf);
  *RegisterOf(reg, &registers) |= uint32_t{1} << bit;
  table->Set(leaf, subleaf, registers);
}

void SetFeatures(const std::set<absl::string_view>& flags, CpuidTable* table) {
  for (const FeatureRow& row : FeatureTable()) {
    const std::string flag = LinuxFlagName(row.name);
    if (!flag.empty() && flags.count(flag) != 0) {
      SetBit(row.leaf, row.subleaf, row.reg, row.bit, table);
    }
  }
  for (const BitRow& row : kOtherBits) {
    if (flags.count(row.flag) != 0) {
      SetBit(row.leaf, row.subleaf, row.reg, row.bit, table);
    }
  }
}

// OSXSAVE, XCR0 and leaf 0xD:0.
void SetXsave(const std::set<absl::string_view>& flags, CpuidTable* table) {
  if (flags.count("xsave") == 0) return;
  const FeatureRow& osxsave = *FindFeature("OSXSAVE");
  SetBit(osxsave.leaf, osxsave.subleaf, osxsave.reg, osxsave.bit, table);
  uint64_t xcr0 = 0;
  uint32_t size = 0;
  for (const StateRow& row : kStates) {
    if (flags.count(row.flag) == 0) continue;
    xcr0 |= row.states;
    size = std::max(size, row.size);
  }
  table->SetXcr0(xcr0);
  table->Set(0xd, 0, {static_cast<uint32_t>(xcr0), size, size, 0});
}

void SetBrand(absl::string_view brand, CpuidTable* table) {
  if (brand.empty() || brand.size() > kBrandSize) return;
  std::string padded(brand);
  padded.resize(kBrandSize, '\0');
  for (uint32_t i = 0; i < 3; ++i) {
    const size_t offset = i * 16;
    table->Set(kExtendedBase + 2 + i, 0,
               {WordAt(padded, offset), WordAt(padded, offset + 4),
                WordAt(padded, offset + 8), WordAt(padded, offset + 12)});
  }
}

// The first leaf of both ranges, once all others are there.
void SetHighestLeaves(const LinuxCpu& cpu, absl::string_view vendor,
                      CpuidTable* table) {
  uint32_t highest = 1;
  uint32_t highest_extended = kExtendedBase + 1;
  for (const auto& [input, registers] : table->entries()) {
    uint32_t& range = input.leaf < kExtendedBase ? highest : highest_extended;
    range = std::max(range, input.leaf);
  }
  table->Set(0, 0,
             {cpu.cpuid_level.value_or(highest), WordAt(vendor, 0),
              WordAt(vendor, 8), WordAt(vendor, 4)});
  table->Set(kExtendedBase, 0, {highest_extended, 0, 0, 0});
}

}  // namespace

std::string LinuxFlagName(absl::string_view feature) {
  for (const FlagNameRow& row : kFlagNames) {
    if (row.feature == feature) return std::string(row.flag);
  }
  return absl::AsciiStrToLower(feature);
}

bool IsShownByEveryLinux(absl::string_view feature) {
  constexpr absl::string_view kLate[] = {"APX_F", "AVX_VNNI", "FSRM", "IBT",
                                         "SHSTK"};
  return std::find(std::begin(kLate), std::end(kLate), feature) ==
             std::end(kLate) &&
         !LinuxFlagName(feature).empty();
}

bool TellsFeatures(const LinuxCpu& cpu) {
  return FullVendor(cpu.vendor).size() == kVendorSize &&
         cpu.family.has_value() && cpu.model.has_value() &&
         cpu.flags.has_value();
}

std::optional<CpuidTable> CpuidOfLinuxCpu(const LinuxCpu& cpu) {
  const std::string vendor = FullVendor(cpu.vendor);
  if (vendor.size() != kVendorSize) return std::nullopt;
  CpuidTable table;
  if (cpu.family.has_value() && cpu.model.has_value()) {
    table.Set(1, 0,
              {Signature(*cpu.family, *cpu.model, cpu.stepping.value_or(0)), 0,
               0, 0});
  }
  if (cpu.flags.has_value()) {
    const std::set<absl::string_view> flags =
        absl::StrSplit(*cpu.flags, absl::ByAnyChar(" \t"), absl::SkipEmpty());
    // Known to have no feature is another fact than not told.
    for (const CpuidInput input :
         {CpuidInput{7, 0}, CpuidInput{0x80000001, 0}}) {
      table.Set(input.leaf, input.subleaf, {});
    }
    SetFeatures(flags, &table);
    SetXsave(flags, &table);
  }
  SetBrand(cpu.model_name, &table);
  SetHighestLeaves(cpu, vendor, &table);
  return table;
}

std::vector<UnknownFact> UnknownOfLinuxCpu(const LinuxCpu& cpu) {
  std::vector<UnknownFact> unknown;
  if (FullVendor(cpu.vendor).size() != kVendorSize) {
    unknown.push_back({"vendor (leaf 0)", "cpuid -r"});
  }
  if (!cpu.family.has_value() || !cpu.model.has_value()) {
    unknown.push_back({"family and model (leaf 1)", "cpuid -r"});
  } else if (!cpu.stepping.has_value()) {
    unknown.push_back({"stepping (leaf 1)", "cpuid -r"});
  }
  if (!cpu.flags.has_value()) {
    unknown.push_back({"features (leaves 1, 7 and 0x80000001)", "cpuid -r"});
  }
  unknown.push_back(
      {"caches and who shares them as CPUID tells them (leaves 2, 4 and 0xB, "
       "or 0x80000005, 6, 8 and 0x8000001D; CPUID.1:EBX[23:16])",
       "cpuid -r"});
  unknown.push_back(
      {"bits that Linux does not show as flags (RTM_ALWAYS_ABORT, FZLRM, FSRS, "
       "FSRCS, AVX10) or not in every release (FSRM: 5.6 and later, AVX_VNNI: "
       "5.11, APX_F: 6.16)",
       "cpuid -r"});
  unknown.push_back({"sizes and thresholds in force (2.33 and later)",
                     "ld.so --list-diagnostics"});
  return unknown;
}

}  // namespace advisor
