#include "kernels/source_version.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace kernels {

std::optional<int> ReleaseOfVersion(absl::string_view version) {
  const std::vector<absl::string_view> words = absl::StrSplit(version, '.');
  int release = 0;
  if (words.size() < 2 || words.size() > 3 || words[0] != "2" ||
      !absl::SimpleAtoi(words[1], &release)) {
    return std::nullopt;
  }
  if (words.size() == 2) return release;
  // Releases had a third number once (2.0.6); from 90 on it is of development.
  int third = 0;
  if (!absl::SimpleAtoi(words[2], &third)) return std::nullopt;
  return third >= 90 ? release + 1 : release;
}

}  // namespace kernels
