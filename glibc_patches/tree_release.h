// Which release of glibc a source tree's version stands for.

#ifndef GLIBC_PATCHES_TREE_RELEASE_H_
#define GLIBC_PATCHES_TREE_RELEASE_H_

#include <optional>

#include "absl/strings/string_view.h"

namespace glibc_patches {

// The NN of the release 2.NN that the model (advisor/glibc) answers for a tree
// whose version.h says `version`. A tree in development ("2.36.9000", and
// "2.25.90" until 2.26) is on its way to the next release. Those before the
// first and after the last release that the model knows get that one. nullopt
// for anything else.
std::optional<int> ModelledRelease(absl::string_view version);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_TREE_RELEASE_H_
