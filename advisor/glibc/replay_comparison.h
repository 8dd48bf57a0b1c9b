// The model against the loader: every value that both tell.

#ifndef ADVISOR_GLIBC_REPLAY_COMPARISON_H_
#define ADVISOR_GLIBC_REPLAY_COMPARISON_H_

#include <string>
#include <vector>

#include "advisor/glibc/build.h"
#include "advisor/glibc/loader_listing.h"
#include "advisor/glibc/prediction.h"

namespace advisor {

// Names are the listings' own ("preferred.Prefer_ERMS",
// "glibc.cpu.x86_rep_movsb_threshold max"); values are as the listings print
// them. A value that only one side has is "none" on the other.
struct ReplayDifference {
  std::string name;
  std::string predicted;
  std::string replayed;
};

struct ReplayComparison {
  // How many values both sides have.
  int compared = 0;
  std::vector<ReplayDifference> differences;
};

// `prediction` is for `build`, the same CPUID answers and the same
// GLIBC_TUNABLES as the listings; without an end of its own (`hangs`). What
// this machine's kernel decides is left out: the bits of CET.
ReplayComparison CompareWithListings(const GlibcBuild& build,
                                     const Prediction& prediction,
                                     const DiagnosticsListing& diagnostics,
                                     const TunablesListing& tunables);

}  // namespace advisor

#endif  // ADVISOR_GLIBC_REPLAY_COMPARISON_H_
