// A file, a FS character (0x1c) and a patch, which is applied to a tree in
// which every path that it names is that file.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "glibc_patches/apply_diff.h"
#include "glibc_patches/diff.h"
#include "tools/fuzzing/fuzzing.h"

namespace glibc_patches {
namespace {

void RequireDiff(const Diff& diff) {
  fuzzing::Require(!diff.files.empty(), "a file in a diff");
  for (const FileChange& file : diff.files) {
    fuzzing::Require(file.old_path.has_value() || file.new_path.has_value(),
                     "the path of a file");
    for (const Hunk& hunk : file.hunks) {
      const auto count = [&hunk](char other_side) {
        return std::count_if(
            hunk.lines.begin(), hunk.lines.end(),
            [&](const DiffLine& line) { return line.kind != other_side; });
      };
      fuzzing::Require(
          count('+') == hunk.old_count && count('-') == hunk.new_count,
          "as many lines as a hunk says");
    }
  }
}

// The change that undoes one which was applied where it says.
FileChange Reverse(const FileChange& file) {
  FileChange reverse = file;
  std::swap(reverse.old_mode, reverse.new_mode);
  int64_t shift = 0;
  for (Hunk& hunk : reverse.hunks) {
    const int64_t old_place = hunk.old_start - (hunk.old_count == 0 ? 0 : 1);
    hunk.new_start = old_place + (hunk.old_count == 0 ? 0 : 1);
    hunk.old_start = old_place + shift + (hunk.new_count == 0 ? 0 : 1);
    shift += hunk.new_count - hunk.old_count;
    std::swap(hunk.old_count, hunk.new_count);
    for (DiffLine& line : hunk.lines) {
      line.kind = line.kind == '-' ? '+' : line.kind == '+' ? '-' : ' ';
    }
  }
  return reverse;
}

void TestReverse(const Diff& diff, const StrippedPaths& paths,
                 const std::string& base, const std::string& patched) {
  PatchedFiles files([&](const std::string&) { return patched; });
  std::vector<std::string> moved;
  const absl::Status status =
      ApplyFileChange(diff, Reverse(diff.files[0]), paths, files, moved);
  fuzzing::Require(status.ok(), status.ToString());
  fuzzing::Require(files.Read(*paths.old_path) == base,
                   "the old file from the new one");
}

void TestApply(const Diff& diff, const std::string& base) {
  PatchedFiles files([&](const std::string& path) {
    return absl::EndsWith(path, "new") ? std::nullopt
                                       : std::optional<std::string>(base);
  });
  const int strip = DetectStrip(diff, [&](const std::string& path) {
    return files.Read(path).has_value();
  });
  std::vector<std::string> moved;
  for (const FileChange& file : diff.files) {
    StrippedPaths paths;
    absl::Status status = StripPaths(diff, file, strip, paths);
    if (status.ok()) {
      status = ApplyFileChange(diff, file, paths, files, moved);
    }
    if (!status.ok()) {
      fuzzing::Require(absl::IsInvalidArgument(status), status.ToString());
      return;
    }
    const bool in_place = paths.old_path.has_value() &&
                          paths.old_path == paths.new_path && !file.is_rename &&
                          !file.is_copy && !file.old_is_epoch &&
                          !file.new_is_epoch;
    if (diff.files.size() == 1 && in_place && moved.empty()) {
      const std::optional<std::string> patched = files.Read(*paths.new_path);
      if (patched.has_value()) TestReverse(diff, paths, base, *patched);
    }
  }
  for (const auto& [path, content] : files.changes()) {
    fuzzing::Require(StripPath(path, 0) == path, "paths inside the tree");
  }
}

void TestOne(fuzzing::Choices choices) {
  const std::string base(choices.Until('\x1c'));
  const absl::StatusOr<Diff> diff = ParseDiff(choices.Rest(), "in");
  if (!diff.ok()) return fuzzing::RequireInputError(diff.status(), "in");
  RequireDiff(*diff);
  TestApply(*diff, base);
}

}  // namespace
}  // namespace glibc_patches

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  glibc_patches::TestOne(fuzzing::Choices(fuzzing::Text(data, size)));
  return 0;
}
