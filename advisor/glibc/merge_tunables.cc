#include "advisor/glibc/merge_tunables.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace advisor {

std::string MergeTunables(absl::string_view existing,
                          absl::Span<const TunableValue> values) {
  std::vector<std::string> items;
  for (const absl::string_view item :
       absl::StrSplit(existing, ':', absl::SkipEmpty())) {
    const absl::string_view name = item.substr(0, item.find('='));
    const bool replaced = std::any_of(
        values.begin(), values.end(),
        [&](const TunableValue& value) { return value.first == name; });
    if (!replaced) items.emplace_back(item);
  }
  for (const TunableValue& value : values) {
    items.push_back(absl::StrCat(value.first, "=", value.second));
  }
  return absl::StrJoin(items, ":");
}

}  // namespace advisor
