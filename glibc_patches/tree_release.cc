#include "glibc_patches/tree_release.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "advisor/glibc/build.h"

namespace glibc_patches {

std::optional<int> ModelledRelease(absl::string_view version) {
  const std::vector<absl::string_view> words = absl::StrSplit(version, '.');
  int release = 0;
  if (words.size() < 2 || words.size() > 3 || words[0] != "2" ||
      !absl::SimpleAtoi(words[1], &release)) {
    return std::nullopt;
  }
  if (words.size() == 3) {
    // Of the versions with a third number, only those of development are from
    // 90 on: 2.0.6 was a release.
    int third = 0;
    if (!absl::SimpleAtoi(words[2], &third)) return std::nullopt;
    if (third >= 90) ++release;
  }
  return std::clamp(release, advisor::kFirstRelease, advisor::kLastRelease);
}

}  // namespace glibc_patches
