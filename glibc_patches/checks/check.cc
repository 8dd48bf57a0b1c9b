#include "glibc_patches/checks/check.h"

#include "absl/strings/str_cat.h"
#include "glibc_patches/checks/checks.h"

namespace glibc_patches {
namespace {

std::optional<std::string> Always(const CheckContext&) { return std::nullopt; }

// One row a check; check.h has the columns.
constexpr CheckRow kChecks[] = {
    {"content", "destination, source and surroundings hold what they must",
     Always, RunContentCheck, AttemptContent, 2},
};

}  // namespace

absl::Span<const CheckRow> AllChecks() { return kChecks; }

const CheckRow* FindCheck(absl::string_view id) {
  for (const CheckRow& row : AllChecks()) {
    if (row.id == id) return &row;
  }
  return nullptr;
}

std::string VariantLabel(const kernels::Variant& variant) {
  return absl::StrCat(variant.tree->name(), ": ", variant.name);
}

}  // namespace glibc_patches
