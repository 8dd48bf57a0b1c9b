#include "advisor/cpu/feature_table.h"

#include "absl/strings/str_format.h"
#include "advisor/cpu/leaf_state.h"

namespace advisor {
namespace {

using R = Register;
using U = UsableRule;

// name, leaf, subleaf, register, bit, what "usable" needs. Bits by Intel SDM
// volume 2A (CPUID) and AMD APM volume 3 (appendix E); names and rules by
// glibc's sysdeps/x86/bits/platform/x86.h and cpu-features.c.
constexpr FeatureRow kRows[] = {
    {"SSE3", 1, 0, R::kEcx, 0, U::kCpuidBit},
    {"SSSE3", 1, 0, R::kEcx, 9, U::kCpuidBit},
    {"FMA", 1, 0, R::kEcx, 12, U::kAvxState},
    {"CMPXCHG16B", 1, 0, R::kEcx, 13, U::kCpuidBit},
    {"SSE4_1", 1, 0, R::kEcx, 19, U::kCpuidBit},
    {"SSE4_2", 1, 0, R::kEcx, 20, U::kCpuidBit},
    {"MOVBE", 1, 0, R::kEcx, 22, U::kCpuidBit},
    {"POPCNT", 1, 0, R::kEcx, 23, U::kCpuidBit},
    {"XSAVE", 1, 0, R::kEcx, 26, U::kOsxsave},
    {"OSXSAVE", 1, 0, R::kEcx, 27, U::kCpuidBit},
    {"AVX", 1, 0, R::kEcx, 28, U::kAvxState},
    {"F16C", 1, 0, R::kEcx, 29, U::kAvxState},
    {"TSC", 1, 0, R::kEdx, 4, U::kCpuidBit},
    {"CX8", 1, 0, R::kEdx, 8, U::kCpuidBit},
    {"CMOV", 1, 0, R::kEdx, 15, U::kCpuidBit},
    {"FXSR", 1, 0, R::kEdx, 24, U::kCpuidBit},
    {"SSE", 1, 0, R::kEdx, 25, U::kCpuidBit},
    {"SSE2", 1, 0, R::kEdx, 26, U::kCpuidBit},
    {"HTT", 1, 0, R::kEdx, 28, U::kCpuidBit},
    {"BMI1", 7, 0, R::kEbx, 3, U::kCpuidBit},
    {"HLE", 7, 0, R::kEbx, 4, U::kCpuidBit},
    {"AVX2", 7, 0, R::kEbx, 5, U::kAvxState},
    {"BMI2", 7, 0, R::kEbx, 8, U::kCpuidBit},
    {"ERMS", 7, 0, R::kEbx, 9, U::kCpuidBit},
    {"RTM", 7, 0, R::kEbx, 11, U::kNotAlwaysAbort},
    {"AVX512F", 7, 0, R::kEbx, 16, U::kAvx512State},
    {"AVX512DQ", 7, 0, R::kEbx, 17, U::kAvx512State},
    {"AVX512_IFMA", 7, 0, R::kEbx, 21, U::kAvx512State},
    {"AVX512PF", 7, 0, R::kEbx, 26, U::kAvx512State},
    {"AVX512ER", 7, 0, R::kEbx, 27, U::kAvx512State},
    {"AVX512CD", 7, 0, R::kEbx, 28, U::kAvx512State},
    {"AVX512BW", 7, 0, R::kEbx, 30, U::kAvx512State},
    {"AVX512VL", 7, 0, R::kEbx, 31, U::kAvx512State},
    {"AVX512_VBMI", 7, 0, R::kEcx, 1, U::kAvx512State},
    {"AVX512_VBMI2", 7, 0, R::kEcx, 6, U::kAvx512State},
    {"SHSTK", 7, 0, R::kEcx, 7, U::kKernelSwitch},
    {"FSRM", 7, 0, R::kEdx, 4, U::kCpuidBit},
    {"RTM_ALWAYS_ABORT", 7, 0, R::kEdx, 11, U::kCpuidBit},
    {"IBT", 7, 0, R::kEdx, 20, U::kKernelSwitch},
    {"AVX_VNNI", 7, 1, R::kEax, 4, U::kAvxState},
    {"FZLRM", 7, 1, R::kEax, 10, U::kCpuidBit},
    {"FSRS", 7, 1, R::kEax, 11, U::kCpuidBit},
    {"FSRCS", 7, 1, R::kEax, 12, U::kCpuidBit},
    {"AVX10", 7, 1, R::kEdx, 19, U::kOsxsave},
    {"APX_F", 7, 1, R::kEdx, 21, U::kApxState},
    {"XSAVEOPT", 0xd, 1, R::kEax, 0, U::kOsxsave},
    {"XSAVEC", 0xd, 1, R::kEax, 1, U::kXsaveSize},
    {"XGETBV_ECX_1", 0xd, 1, R::kEax, 2, U::kOsxsave},
    {"LAHF64_SAHF64", 0x80000001, 0, R::kEcx, 0, U::kCpuidBit},
    {"LZCNT", 0x80000001, 0, R::kEcx, 5, U::kCpuidBit},
    {"PREFETCHW", 0x80000001, 0, R::kEcx, 8, U::kCpuidBit},
    {"XOP", 0x80000001, 0, R::kEcx, 11, U::kAvxState},
    {"FMA4", 0x80000001, 0, R::kEcx, 16, U::kAvxState},
};

constexpr uint64_t kAvxXcr0 = 0x6;      // XMM, YMM
constexpr uint64_t kAvx512Xcr0 = 0xe6;  // ... opmask, ZMM0-15, ZMM16-31
constexpr uint64_t kApxXcr0 = 1 << 19;

uint32_t RegisterOf(const CpuidRegisters& registers, Register reg) {
  switch (reg) {
    case Register::kEax:
      return registers.eax;
    case Register::kEbx:
      return registers.ebx;
    case Register::kEcx:
      return registers.ecx;
    case Register::kEdx:
      return registers.edx;
  }
  return 0;
}

bool HasBit(const CpuidSource& cpu, const FeatureRow& row) {
  const std::optional<CpuidRegisters> answer =
      QueryAnnounced(cpu, row.leaf, row.subleaf);
  return answer.has_value() && (RegisterOf(*answer, row.reg) >> row.bit & 1);
}

bool HasBit(const CpuidSource& cpu, absl::string_view name) {
  return HasBit(cpu, *FindFeature(name));
}

bool HasState(const CpuidSource& cpu, uint64_t wanted) {
  return HasBit(cpu, "OSXSAVE") && (cpu.Xcr0().value_or(0) & wanted) == wanted;
}

bool SatisfiesRule(const CpuidSource& cpu, UsableRule rule) {
  switch (rule) {
    case UsableRule::kCpuidBit:
      return true;
    case UsableRule::kOsxsave:
      return HasBit(cpu, "OSXSAVE");
    case UsableRule::kAvxState:
      return HasState(cpu, kAvxXcr0) && HasBit(cpu, "AVX");
    case UsableRule::kAvx512State:
      return HasState(cpu, kAvx512Xcr0) && HasBit(cpu, "AVX512F");
    case UsableRule::kXsaveSize: {
      const auto size = QueryAnnounced(cpu, 0xd, 0);
      return HasBit(cpu, "OSXSAVE") && size.has_value() && size->ebx != 0;
    }
    case UsableRule::kNotAlwaysAbort:
      return !HasBit(cpu, "RTM_ALWAYS_ABORT");
    case UsableRule::kApxState:
      return HasState(cpu, kApxXcr0);
    case UsableRule::kKernelSwitch:
      return false;
  }
  return false;
}

FeatureState DecodeFeature(const CpuidSource& cpu, const FeatureRow& row) {
  FeatureState feature;
  feature.row = &row;
  feature.cpuid = HasBit(cpu, row);
  feature.usable = feature.cpuid && SatisfiesRule(cpu, row.rule);
  return feature;
}

absl::string_view RuleInWords(UsableRule rule) {
  switch (rule) {
    case UsableRule::kCpuidBit:
      return "";
    case UsableRule::kOsxsave:
      return "OSXSAVE is clear";
    case UsableRule::kAvxState:
      return "OSXSAVE, AVX or its state in XCR0[2:1] is missing";
    case UsableRule::kAvx512State:
      return "OSXSAVE, AVX512F or its state in XCR0[7:5] is missing";
    case UsableRule::kXsaveSize:
      return "OSXSAVE or the size in leaf 0xD is missing";
    case UsableRule::kNotAlwaysAbort:
      return "RTM_ALWAYS_ABORT is set";
    case UsableRule::kApxState:
      return "OSXSAVE or its state in XCR0[19] is missing";
    case UsableRule::kKernelSwitch:
      return "the kernel switches it on for each program";
  }
  return "";
}

}  // namespace

absl::Span<const FeatureRow> FeatureTable() { return kRows; }

const FeatureRow* FindFeature(absl::string_view name) {
  for (const FeatureRow& row : kRows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::vector<FeatureState> DecodeFeatures(const CpuidSource& cpu) {
  std::vector<FeatureState> features;
  for (const FeatureRow& row : kRows) {
    features.push_back(DecodeFeature(cpu, row));
  }
  return features;
}

std::optional<bool> IsFeatureUsable(const CpuidSource& cpu,
                                    absl::string_view name) {
  const FeatureRow* row = FindFeature(name);
  if (row == nullptr) return std::nullopt;
  return DecodeFeature(cpu, *row).usable;
}

std::string FeaturePlace(const FeatureRow& row) {
  constexpr absl::string_view kRegisterNames[] = {"EAX", "EBX", "ECX", "EDX"};
  return absl::StrFormat("%x:%x:%s[%d]", row.leaf, row.subleaf,
                         kRegisterNames[static_cast<int>(row.reg)], row.bit);
}

absl::string_view WhyNotUsable(const FeatureState& feature) {
  if (!feature.cpuid || feature.usable) return "";
  return RuleInWords(feature.row->rule);
}

std::string DescribeFeature(const FeatureState& feature) {
  const std::string place =
      absl::StrFormat("%s (%s)", feature.name(), FeaturePlace(*feature.row));
  if (!feature.cpuid) return place + ": not there";
  if (feature.usable) return place + ": usable";
  return absl::StrFormat("%s: not usable, %s", place, WhyNotUsable(feature));
}

}  // namespace advisor
