#include "tools/fuzzing/fuzzing.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace fuzzing {

void Require(bool holds, absl::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "required: %s\n", std::string(what).c_str());
  std::abort();
}

void RequireInputError(const absl::Status& status, absl::string_view name) {
  const absl::string_view message = status.message();
  if (absl::IsInvalidArgument(status) &&
      absl::StartsWith(message, absl::StrCat(name, ":")) &&
      std::all_of(message.begin(), message.end(), absl::ascii_isprint)) {
    return;
  }
  Require(false, absl::StrCat("one line of error about ", name, ", found ",
                              status.ToString()));
}

size_t Choices::Below(size_t count) {
  if (rest_.empty()) return 0;
  const auto byte = static_cast<unsigned char>(rest_[0]);
  rest_.remove_prefix(1);
  return byte % count;
}

absl::string_view Choices::Until(char separator) {
  const size_t end = rest_.find(separator);
  const absl::string_view part = rest_.substr(0, end);
  rest_ = end == absl::string_view::npos ? absl::string_view()
                                         : rest_.substr(end + 1);
  return part;
}

}  // namespace fuzzing
