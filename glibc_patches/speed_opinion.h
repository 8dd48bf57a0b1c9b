// What a measurement says for and against a patch.

#ifndef GLIBC_PATCHES_SPEED_OPINION_H_
#define GLIBC_PATCHES_SPEED_OPINION_H_

#include <cstddef>
#include <string>
#include <vector>

#include "glibc_patches/speed.h"
#include "glibc_patches/speed_weights.h"

namespace glibc_patches {

// One sentence each, no full stop.
struct SpeedOpinion {
  // Why to reject, with the cells that show it.
  std::vector<std::string> against, evidence;
  // What was not judged though it matters.
  std::vector<std::string> open;
  // Cells that are slower by more than is tolerated, but do not matter.
  std::vector<std::string> slower_without_weight;
  // What can be said for it.
  std::string praise;
};

// Takes more than twice the time: no mix that ships with this program is a
// reason to accept that, as none holds the calls that glibc bug 27130 is about.
inline constexpr double kCliff = 1;

// The patch is rejected for this cell: it is slower by more than is tolerated,
// and matters. Where nobody said whose calls count, a cliff matters anywhere.
bool IsRegression(const SpeedCellResult& cell, const CellWeight& weight,
                  bool is_default, const SpeedOptions& options);

// All calls of the mix together are slower by more than is tolerated.
bool IsRegression(const WorkloadChange& change, const SpeedOptions& options);

// Against: a regression.
// Open: one in twenty of the cells that matter, or the whole mix, is too noisy
// to exclude such a slowdown (for the mix, all of its cells can do so too); one
// twentieth of the mix's time is in calls of sizes that were not measured; the
// mix has no such calls.
SpeedOpinion OpinionOf(const SpeedResult& speed, const WeighedSpeed& weighed,
                       const SpeedOptions& options);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_SPEED_OPINION_H_
