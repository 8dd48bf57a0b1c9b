#include <cstdint>

#include "kernels/variant.h"

namespace kernels {
namespace {

using advisor::CpuidRegisters;

constexpr uint64_t kYmmState = 0x6;   // XCR0: SSE and AVX registers
constexpr uint64_t kZmmState = 0xe6;  // and the three of AVX-512

struct FeatureRow {
  absl::string_view name;
  uint32_t leaf;
  uint32_t subleaf;
  uint32_t CpuidRegisters::*word;
  int bit;
  // What the operating system must save.
  uint64_t xcr0;
};

// Features that variants.bzl names. Source: Intel SDM volume 2A, CPUID, and
// volume 1, 14.3 and 15.2 (the XCR0 bits).
constexpr FeatureRow kFeatureRows[] = {
    {"AVX", 1, 0, &CpuidRegisters::ecx, 28, kYmmState},
    {"AVX2", 7, 0, &CpuidRegisters::ebx, 5, kYmmState},
    {"AVX512BW", 7, 0, &CpuidRegisters::ebx, 30, kZmmState},
    {"AVX512F", 7, 0, &CpuidRegisters::ebx, 16, kZmmState},
    {"AVX512VL", 7, 0, &CpuidRegisters::ebx, 31, kZmmState},
    {"BMI2", 7, 0, &CpuidRegisters::ebx, 8, 0},
    {"RTM", 7, 0, &CpuidRegisters::ebx, 11, 0},
    {"SSSE3", 1, 0, &CpuidRegisters::ecx, 9, 0},
};

bool Offers(const advisor::CpuidSource& cpu, absl::string_view name) {
  for (const FeatureRow& row : kFeatureRows) {
    if (row.name != name) continue;
    if (cpu.Execute(0).eax < row.leaf) return false;
    const CpuidRegisters registers = cpu.Execute(row.leaf, row.subleaf);
    const bool present = (registers.*row.word >> row.bit & 1) != 0;
    return present && (cpu.Xcr0().value_or(0) & row.xcr0) == row.xcr0;
  }
  // A feature without a row is one that nothing here can vouch for.
  return false;
}

}  // namespace

std::optional<std::string> MissingFeature(const Variant& variant,
                                          const advisor::CpuidSource& cpu) {
  for (absl::string_view feature : variant.required_features) {
    if (!Offers(cpu, feature)) return std::string(feature);
  }
  return std::nullopt;
}

}  // namespace kernels
