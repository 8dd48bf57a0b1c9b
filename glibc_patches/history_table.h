// Faults of glibc's memory functions that its history tells of, each with the
// commit that mended it: what a validation of the opposite change must find.

#ifndef GLIBC_PATCHES_HISTORY_TABLE_H_
#define GLIBC_PATCHES_HISTORY_TABLE_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace glibc_patches {

// What shows the fault in the commit's parent.
enum class HistoryEvidence {
  kCheck,       // a correctness check
  kSpeed,       // cells of one alignment, which are slower
  kThresholds,  // a threshold that the memory functions cannot work with
  kValues,      // another value of a threshold; which is better, none says
  kNone,        // nothing here: `limit` says why
};

struct HistoryFix {
  // All 40 digits.
  absl::string_view commit;
  // When it was written, YYYY-MM-DD.
  absl::string_view date;
  // A sentence without a full stop, with the bug's number where there is one.
  absl::string_view fault;
  HistoryEvidence evidence;
  // The check's id, the alignment's name, or the threshold; empty for kNone.
  absl::string_view where;
  // A variant that has the fault; empty where it is in none.
  absl::string_view variant;
  // kNone: why nothing here shows it. kSpeed: the CPU feature with which it
  // does not show. Else empty.
  absl::string_view limit;
};

// Sorted by date, then commit.
absl::Span<const HistoryFix> HistoryFixes();

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_HISTORY_TABLE_H_
