// Putting values into a GLIBC_TUNABLES string without losing what it holds.

#ifndef ADVISOR_GLIBC_MERGE_TUNABLES_H_
#define ADVISOR_GLIBC_MERGE_TUNABLES_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace advisor {

// A tunable's whole name and its value.
using TunableValue = std::pair<std::string, std::string>;

// `existing` with `values` after it. Earlier assignments of the same names are
// left out: releases differ in which of two counts. So are empty items, for a
// colon at the end makes 2.39 and later refuse the whole string.
std::string MergeTunables(absl::string_view existing,
                          absl::Span<const TunableValue> values);

}  // namespace advisor

#endif  // ADVISOR_GLIBC_MERGE_TUNABLES_H_
