// What is measured of a changed variant.

#ifndef GLIBC_PATCHES_SPEED_PLAN_H_
#define GLIBC_PATCHES_SPEED_PLAN_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "kernels/measure/cell.h"
#include "kernels/measure/pair_source.h"
#include "kernels/variant.h"

namespace glibc_patches {

// How a process names its trees.
inline constexpr char kBaseTree[] = "base";
inline constexpr char kPatchedTree[] = "patched";
// The base's objects once more, in another file: what it differs by is noise.
inline constexpr char kControlTree[] = "control";

// SpeedCell::thresholds of what glibc computes here.
inline constexpr char kMachineThresholds[] = "of this machine";

enum class SpeedEffort { kQuick, kNormal, kThorough };

// A cell of one variant under one set of thresholds.
struct SpeedCell {
  std::string variant;     // "__memmove_evex_unaligned_erms"
  std::string thresholds;  // kMachineThresholds, "non-temporal from ..."
  kernels::Cell cell;
  // Index of the base's side; the patched one and the control follow.
  int base_side = 0;

  int patched_side() const { return base_side + 1; }
  int control_side() const { return base_side + 2; }
};

// "1536 bytes, misaligned-both, hot"
std::string DescribeCell(const kernels::Cell& cell);

struct SpeedPlan {
  std::vector<kernels::RoutineSide> sides;
  std::vector<SpeedCell> cells;
};

// Of variants made from one source file, the one that stands for all copies or
// for memset: memmove before mempcpy, and with the most paths (erms) before
// others. It runs the others' code, but for some instructions at their entries.
// In the order of `variants`.
std::vector<const kernels::Variant*> Representatives(
    absl::Span<const kernels::Variant* const> variants);

// Measures the representatives. `machine` are the thresholds that glibc
// computes here.
SpeedPlan PlanSpeed(absl::Span<const kernels::Variant* const> variants,
                    const kernels::KernelParameters& machine,
                    SpeedEffort effort);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_SPEED_PLAN_H_
