// Puts a patch into a source tree, or says where it does not fit.

#ifndef GLIBC_PATCHES_APPLY_DIFF_H_
#define GLIBC_PATCHES_APPLY_DIFF_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "glibc_patches/diff.h"

namespace glibc_patches {

// The files of a tree, by path from its top, with changes that are kept here.
class PatchedFiles {
 public:
  // Gives the content of a file of the base; nullopt when there is none.
  using Reader = std::function<std::optional<std::string>(const std::string&)>;

  explicit PatchedFiles(Reader base) : base_(std::move(base)) {}

  std::optional<std::string> Read(const std::string& path) const;
  // nullopt removes the file.
  void Set(const std::string& path, std::optional<std::string> content) {
    changes_[path] = std::move(content);
  }
  // What differs from the base.
  const std::map<std::string, std::optional<std::string>>& changes() const {
    return changes_;
  }

 private:
  Reader base_;
  std::map<std::string, std::optional<std::string>> changes_;
};

// How many leading components of the patch's paths are no part of the tree (as
// -p of patch(1), 0 to 3): the number under which most of its files are in the
// tree. For a patch none of whose files are there: 1 where all paths begin with
// git's "a/" and "b/", or else 0.
int DetectStrip(const Diff& diff,
                const std::function<bool(const std::string&)>& exists);

// A file's part of a patch, its paths stripped; nullopt stands for no file.
struct StrippedPaths {
  std::optional<std::string> old_path;
  std::optional<std::string> new_path;
};

// InvalidArgument when a path has too few components or leaves the tree.
absl::Status StripPaths(const Diff& diff, const FileChange& file, int strip,
                        StrippedPaths& paths);

// Applies one file's part. Every line of context and every removed line must
// stand in the file exactly. A hunk that is not where it says is taken where
// its old lines do stand, if that is one single place after the hunk before it;
// each time a line is added to `moved`. InvalidArgument
// "PATCH:LINE: FILE: hunk N: expected ..., found ..." with the first line that
// differs (line ends included), for a file that is missing, or there already,
// or is not empty after its removal.
absl::Status ApplyFileChange(const Diff& diff, const FileChange& file,
                             const StrippedPaths& paths, PatchedFiles& files,
                             std::vector<std::string>& moved);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_APPLY_DIFF_H_
