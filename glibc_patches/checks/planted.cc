#include "glibc_patches/checks/planted.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"

extern "C" {
uint64_t planted_threshold;
}

namespace glibc_patches {
namespace {

using kernels::Function;

class PlantedTree : public kernels::Tree {
 public:
  absl::string_view name() const override { return "planted"; }
  absl::string_view release() const override { return "2.36"; }
  absl::string_view revision() const override { return ""; }
  void SetParameters(
      const kernels::KernelParameters& parameters) const override {
    planted_threshold = parameters.non_temporal_threshold.value_or(0);
  }
  kernels::KernelParameters parameters() const override {
    kernels::KernelParameters parameters;
    parameters.non_temporal_threshold = planted_threshold;
    return parameters;
  }
};

struct Planted {
  const char* name;
  void* begin;
  void* end;
};

// clang-format off
#define PLANTED_FUNCTIONS(X) \
  X(honest) \
  X(honest_endbr64) \
  X(wrong_byte) \
  X(wrong_byte_twice) \
  X(one_short_above_threshold) \
  X(writes_before) \
  X(changes_source) \
  X(writes_far) \
  X(forward_only) \
  X(crashes) \
  X(crashes_twice) \
  X(hangs) \
  X(jumps_away) \
  X(exits) \
  X(kills) \
  X(smashes_stack) \
  X(reads_past) \
  X(reads_before) \
  X(reads_past_in_page) \
  X(writes_same_past_in_page) \
  X(writes_same_to_source) \
  X(masked) \
  X(masked_one_too_many) \
  X(reads_at_zero) \
  X(returns_more) \
  X(mempcpy) \
  X(memset) \
  X(memset_one_short) \
  X(clobbers_rbx) \
  X(clobbers_rbp) \
  X(clobbers_r12) \
  X(clobbers_r15) \
  X(clobbers_r11) \
  X(leaves_direction) \
  X(moves_stack) \
  X(writes_stack) \
  X(uses_red_zone) \
  X(leaves_mmx) \
  X(changes_mxcsr) \
  X(changes_x87) \
  X(dirty) \
  X(dirty_then_clean) \
  X(dirty_at_a_tebibyte) \
  X(not_fenced) \
  X(not_fenced_twice) \
  X(fenced) \
  X(fenced_on_one_path) \
  X(computed_not_fenced) \
  X(computed_fenced) \
  X(nt_above_threshold) \
  X(nt_above_half_the_threshold) \
  X(nt_above_twice_the_threshold) \
  X(asks_for_transaction) \
  X(asks_the_wrong_way) \
  X(never_asks) \
  X(aborts_transactions) \
  X(needs_bmi2) \
  X(truncates_size) \
  X(signed_size) \
  X(direction_by_32_bits) \
  X(dead_block)
// clang-format on

#define DECLARE(name)                   \
  extern "C" void planted_##name(void); \
  extern "C" void planted_##name##_end(void);
PLANTED_FUNCTIONS(DECLARE)
#undef DECLARE

#define ROW(name)                                  \
  {#name, reinterpret_cast<void*>(planted_##name), \
   reinterpret_cast<void*>(planted_##name##_end)},
const Planted kPlanted[] = {PLANTED_FUNCTIONS(ROW)};
#undef ROW

const PlantedTree& TheTree() {
  static const auto& tree = *new PlantedTree;
  return tree;
}

const std::vector<absl::string_view>& FeaturesOf(absl::string_view name) {
  using List = std::vector<absl::string_view>;
  static const auto& none = *new List;
  static const auto& avx = *new List{"AVX"};
  static const auto& rtm = *new List{"AVX", "RTM"};
  static const auto& masks = *new List{"AVX512VL", "AVX512BW", "BMI2"};
  if (absl::StartsWith(name, "dirty")) return avx;
  if (absl::StrContains(name, "asks") ||
      absl::StrContains(name, "transactions"))
    return rtm;
  if (absl::StartsWith(name, "masked")) return masks;
  return none;
}

}  // namespace

kernels::Variant PlantedVariant(absl::string_view name) {
  static constexpr absl::string_view kThresholds[] = {
      "shared_non_temporal_threshold"};
  for (const Planted& planted : kPlanted) {
    if (planted.name != name) continue;
    kernels::Variant variant = {};
    variant.name = planted.name;
    variant.function = absl::StartsWith(name, "memset")    ? Function::kMemset
                       : absl::StartsWith(name, "mempcpy") ? Function::kMempcpy
                                                           : Function::kMemmove;
    variant.tree = &TheTree();
    variant.address = planted.begin;
    variant.vector_size = 16;
    variant.required_features = FeaturesOf(planted.name);
    // All copy with rep movsb.
    variant.erms = true;
    if (absl::EndsWith(name, "threshold")) variant.thresholds = kThresholds;
    variant.source = planted.name;
    variant.code_size =
        static_cast<char*>(planted.end) - static_cast<char*>(planted.begin);
    return variant;
  }
  ADD_FAILURE() << "no planted function " << name;
  return {};
}

}  // namespace glibc_patches
