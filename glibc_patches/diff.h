// Patches as text: git's format, or unified diffs as `diff -u` writes them, one
// file or many, with or without a mail around them.

#ifndef GLIBC_PATCHES_DIFF_H_
#define GLIBC_PATCHES_DIFF_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace glibc_patches {

struct DiffLine {
  // ' ' stands in both files, '-' in the old one, '+' in the new one.
  char kind;
  // Without the line's end.
  std::string text;
  // False before "\ No newline at end of file".
  bool ends_with_newline = true;
};

struct Hunk {
  // 1-based lines of the files; 0 for a side without lines.
  int64_t old_start = 0, old_count = 0;
  int64_t new_start = 0, new_count = 0;
  std::vector<DiffLine> lines;
  // Where its @@ stands in the patch, 1-based; line i of `lines` is not always
  // i further (there are lines with a backslash), so each is counted from here.
  int line = 0;
};

// One file's part of a patch. Paths are as written, with all prefixes.
struct FileChange {
  // nullopt for /dev/null, and where git says that a file is new or deleted.
  std::optional<std::string> old_path;
  std::optional<std::string> new_path;
  // With "rename from" or "copy from".
  bool is_rename = false;
  bool is_copy = false;
  // Content that is not given as lines.
  bool is_binary = false;
  // A time stamp of 1970, with which `diff -N` says that there is no file.
  bool old_is_epoch = false;
  bool new_is_epoch = false;
  // "100644"; nullopt where the patch says nothing.
  std::optional<std::string> old_mode;
  std::optional<std::string> new_mode;
  std::vector<Hunk> hunks;
  // Where it begins in the patch, 1-based.
  int line = 0;

  // The path that a reader would name: the new one, or the old one of a file
  // that is deleted.
  const std::string& path() const { return new_path ? *new_path : *old_path; }
};

struct Diff {
  // The patch's file, for messages.
  std::string name;
  // In the order of the patch; a file may occur more than once in a series.
  std::vector<FileChange> files;
};

// What stands before, between and after the files' parts is prose and is
// skipped. A patch whose own lines (---, +++, @@) end with CR LF came through a
// program that changed its line ends: all CRs at line ends are then dropped.
// Any bytes may be given. InvalidArgument "NAME:LINE: expected ..., found ..."
// for a hunk that is shorter or longer than it says, a hunk without a file, a
// path that cannot be read, a patch without any file, more than 64 MiB.
absl::StatusOr<Diff> ParseDiff(absl::string_view text, absl::string_view name);

// `path` without its first `components`; nullopt when there are not that many,
// and for what must not be written to: absolute paths, "..", "." and empty
// components.
std::optional<std::string> StripPath(absl::string_view path, int components);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_DIFF_H_
