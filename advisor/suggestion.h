// "did you mean ...?" for a mistyped name.

#ifndef ADVISOR_SUGGESTION_H_
#define ADVISOR_SUGGESTION_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace advisor {

// Insertions, deletions, changes and swaps of neighbours that turn one into the
// other (optimal string alignment distance), for bytes.
int EditDistance(absl::string_view a, absl::string_view b);

// "; did you mean NAME?" with the candidate next to `typed`: at most a third of
// its letters (and at least one) mistyped, or the one candidate that `typed`
// begins. "" when there is none.
std::string Suggestion(absl::string_view typed,
                       const std::vector<absl::string_view>& candidates);

}  // namespace advisor

#endif  // ADVISOR_SUGGESTION_H_
