#include "glibc_patches/check_plan.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/string_view.h"

namespace glibc_patches {
namespace {

// The last ones take half a second or more of a variant, the others hundredths;
// "accesses" and "coverage" write to the code that they run.
constexpr absl::string_view kSlow[] = {"content", "guard_pages", "huge_sizes",
                                       "accesses", "coverage"};

int RankOf(const CheckRow& row) {
  const auto* slow = std::find(std::begin(kSlow), std::end(kSlow), row.id);
  return slow == std::end(kSlow)
             ? 0
             : 1 + static_cast<int>(slow - std::begin(kSlow));
}

}  // namespace

std::vector<PlannedCheck> PlanChecks(
    absl::Span<const kernels::Variant* const> variants, Effort effort) {
  std::vector<const CheckRow*> rows;
  for (const CheckRow& row : AllChecks()) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const CheckRow* a, const CheckRow* b) {
                     return RankOf(*a) < RankOf(*b);
                   });
  std::vector<PlannedCheck> plan;
  for (const kernels::Variant* variant : variants) {
    for (const CheckRow* row : rows) plan.push_back({variant, row, effort});
  }
  return plan;
}

}  // namespace glibc_patches
