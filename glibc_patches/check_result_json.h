// The results of checks on their way from one process to another.

#ifndef GLIBC_PATCHES_CHECK_RESULT_JSON_H_
#define GLIBC_PATCHES_CHECK_RESULT_JSON_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "glibc_patches/checks/check.h"

namespace glibc_patches {

// Everything of the results; no format for users.
std::string CheckResultsToJson(absl::Span<const CheckResult> results);

// Its inverse. InvalidArgument for any other text.
absl::StatusOr<std::vector<CheckResult>> CheckResultsFromJson(
    absl::string_view text);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_CHECK_RESULT_JSON_H_
