// Trees built by build_tree.sh, and what differs between two of them.

#ifndef GLIBC_PATCHES_BUILT_TREE_H_
#define GLIBC_PATCHES_BUILT_TREE_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/subprocess.h"

namespace glibc_patches {

// Placements of code that each tree is linked for: tree.0.so, ...
inline constexpr int kPlacements = 4;

// OUT/tree.N.so
std::string PlacedTree(const std::string& built, int placement);

// Source files of variants, without ".S": those of //kernels:variants.bzl, of
// the list `kernel_files` (a line each), and those that only this tree has.
absl::StatusOr<std::vector<std::string>> FilesToBuild(
    const std::string& root, const std::vector<std::string>& patched_files,
    const advisor::FileReader& files);

// Runs build_tree.sh of `root`. InvalidArgument with the assembler's first
// message when the source cannot be built. `keep_parts`: see there.
absl::Status BuildTree(const std::string& source, const std::string& out,
                       const std::string& root,
                       const std::vector<std::string>& kernel_files,
                       const advisor::Subprocess& subprocess,
                       bool keep_parts = false);

struct TreeDifference {
  // Variants' source files, without ".S".
  std::set<std::string> changed;
  std::set<std::string> added;
  std::set<std::string> removed;
};

// Compares object files: their code, relocations and symbols. Comments, names
// of local labels and the place of the tree make no difference.
absl::StatusOr<TreeDifference> CompareTrees(const std::string& base,
                                            const std::string& patched,
                                            const advisor::FileReader& files);

// The files (paths in the tree) that the variants were made from.
absl::StatusOr<std::set<std::string>> FilesOf(const std::string& built,
                                              const advisor::FileReader& files);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_BUILT_TREE_H_
