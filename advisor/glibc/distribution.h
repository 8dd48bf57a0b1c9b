// Distribution packages of glibc: which state of the stable branch, and which
// other patches, a package's version stands for.

#ifndef ADVISOR_GLIBC_DISTRIBUTION_H_
#define ADVISOR_GLIBC_DISTRIBUTION_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/glibc/change.h"

namespace advisor {

inline constexpr int kNoEnd = 1 << 30;

struct DistributionRow {
  int release;  // The NN of 2.NN.
  // The package's revision is everything after the first '-'. A row is for
  // `prefix` followed by a number from `from` to `to`: prefix "9+deb12u" and
  // from 10 is for 9+deb12u10, 9+deb12u11, .... An empty prefix is for
  // revisions that start with the number.
  absl::string_view prefix;
  int from;
  int to;  // kNoEnd: any later revision, too.
  // What must follow the number: "" for the end of the revision (or "+b1", a
  // rebuild of the same source), ".el8" for that text.
  absl::string_view suffix;
  // The state of release/2.NN/master that it contains (YYYY-MM-DD); empty for
  // the release as tagged.
  absl::string_view branch_date;
  absl::Span<const Change> added;
  bool certain;
  absl::string_view note;
  absl::string_view source;
};

// Sorted by release, prefix, suffix and `from`.
absl::Span<const DistributionRow> AllDistributionRows();

// The row for `revision`; nullptr for none.
const DistributionRow* FindDistributionRow(int release,
                                           absl::string_view revision);

}  // namespace advisor

#endif  // ADVISOR_GLIBC_DISTRIBUTION_H_
