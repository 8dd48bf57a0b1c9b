// Thresholds and sizes under which a variant's every path is reached without
// large buffers.

#ifndef KERNELS_PARAMETER_SETS_H_
#define KERNELS_PARAMETER_SETS_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "kernels/variant.h"

namespace kernels {

// One way to set a tree's thresholds, such that some path is reached at small
// sizes.
struct ParameterSet {
  absl::string_view name;
  KernelParameters parameters;
};

// The sets that differ in what `variant` reads; at least one. Non-temporal
// thresholds are as low as the release's code can bear: 0 up to 2.33,
// kLargeCopyMinimum from 2.34, whose large copy runs away with less.
std::vector<ParameterSet> ParameterSets(const Variant& variant);

// Bytes of a vector register; 64 for a variant without vectors, so that it is
// checked as thoroughly as the widest.
size_t VectorOf(const Variant& variant);

// Sizes to try under `parameters`, sorted: 0 .. 8 vectors + 64, and around
// every threshold and constant up to `largest`. Small sizes that the first
// parameter set covers just as well are left to it.
std::vector<size_t> SizesToCheck(const Variant& variant,
                                 const KernelParameters& parameters,
                                 size_t largest);

}  // namespace kernels

#endif  // KERNELS_PARAMETER_SETS_H_
