// Judges pairs of states of a glibc repository: the state before each fix of
// the history table must be rejected, and the fix be right.

#ifndef GLIBC_PATCHES_HISTORY_REPLAY_H_
#define GLIBC_PATCHES_HISTORY_REPLAY_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/host/clock.h"
#include "advisor/host/environment.h"
#include "advisor/host/subprocess.h"
#include "glibc_patches/history_table.h"

namespace glibc_patches {

enum class ReplayOutcome {
  kAsExpected,
  kUnexpected,
  kNotShown,  // nothing here can show the fault
};

// One direction: the patch from one state to the other.
struct ReplaySide {
  ReplayOutcome outcome = ReplayOutcome::kNotShown;
  // "reject: content", "accept", ...; or why there is no verdict.
  std::string verdict;
};

struct ReplayResult {
  const HistoryFix* fix = nullptr;
  ReplayOutcome outcome = ReplayOutcome::kNotShown;
  // Of the patch that takes the fix back, and of the fix; both empty when
  // `reason` says why nothing is shown.
  ReplaySide parent, fixed;
  std::string reason;
  double seconds = 0;
};

struct ReplayInput {
  std::string history;         // a clone of glibc, bare or not
  std::string validate_patch;  // the program
  std::string scratch;         // an empty folder of ours
  // "--quick", ...
  std::vector<std::string> flags;
};

struct ReplayDoors {
  const advisor::Subprocess& subprocess;
  const advisor::Environment& environment;
  const advisor::Clock& clock;
  // Has this CPU the feature of this name (glibc's, "FSRM")?
  std::function<bool(absl::string_view)> has_feature;
  // Called after each fix; may be empty.
  std::function<void(const ReplayResult&)> done;
};

// Judges each fix both ways. An error means that nothing more can be judged:
// `history` is no repository (InvalidArgument), or a signal came (Cancelled).
absl::Status ReplayHistory(absl::Span<const HistoryFix* const> fixes,
                           const ReplayInput& input, const ReplayDoors& doors);

// What validate_patch's JSON says about the state before the fix, or about the
// fix (`fixed`). kUnexpected for text that is no verdict.
ReplaySide JudgeSide(const HistoryFix& fix, absl::string_view json, bool fixed);

// "ok 9aaaab7c6e mempcpy writes ...: parent reject: content; fix accept; 12 s"
std::string DescribeReplay(const ReplayResult& result);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_HISTORY_REPLAY_H_
