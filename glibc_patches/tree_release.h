// Which release of the model stands for a source tree.

#ifndef GLIBC_PATCHES_TREE_RELEASE_H_
#define GLIBC_PATCHES_TREE_RELEASE_H_

#include <optional>

#include "absl/strings/string_view.h"

namespace glibc_patches {

// The NN of the release 2.NN that the model (advisor/glibc) answers for a tree
// whose version.h says `version`: kernels::ReleaseOfVersion(), or the first or
// last release that the model knows where that one is older or newer. nullopt
// for what is no version.
std::optional<int> ModelledRelease(absl::string_view version);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_TREE_RELEASE_H_
