// The version that a glibc source tree says it has.

#ifndef KERNELS_SOURCE_VERSION_H_
#define KERNELS_SOURCE_VERSION_H_

#include <optional>

#include "absl/strings/string_view.h"

namespace kernels {

// The NN of the release 2.NN that a tree of this version (of its version.h) is,
// or is on its way to: "2.36" and "2.35.9000" give 36, and "2.25.90", as trees
// in development were called until 2.26, gives 26. nullopt for anything else.
std::optional<int> ReleaseOfVersion(absl::string_view version);

}  // namespace kernels

#endif  // KERNELS_SOURCE_VERSION_H_
