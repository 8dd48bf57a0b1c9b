#include "glibc_patches/apply_diff.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"

namespace glibc_patches {
namespace {

constexpr int kMostStripped = 3;

// Lines with their ends, so that a missing last newline is a difference.
std::vector<absl::string_view> SplitLines(absl::string_view text) {
  std::vector<absl::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const size_t size = end == absl::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

struct Line {
  std::string text;  // with its end
  int patch_line;
};

// One side of a hunk.
std::vector<Line> Side(const Hunk& hunk, char kind) {
  std::vector<Line> side;
  int patch_line = hunk.line;
  for (const DiffLine& line : hunk.lines) {
    ++patch_line;
    if (line.kind == ' ' || line.kind == kind) {
      side.push_back(
          {line.ends_with_newline ? line.text + "\n" : line.text, patch_line});
    }
    if (!line.ends_with_newline) ++patch_line;
  }
  return side;
}

// How many lines of `side` stand at `at`.
size_t MatchLength(absl::Span<const absl::string_view> lines, size_t at,
                   absl::Span<const Line> side) {
  size_t length = 0;
  while (length < side.size() && at + length < lines.size() &&
         lines[at + length] == side[length].text) {
    ++length;
  }
  return length;
}

// A line for a message: its end only where it is unusual.
std::string Shown(absl::string_view line) {
  constexpr size_t kMost = 72;
  const bool has_newline = absl::EndsWith(line, "\n");
  if (has_newline) line.remove_suffix(1);
  return absl::StrCat("'", absl::CHexEscape(line.substr(0, kMost)),
                      line.size() > kMost ? "...'" : "'",
                      has_newline ? "" : " without a newline at its end");
}

class HunkApplier {
 public:
  HunkApplier(const Diff& diff, const std::string& path,
              absl::string_view content, std::vector<std::string>& moved)
      : diff_(diff), path_(path), lines_(SplitLines(content)), moved_(moved) {}

  absl::Status Apply(const Hunk& hunk, size_t number) {
    const std::vector<Line> old_side = Side(hunk, '-');
    // "-7,0" inserts after line 7.
    const int64_t stated =
        hunk.old_start - (hunk.old_count == 0 ? 0 : 1) + shift_;
    std::optional<size_t> place;
    if (Fits(stated, old_side)) {
      place = static_cast<size_t>(stated);
    } else if (!old_side.empty()) {
      place = OnlyOtherPlace(old_side);
    }
    if (!place.has_value()) return Mismatch(hunk, number, stated, old_side);
    if (static_cast<int64_t>(*place) != stated) {
      moved_.push_back(absl::StrCat(path_, ": hunk ", number,
                                    " stands at line ", *place + 1, ", not at ",
                                    stated + 1));
      shift_ += static_cast<int64_t>(*place) - stated;
    }
    for (; next_ < *place; ++next_) result_.append(std::string(lines_[next_]));
    for (const Line& line : Side(hunk, '+')) result_ += line.text;
    next_ += old_side.size();
    return absl::OkStatus();
  }

  std::string Finish() {
    for (; next_ < lines_.size(); ++next_) {
      result_.append(std::string(lines_[next_]));
    }
    return std::move(result_);
  }

 private:
  bool Fits(int64_t at, absl::Span<const Line> side) const {
    return at >= static_cast<int64_t>(next_) &&
           at <= static_cast<int64_t>(lines_.size()) &&
           MatchLength(lines_, at, side) == side.size();
  }

  std::optional<size_t> OnlyOtherPlace(absl::Span<const Line> side) const {
    std::optional<size_t> found;
    for (size_t at = next_; at + side.size() <= lines_.size(); ++at) {
      if (MatchLength(lines_, at, side) < side.size()) continue;
      if (found.has_value()) return std::nullopt;
      found = at;
    }
    return found;
  }

  absl::Status Mismatch(const Hunk& hunk, size_t number, int64_t stated,
                        absl::Span<const Line> side) const {
    const auto error = [&](int line, absl::string_view what) {
      return absl::InvalidArgumentError(absl::StrCat(
          diff_.name, ":", line, ": ", path_, ": hunk ", number, ": ", what));
    };
    if (stated < static_cast<int64_t>(next_)) {
      return error(hunk.line,
                   "expected hunks in the order of their lines, "
                   "found one that begins before the last ended");
    }
    if (side.empty() || stated >= static_cast<int64_t>(lines_.size())) {
      return error(hunk.line,
                   absl::StrCat("expected a file of ", stated + side.size(),
                                " lines or more, found ", lines_.size()));
    }
    const size_t same = MatchLength(lines_, stated, side);
    const Line& wanted = side[same];
    const size_t at = static_cast<size_t>(stated) + same;
    const std::string found =
        at < lines_.size() ? Shown(lines_[at]) : "the end of the file";
    const bool only_line_end =
        at < lines_.size() && absl::StrCat(absl::StripSuffix(wanted.text, "\n"),
                                           "\r\n") == lines_[at];
    return error(wanted.patch_line,
                 absl::StrCat("expected ", Shown(wanted.text), " at line ",
                              at + 1, ", found ", found,
                              only_line_end ? " (CR LF line ends)" : ""));
  }

  const Diff& diff_;
  const std::string& path_;
  const std::vector<absl::string_view> lines_;
  std::vector<std::string>& moved_;
  size_t next_ = 0;  // first line that is not in `result_`
  int64_t shift_ = 0;
  std::string result_;
};

}  // namespace

std::optional<std::string> PatchedFiles::Read(const std::string& path) const {
  const auto change = changes_.find(path);
  return change == changes_.end() ? base_(path) : change->second;
}

int DetectStrip(const Diff& diff,
                const std::function<bool(const std::string&)>& exists) {
  int best = 0, most = 0;
  for (int strip = 0; strip <= kMostStripped; ++strip) {
    int found = 0;
    for (const FileChange& file : diff.files) {
      for (const auto& path : {file.old_path, file.new_path}) {
        if (!path.has_value()) continue;
        const std::optional<std::string> stripped = StripPath(*path, strip);
        if (stripped.has_value() && exists(*stripped)) ++found;
      }
    }
    if (found > most) {
      best = strip;
      most = found;
    }
  }
  if (most > 0) return best;
  const auto has_git_prefixes = [](const FileChange& file) {
    return (!file.old_path || absl::StartsWith(*file.old_path, "a/")) &&
           (!file.new_path || absl::StartsWith(*file.new_path, "b/"));
  };
  return std::all_of(diff.files.begin(), diff.files.end(), has_git_prefixes)
             ? 1
             : 0;
}

absl::Status StripPaths(const Diff& diff, const FileChange& file, int strip,
                        StrippedPaths& paths) {
  const auto strip_one = [&](const std::optional<std::string>& from,
                             std::optional<std::string>& to) {
    to = std::nullopt;
    if (!from.has_value()) return absl::OkStatus();
    to = StripPath(*from, strip);
    if (to.has_value()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        diff.name, ":", file.line, ": expected a path inside the tree after ",
        strip, " components, found '", absl::CHexEscape(*from), "'"));
  };
  if (absl::Status status = strip_one(file.old_path, paths.old_path);
      !status.ok()) {
    return status;
  }
  return strip_one(file.new_path, paths.new_path);
}

absl::Status ApplyFileChange(const Diff& diff, const FileChange& file,
                             const StrippedPaths& paths, PatchedFiles& files,
                             std::vector<std::string>& moved) {
  const std::string& path = paths.new_path ? *paths.new_path : *paths.old_path;
  const auto error = [&](absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat(diff.name, ":", file.line, ": ", path, ": ", what));
  };
  if (file.is_binary) {
    return error("expected a change as lines, found a binary one");
  }
  StrippedPaths sides = paths;
  if (file.old_is_epoch) sides.old_path = std::nullopt;
  // `diff -N` names the file on both sides; the names may differ in a suffix
  // (x.orig), and then the one that is there counts.
  const bool moves = file.is_rename || file.is_copy;
  std::string content;
  if (sides.old_path.has_value()) {
    std::optional<std::string> found = files.Read(*sides.old_path);
    if (!found.has_value() && !moves && sides.new_path.has_value()) {
      sides.old_path = sides.new_path;
      found = files.Read(*sides.old_path);
    }
    if (!found.has_value()) return error("expected the file, found none");
    content = *std::move(found);
  }
  const bool creates = !sides.old_path.has_value() ||
                       (moves && sides.old_path != sides.new_path);
  if (creates && sides.new_path.has_value() && files.Read(*sides.new_path)) {
    return error("expected no such file yet, found one");
  }
  HunkApplier applier(diff, path, content, moved);
  for (size_t i = 0; i < file.hunks.size(); ++i) {
    absl::Status status = applier.Apply(file.hunks[i], i + 1);
    if (!status.ok()) return status;
  }
  std::string result = applier.Finish();
  const bool removes = !sides.new_path.has_value() || file.new_is_epoch;
  if (removes && !result.empty()) {
    return error(
        "expected an empty file after its removal, found lines that "
        "the patch does not name");
  }
  if (sides.old_path.has_value() && (removes || file.is_rename)) {
    files.Set(*sides.old_path, std::nullopt);
  }
  if (!removes) {
    // Of two names of one file, that of the file that is there.
    const bool one_file = sides.old_path.has_value() && !moves;
    files.Set(one_file ? *sides.old_path : *sides.new_path, std::move(result));
  }
  return absl::OkStatus();
}

}  // namespace glibc_patches
