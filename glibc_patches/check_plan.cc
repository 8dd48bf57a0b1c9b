#include "glibc_patches/check_plan.h"

#include "absl/strings/string_view.h"

namespace glibc_patches {
namespace {

// Of other variants than the representative. Their calls are spread evenly.
constexpr int kLeftOut = 0;
constexpr int kOneIn = 4;

// In the order in which checks are made.
//   one_in       of other variants than the representative, one call in so many
//   second_look  makes more calls with more effort
struct PlanRow {
  absl::string_view id;
  int one_in;
  bool second_look;
};
constexpr PlanRow kPlan[] = {
    {"endbr64", 1, false},         {"instruction_set", 1, false},
    {"store_fence", 1, false},     {"zero_length", 1, false},
    {"chk_entries", 1, false},     {"transaction", 1, true},
    {"upper_halves", 1, true},     {"return_value", 1, true},
    {"registers", 1, true},        {"thresholds", 1, false},
    {"wide_entries", 1, false},    {"content", kOneIn, true},
    {"guard_pages", kOneIn, true}, {"huge_sizes", kLeftOut, true},
    {"accesses", kLeftOut, true},  {"coverage", kLeftOut, false},
};

bool IsPlanned(absl::string_view id) {
  for (const PlanRow& row : kPlan) {
    if (row.id == id) return true;
  }
  return false;
}

// A check without a row here is made of every variant, at last.
template <typename Add>
void ForEachRow(Add add) {
  for (const PlanRow& row : kPlan) {
    if (const CheckRow* check = FindCheck(row.id)) add(*check, row);
  }
  for (const CheckRow& check : AllChecks()) {
    if (!IsPlanned(check.id)) add(check, PlanRow{check.id, 1, true});
  }
}

}  // namespace

std::vector<PlannedCheck> FirstLook(const kernels::Variant& variant,
                                    bool representative) {
  std::vector<PlannedCheck> plan;
  ForEachRow([&](const CheckRow& check, const PlanRow& row) {
    const int one_in = representative ? 1 : row.one_in;
    if (one_in == kLeftOut) return;
    plan.push_back({&variant, &check, Effort::kQuick, one_in});
  });
  return plan;
}

std::vector<PlannedCheck> SecondLook(const kernels::Variant& variant) {
  std::vector<PlannedCheck> plan;
  ForEachRow([&](const CheckRow& check, const PlanRow& row) {
    if (row.second_look) plan.push_back({&variant, &check, Effort::kNormal, 1});
  });
  return plan;
}

std::vector<PlannedCheck> ThoroughLook(const kernels::Variant& variant) {
  std::vector<PlannedCheck> plan;
  ForEachRow([&](const CheckRow& check, const PlanRow&) {
    plan.push_back({&variant, &check, Effort::kThorough, 1});
  });
  return plan;
}

}  // namespace glibc_patches
