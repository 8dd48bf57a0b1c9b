// CPU features by glibc's names: those that its memory-function selectors, its
// thresholds and its hwcaps mask look at.

#ifndef ADVISOR_CPU_FEATURE_TABLE_H_
#define ADVISOR_CPU_FEATURE_TABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/cpu/cpuid_source.h"

namespace advisor {

enum class Register { kEax, kEbx, kEcx, kEdx };

// What a feature needs beside its CPUID bit before a program may use it, as
// glibc 2.33 and later decide it (sysdeps/x86/cpu-features.c, update_active).
enum class UsableRule {
  kCpuidBit,  // nothing
  kOsxsave,   // OSXSAVE
  kAvxState,  // OSXSAVE, XCR0[2:1] = 11, the AVX bit
  // OSXSAVE, XCR0[2:1] = 11, XCR0[7:5] = 111, the AVX512F bit
  kAvx512State,
  // OSXSAVE and a size in leaf 0xD (glibc leaves XSAVEC unusable without it)
  kXsaveSize,
  kNotAlwaysAbort,  // the RTM_ALWAYS_ABORT bit clear (2.34 and later)
  kApxState,        // OSXSAVE, XCR0[19]
  kKernelSwitch,    // a choice of the kernel's that CPUID does not tell
};

struct FeatureRow {
  // As in glibc ("AVX512VL", "SSE4_1"); also the word of the hwcaps mask where
  // that has one.
  absl::string_view name;
  uint32_t leaf;
  uint32_t subleaf;
  Register reg;
  int bit;
  UsableRule rule;
};

// Sorted by leaf, subleaf, register and bit.
absl::Span<const FeatureRow> FeatureTable();

// nullptr for a name that the table lacks.
const FeatureRow* FindFeature(absl::string_view name);

struct FeatureState {
  const FeatureRow* row = nullptr;
  // The CPUID bit, of a leaf that CPUID announces.
  bool cpuid = false;
  // ... and everything that UsableRule asks for. glibc then clears some by
  // family and model (RTM on early Haswell, AVX on some Zhaoxin), and reads
  // leaf 1 of known vendors only; both are left to those who model glibc.
  bool usable = false;

  absl::string_view name() const { return row->name; }
};

// One entry per row, in the table's order.
std::vector<FeatureState> DecodeFeatures(const CpuidSource& cpu);

// nullopt for a name that the table lacks.
std::optional<bool> IsFeatureUsable(const CpuidSource& cpu,
                                    absl::string_view name);

// "7:0:EBX[31]".
std::string FeaturePlace(const FeatureRow& row);

// "RTM_ALWAYS_ABORT is set"; empty for a feature that is usable, or not there.
absl::string_view WhyNotUsable(const FeatureState& feature);

// "AVX512VL (7:0:EBX[31]): usable", "...: not usable, XCR0 lacks its state".
std::string DescribeFeature(const FeatureState& feature);

}  // namespace advisor

#endif  // ADVISOR_CPU_FEATURE_TABLE_H_
