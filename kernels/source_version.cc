#include "kernels/source_version.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace kernels {
namespace {

// A few digits, and no sign or blank, which SimpleAtoi takes.
std::optional<int> Number(absl::string_view text) {
  constexpr size_t kMostDigits = 6;
  int number = 0;
  if (text.empty() || text.size() > kMostDigits ||
      !std::all_of(text.begin(), text.end(), absl::ascii_isdigit) ||
      !absl::SimpleAtoi(text, &number)) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

std::optional<int> ReleaseOfVersion(absl::string_view version) {
  const std::vector<absl::string_view> words = absl::StrSplit(version, '.');
  if (words.size() < 2 || words.size() > 3 || words[0] != "2") {
    return std::nullopt;
  }
  const std::optional<int> release = Number(words[1]);
  if (words.size() == 2 || !release.has_value()) return release;
  // Releases had a third number once (2.0.6); from 90 on it is of development.
  const std::optional<int> third = Number(words[2]);
  if (!third.has_value()) return std::nullopt;
  return *third >= 90 ? *release + 1 : *release;
}

}  // namespace kernels
