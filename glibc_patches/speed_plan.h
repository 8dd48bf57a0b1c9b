// What is measured of a changed variant.

#ifndef GLIBC_PATCHES_SPEED_PLAN_H_
#define GLIBC_PATCHES_SPEED_PLAN_H_

#include <cstdint>
#include <optional>
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

// Which cells are measured:
//   quick     one copier; buffers in use, and sets that leave L2
//   normal    also aliasing; and, of the first variant for copies and of the
//             first memset (what glibc selects here stands first), memory,
//             non-temporal stores at this machine's threshold, and all CPUs
//   thorough  all of it for every variant; more alignments, sizes for all CPUs,
//             and destinations that are read back
enum class SpeedEffort { kQuick, kNormal, kThorough };

struct SpeedMachine {
  // What glibc computes here.
  kernels::KernelParameters thresholds;
  // Bytes of the cache before memory; nullopt: nothing tells.
  std::optional<uint64_t> last_cache;
  // That can copy at once.
  int cpus = 1;
  // Bytes that a measurement may use; nullopt: nothing tells.
  std::optional<uint64_t> memory;
};

// A cell of one variant under one set of thresholds.
struct SpeedCell {
  std::string variant;     // "__memmove_evex_unaligned_erms"
  std::string thresholds;  // kMachineThresholds, "non-temporal from ..."
  kernels::Cell cell;
  // Index of the base's side; the patched one and the control follow.
  int base_side = 0;

  // Takes the caches or the memory of the whole machine, so that nothing else
  // may be measured at the same time.
  bool IsAlone() const;
  int patched_side() const { return base_side + 1; }
  int control_side() const { return base_side + 2; }
};

// "1536 bytes, misaligned-both, hot"; "..., rotating, 2 CPUs"
std::string DescribeCell(const kernels::Cell& cell);

// What is not measured, and why.
struct RegimeGap {
  std::vector<std::string> regimes;
  // Empty: of none that is measured at all.
  std::vector<std::string> variants;
  std::string reason;
};

struct SpeedPlan {
  std::vector<kernels::RoutineSide> sides;
  std::vector<SpeedCell> cells;
  // In words, as the gaps' names are.
  std::vector<std::string> regimes;
  std::vector<RegimeGap> gaps;
};

// Of variants made from one source file, the one that stands for all copies or
// for memset: memmove before mempcpy, and with the most paths (erms) before
// others. It runs the others' code, but for some instructions at their entries.
// In the order of `variants`.
std::vector<const kernels::Variant*> Representatives(
    absl::Span<const kernels::Variant* const> variants);

// Measures the representatives.
SpeedPlan PlanSpeed(absl::Span<const kernels::Variant* const> variants,
                    const SpeedMachine& machine, SpeedEffort effort);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_SPEED_PLAN_H_
