#include "advisor/host/environment.h"

#include <unistd.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace advisor {
namespace {

bool IsEntryOf(absl::string_view name, absl::string_view entry) {
  return absl::ConsumePrefix(&entry, name) && absl::ConsumePrefix(&entry, "=");
}

}  // namespace

Environment Environment::OfThisProcess() {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    entries.emplace_back(*entry);
  }
  return Environment(std::move(entries));
}

std::optional<std::string> Environment::Get(absl::string_view name) const {
  for (const std::string& entry : entries_) {
    if (IsEntryOf(name, entry)) return entry.substr(name.size() + 1);
  }
  return std::nullopt;
}

Environment Environment::Without(absl::string_view name) const {
  std::vector<std::string> kept;
  std::copy_if(
      entries_.begin(), entries_.end(), std::back_inserter(kept),
      [&](const std::string& entry) { return !IsEntryOf(name, entry); });
  return Environment(std::move(kept));
}

Environment Environment::With(absl::string_view name,
                              absl::string_view value) const {
  Environment result = Without(name);
  result.entries_.push_back(absl::StrCat(name, "=", value));
  return result;
}

Environment Environment::ForChild(
    absl::Span<const absl::string_view> names) const {
  Environment result({"LC_ALL=C"});
  const auto keep = [&](absl::string_view name) {
    const std::optional<std::string> value = Get(name);
    if (value.has_value()) result = result.With(name, *value);
  };
  for (const absl::string_view name :
       {"PATH", "LD_LIBRARY_PATH", "TMPDIR", "TEST_TMPDIR", "ASAN_OPTIONS",
        "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"}) {
    keep(name);
  }
  for (const absl::string_view name : names) keep(name);
  return result;
}

}  // namespace advisor
