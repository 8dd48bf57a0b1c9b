#include "glibc_patches/checks/remainders.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "glibc_patches/checks/world.h"
#include "kernels/parameter_sets.h"
#include "kernels/variant.h"

namespace glibc_patches {
namespace {

using kernels::Function;
using kernels::KernelParameters;
using kernels::kNever;
using kernels::Variant;

// palignr works on vectors of this size, and has its shift in its code: there
// is a loop for each.
constexpr uint64_t kShiftable = 16;

// Sizes from which on loops for large sizes are taken.
std::vector<uint64_t> LargeLoops(const Variant& variant,
                                 const KernelParameters& parameters) {
  std::vector<uint64_t> starts;
  for (absl::string_view threshold : variant.thresholds) {
    const auto field = kernels::ParameterField(threshold);
    if (field == nullptr || field == &KernelParameters::string_control) {
      continue;
    }
    const uint64_t value = (parameters.*field).value_or(kNever);
    if (value >= kNever) continue;
    starts.push_back(value + 1);
    if (field == &KernelParameters::non_temporal_threshold) {
      starts.push_back(16 * value + 1);
    }
  }
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  return starts;
}

}  // namespace

bool ForEachRemainder(const CheckContext& context, VisitCall visit) {
  const Variant& variant = context.variant;
  const uint64_t vector = kernels::VectorOf(variant);
  // Eight vectors a pass at most.
  const uint64_t period = 8 * vector;
  const bool is_copy = variant.function != Function::kMemset;
  const bool has_shifts = is_copy && vector == kShiftable;
  PlacedCall call;
  call.value = 0xa5;
  const auto sweep = [&](uint64_t start) {
    for (call.size = start; call.size < start + period; ++call.size) {
      if (!visit(call)) return false;
    }
    return true;
  };
  std::mt19937_64 random(context.seed);
  bool is_first = true;
  for (const KernelParameters& parameters : ParametersToTry(variant)) {
    call.parameters = parameters;
    std::vector<uint64_t> starts = LargeLoops(variant, parameters);
    if (std::exchange(is_first, false)) starts.push_back(2 * period);
    for (const uint64_t start : starts) {
      if (start + period > kLargestTried) continue;
      for (uint64_t shift = 0; shift < (has_shifts ? kShiftable : 1); ++shift) {
        // With the boundary in the middle. Aligned where it matters, so that an
        // aligned address can equal the beginning.
        call.destination = kBoundary -
                           std::min(start / 2, kRoom / 2) / 64 * 64 +
                           (has_shifts ? 0 : random() % 64);
        call.source =
            kOther.begin + kRoom + (has_shifts ? shift : random() % 64);
        if (!sweep(start)) return false;
        if (!has_shifts || variant.function != Function::kMemmove) continue;
        call.source = call.destination - period - shift;
        if (!sweep(start)) return false;
      }
    }
  }
  return true;
}

}  // namespace glibc_patches
