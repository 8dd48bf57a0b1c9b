// Source trees that build_tree.sh made into shared objects. A binary with this
// library gets its trees at run time: it is its registry (kernels/variant.h),
// and the trees that a patch makes need no link of the whole binary.

#ifndef GLIBC_PATCHES_LOADED_TREES_H_
#define GLIBC_PATCHES_LOADED_TREES_H_

#include <cstddef>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace glibc_patches {

// Loads the shared object at `path` as the tree `name`. Trees are in the order
// of their loading; one path gives one tree, so a second copy of a tree must be
// a second file. To be called before anything asks for AllTrees() or
// AllVariants(). InvalidArgument when it cannot be loaded or is no tree.
// `sizes` corrects the bytes of symbols, by name, where a file of the tree was
// assembled anew.
absl::Status LoadTree(const std::string& path, absl::string_view name,
                      const std::map<std::string, size_t>& sizes = {});

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_LOADED_TREES_H_
