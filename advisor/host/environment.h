// The environment variables of this process, as a value that tests can make.

#ifndef ADVISOR_HOST_ENVIRONMENT_H_
#define ADVISOR_HOST_ENVIRONMENT_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace advisor {

class Environment {
 public:
  // The variables of this process, at the time of the call.
  static Environment OfThisProcess();

  // Each entry is "NAME=value".
  explicit Environment(std::vector<std::string> entries = {})
      : entries_(std::move(entries)) {}

  // The value of the first entry with that name.
  std::optional<std::string> Get(absl::string_view name) const;

  // A copy in which `name` has just this value, or none at all.
  Environment With(absl::string_view name, absl::string_view value) const;
  Environment Without(absl::string_view name) const;

  // What a child needs of this: how to find programs and libraries (PATH,
  // LD_LIBRARY_PATH), where temporary files go (TMPDIR, TEST_TMPDIR), options
  // of sanitizers, and `names`; all of it in the C locale (LC_ALL). Nothing
  // else: an environment holds secrets.
  Environment ForChild(absl::Span<const absl::string_view> names = {}) const;

  const std::vector<std::string>& entries() const { return entries_; }

 private:
  std::vector<std::string> entries_;
};

}  // namespace advisor

#endif  // ADVISOR_HOST_ENVIRONMENT_H_
