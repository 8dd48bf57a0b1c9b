#include "advisor/suggestion.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace advisor {

int EditDistance(absl::string_view a, absl::string_view b) {
  // distance[i][j] is that of the first i bytes of a and j bytes of b.
  std::vector<std::vector<int>> distance(a.size() + 1,
                                         std::vector<int>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      int& best = distance[i][j];
      best = static_cast<int>(std::max(i, j));
      if (i == 0 || j == 0) continue;
      best = std::min({distance[i - 1][j] + 1, distance[i][j - 1] + 1,
                       distance[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        best = std::min(best, distance[i - 2][j - 2] + 1);
      }
    }
  }
  return distance[a.size()][b.size()];
}

std::string Suggestion(absl::string_view typed,
                       const std::vector<absl::string_view>& candidates) {
  // Longer ones are not typing errors, and would take long to compare.
  constexpr size_t kMaxTyped = 64;
  if (typed.empty() || typed.size() > kMaxTyped) return "";
  absl::string_view nearest;
  int least = std::max(1, static_cast<int>(typed.size()) / 3) + 1;
  for (const absl::string_view candidate : candidates) {
    const int distance = EditDistance(typed, candidate);
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  if (nearest.empty()) {
    const auto begins = [typed](absl::string_view candidate) {
      return absl::StartsWith(candidate, typed);
    };
    if (std::count_if(candidates.begin(), candidates.end(), begins) != 1) {
      return "";
    }
    nearest = *std::find_if(candidates.begin(), candidates.end(), begins);
  }
  return absl::StrCat("; did you mean ", nearest, "?");
}

}  // namespace advisor
