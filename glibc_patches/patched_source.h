// The base tree, a private copy of it, and patches applied to the copy.

#ifndef GLIBC_PATCHES_PATCHED_SOURCE_H_
#define GLIBC_PATCHES_PATCHED_SOURCE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "advisor/host/environment.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/subprocess.h"
#include "glibc_patches/diff.h"

namespace glibc_patches {

struct PatchPlan {
  // Paths in the tree that a patch touches, sorted, by what can judge them.
  std::vector<std::string> kernel_files;
  std::vector<std::string> threshold_files;
  std::vector<std::string> other_files;
  // Hunks that stand elsewhere than their patch says.
  std::vector<std::string> moved;
};

// Where glibc's source is by default: $GLIBC_SOURCE, or the newest tarball of
// the package glibc-source. NotFound without either.
absl::StatusOr<std::string> FindBase(const advisor::Environment& environment,
                                     const advisor::FileReader& files);

// A folder with glibc's source: `base` itself, or what `base` as a tarball has
// of it, unpacked into `scratch`. InvalidArgument in one line for anything
// else.
absl::StatusOr<std::string> OpenBase(const std::string& base,
                                     const std::string& scratch,
                                     const advisor::FileReader& files,
                                     const advisor::Subprocess& subprocess);

// "2.36", from the tree's version.h.
absl::StatusOr<std::string> ReleaseOf(const std::string& source,
                                      const advisor::FileReader& files);

// Copies what the memory functions need of `base` to `to` and applies the
// covered parts of the patches there, in order. Others are only named: their
// files need not be there. When no part is covered, nothing is copied.
// InvalidArgument where a covered part does not apply.
absl::StatusOr<PatchPlan> ApplyPatches(const std::vector<Diff>& patches,
                                       const std::string& base,
                                       const std::string& to,
                                       const advisor::FileReader& files);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_PATCHED_SOURCE_H_
