#include "glibc_patches/tree_release.h"

#include <algorithm>

#include "advisor/glibc/build.h"
#include "kernels/source_version.h"

namespace glibc_patches {

std::optional<int> ModelledRelease(absl::string_view version) {
  const std::optional<int> release = kernels::ReleaseOfVersion(version);
  if (!release.has_value()) return std::nullopt;
  return std::clamp(*release, advisor::kFirstRelease, advisor::kLastRelease);
}

}  // namespace glibc_patches
