#include "glibc_patches/diff.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace glibc_patches {
namespace {

constexpr size_t kMostBytes = size_t{64} << 20;
// Beyond any file; keeps sums of lines and counts from overflowing.
constexpr int64_t kMostLines = 1 << 28;

// For a message: printable, and not a whole file.
std::string Quoted(absl::string_view text) {
  constexpr size_t kMost = 60;
  std::string result =
      absl::StrCat("'", absl::CHexEscape(text.substr(0, kMost)),
                   text.size() > kMost ? "...'" : "'");
  return result;
}

// "12,3" or "12", which stands for "12,1".
bool ParseRange(absl::string_view text, int64_t& start, int64_t& count) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(',', 1));
  const auto is_number = [](absl::string_view word) {
    return !word.empty() &&
           std::all_of(word.begin(), word.end(), absl::ascii_isdigit);
  };
  count = 1;
  return is_number(parts.first) && absl::SimpleAtoi(parts.first, &start) &&
         start <= kMostLines &&
         (!absl::StrContains(text, ',') ||
          (is_number(parts.second) && absl::SimpleAtoi(parts.second, &count) &&
           count <= kMostLines)) &&
         // Line 0 is no line, but the place of a side that has none.
         (start > 0 || count == 0);
}

// "@@ -1,2 +1,3 @@ anything"
bool ParseHunkHeader(absl::string_view line, Hunk& hunk) {
  if (!absl::ConsumePrefix(&line, "@@ -")) return false;
  const size_t end = line.find(" @@");
  if (end == absl::string_view::npos) return false;
  const std::pair<absl::string_view, absl::string_view> ranges =
      absl::StrSplit(line.substr(0, end), absl::MaxSplits(" +", 1));
  return ParseRange(ranges.first, hunk.old_start, hunk.old_count) &&
         ParseRange(ranges.second, hunk.new_start, hunk.new_count);
}

// A path as git quotes it when it holds special bytes.
std::optional<std::string> Unquote(absl::string_view word) {
  if (!absl::StartsWith(word, "\"")) return std::string(word);
  std::string path;
  if (word.size() < 2 || word.back() != '"' ||
      !absl::CUnescape(word.substr(1, word.size() - 2), &path)) {
    return std::nullopt;
  }
  return path;
}

struct NamedFile {
  std::optional<std::string> path;
  bool is_epoch = false;
};

// What follows "--- " or "+++ ": a path, and after a tab a time stamp.
std::optional<NamedFile> ParseFileName(absl::string_view rest) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(rest, absl::MaxSplits('\t', 1));
  const absl::string_view word =
      absl::StripTrailingAsciiWhitespace(parts.first);
  if (word == "/dev/null") return NamedFile();
  std::optional<std::string> path = Unquote(word);
  if (!path.has_value() || path->empty() ||
      absl::StrContains(*path, absl::string_view("\0", 1))) {
    return std::nullopt;
  }
  // West of Greenwich the epoch is in 1969.
  return NamedFile{std::move(path),
                   absl::StartsWith(parts.second, "1970-01-01") ||
                       absl::StartsWith(parts.second, "1969-12-31")};
}

// "a/x b/x", in which only what stands before the first slash may differ.
std::optional<std::pair<std::string, std::string>> ParseGitHeader(
    absl::string_view rest) {
  if (absl::StartsWith(rest, "\"")) {
    const size_t end = rest.find("\" ");
    if (end == absl::string_view::npos) return std::nullopt;
    auto first = Unquote(rest.substr(0, end + 1));
    auto second = Unquote(rest.substr(end + 2));
    if (!first || !second) return std::nullopt;
    return std::make_pair(*std::move(first), *std::move(second));
  }
  const size_t middle = rest.size() / 2;
  if (rest.size() % 2 == 0 || rest[middle] != ' ') return std::nullopt;
  const absl::string_view first = rest.substr(0, middle);
  const absl::string_view second = rest.substr(middle + 1);
  const auto tail = [](absl::string_view path) {
    const size_t slash = path.find('/');
    return slash == absl::string_view::npos ? path : path.substr(slash);
  };
  if (tail(first) != tail(second)) return std::nullopt;
  return std::make_pair(std::string(first), std::string(second));
}

class Parser {
 public:
  Parser(absl::string_view text, absl::string_view name) : name_(name) {
    lines_ = absl::StrSplit(text, '\n');
    // What ends with a newline has no further line.
    if (!lines_.empty() && lines_.back().empty()) lines_.pop_back();
  }

  absl::StatusOr<Diff> Parse() {
    DropMangledLineEnds();
    while (at_ < lines_.size()) {
      const absl::Status status = ParseOne();
      if (!status.ok()) return status;
    }
    if (absl::Status status = FinishFile(); !status.ok()) return status;
    if (files_.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          name_, ":1: expected a diff (--- and +++ lines), found none"));
    }
    return Diff{name_, std::move(files_)};
  }

 private:
  absl::Status Error(size_t index, absl::string_view what) const {
    return absl::InvalidArgumentError(
        absl::StrCat(name_, ":", index + 1, ": ", what));
  }

  // The line at `index`, and what a message says about it.
  std::string Found(size_t index) const {
    return index < lines_.size() ? absl::StrCat("found ", Quoted(lines_[index]))
                                 : "found the end of the patch";
  }

  void DropMangledLineEnds() {
    const auto is_own_line = [](absl::string_view line) {
      Hunk hunk;
      return ParseHunkHeader(line, hunk);
    };
    bool mangled = false;
    for (const absl::string_view line : lines_) {
      if (!is_own_line(line)) continue;
      if (!absl::EndsWith(line, "\r")) return;
      mangled = true;
    }
    if (!mangled) return;
    for (absl::string_view& line : lines_) absl::ConsumeSuffix(&line, "\r");
  }

  absl::Status ParseOne() {
    const absl::string_view line = lines_[at_];
    Hunk hunk;
    if (absl::StartsWith(line, "diff --git ")) return StartGitFile();
    if (StartsNames()) return ParseNames();
    if (ParseHunkHeader(line, hunk)) return ParseHunk(std::move(hunk));
    if (absl::StartsWith(line, "@@ -")) {
      return Error(at_, absl::StrCat("expected @@ -LINE,COUNT +LINE,COUNT @@, ",
                                     Found(at_)));
    }
    if (in_git_header_) {
      // A change of names and modes alone ends where a mail goes on.
      if (line.empty() || line == "-- ") return FinishFile();
      ParseExtendedHeader(line);
    }
    if (current_.has_value() && (absl::StartsWith(line, "GIT binary patch") ||
                                 absl::StartsWith(line, "Binary files "))) {
      current_->is_binary = true;
    }
    ++at_;
    return absl::OkStatus();
  }

  // Such lines may be prose, but not below git's header or above a hunk.
  bool StartsNames() const {
    return absl::StartsWith(lines_[at_], "--- ") && at_ + 1 < lines_.size() &&
           absl::StartsWith(lines_[at_ + 1], "+++ ") &&
           (in_git_header_ || (at_ + 2 < lines_.size() &&
                               absl::StartsWith(lines_[at_ + 2], "@@ -")));
  }

  absl::Status StartGitFile() {
    if (absl::Status status = FinishFile(); !status.ok()) return status;
    git_header_ = lines_[at_].substr(sizeof("diff --git ") - 1);
    current_ = FileChange();
    current_->line = static_cast<int>(at_) + 1;
    if (auto paths = ParseGitHeader(git_header_)) {
      current_->old_path = std::move(paths->first);
      current_->new_path = std::move(paths->second);
    }
    in_git_header_ = true;
    ++at_;
    return absl::OkStatus();
  }

  // The prefix ("a/") that git leaves out of "rename from" lines.
  std::string WithPrefix(absl::string_view path, bool is_new) const {
    const size_t at = is_new ? git_header_.rfind(path) : git_header_.find(path);
    if (at == absl::string_view::npos) return std::string(path);
    if (!is_new) return absl::StrCat(git_header_.substr(0, at), path);
    const size_t space = git_header_.substr(0, at).rfind(' ');
    if (space == absl::string_view::npos) return std::string(path);
    return absl::StrCat(git_header_.substr(space + 1, at - space - 1), path);
  }

  void ParseExtendedHeader(absl::string_view line) {
    FileChange& file = *current_;
    if (absl::ConsumePrefix(&line, "old mode ")) {
      file.old_mode = std::string(line);
    } else if (absl::ConsumePrefix(&line, "new mode ")) {
      file.new_mode = std::string(line);
    } else if (absl::ConsumePrefix(&line, "new file mode ")) {
      file.new_mode = std::string(line);
      file.old_path = std::nullopt;
    } else if (absl::ConsumePrefix(&line, "deleted file mode ")) {
      file.old_mode = std::string(line);
      file.new_path = std::nullopt;
    } else if (absl::ConsumePrefix(&line, "rename from ") ||
               absl::ConsumePrefix(&line, "copy from ")) {
      file.old_path = WithPrefix(Unquote(line).value_or(""), false);
      file.is_rename = absl::StartsWith(lines_[at_], "rename");
      file.is_copy = !file.is_rename;
    } else if (absl::ConsumePrefix(&line, "rename to ") ||
               absl::ConsumePrefix(&line, "copy to ")) {
      file.new_path = WithPrefix(Unquote(line).value_or(""), true);
    }
  }

  absl::Status ParseNames() {
    // Git's own header of the same file may stand before.
    if (!in_git_header_) {
      if (absl::Status status = FinishFile(); !status.ok()) return status;
      current_ = FileChange();
      current_->line = static_cast<int>(at_) + 1;
    }
    for (const bool is_new : {false, true}) {
      std::optional<NamedFile> named = ParseFileName(lines_[at_].substr(4));
      if (!named.has_value()) {
        return Error(at_, absl::StrCat("expected a path, ", Found(at_)));
      }
      (is_new ? current_->new_path : current_->old_path) = named->path;
      (is_new ? current_->new_is_epoch : current_->old_is_epoch) =
          named->is_epoch;
      ++at_;
    }
    in_git_header_ = false;
    Hunk hunk;
    if (at_ >= lines_.size() || !ParseHunkHeader(lines_[at_], hunk)) {
      return Error(at_, absl::StrCat("expected @@ -LINE,COUNT +LINE,COUNT @@, ",
                                     Found(at_)));
    }
    return absl::OkStatus();
  }

  absl::Status ParseHunk(Hunk hunk) {
    if (!current_.has_value() || in_git_header_) {
      return Error(at_, "expected --- and +++ lines before a hunk, found none");
    }
    const size_t header = at_;
    hunk.line = static_cast<int>(at_) + 1;
    ++at_;
    int64_t old_left = hunk.old_count, new_left = hunk.new_count;
    if (current_->hunks.empty()) old_ended_ = new_ended_ = false;
    while (old_left > 0 || new_left > 0) {
      const absl::string_view line =
          at_ < lines_.size() ? lines_[at_] : absl::string_view();
      if (absl::StartsWith(line, "\\") && !hunk.lines.empty()) {
        MarkNoNewline(hunk);
        continue;
      }
      // Mailers and editors drop the blank of an empty line.
      const char kind = line.empty() ? ' ' : line[0];
      const bool is_old = kind == ' ' || kind == '-';
      const bool is_new = kind == ' ' || kind == '+';
      if (at_ >= lines_.size() || (!is_old && !is_new) ||
          (is_old && old_left == 0) || (is_new && new_left == 0)) {
        return Error(
            at_, absl::StrCat("expected ", old_left, " more old and ", new_left,
                              " more new lines of the hunk of line ",
                              header + 1, ", ", Found(at_)));
      }
      if ((is_old && old_ended_) || (is_new && new_ended_)) {
        return Error(at_, absl::StrCat("expected no line of a side after its "
                                       "last, which has no newline, ",
                                       Found(at_)));
      }
      hunk.lines.push_back(
          {kind, std::string(line.empty() ? line : line.substr(1)), true});
      old_left -= is_old ? 1 : 0;
      new_left -= is_new ? 1 : 0;
      ++at_;
    }
    if (at_ < lines_.size() && absl::StartsWith(lines_[at_], "\\") &&
        !hunk.lines.empty()) {
      MarkNoNewline(hunk);
    }
    current_->hunks.push_back(std::move(hunk));
    return CheckHunkEnd();
  }

  // "\ No newline at end of file", in whatever language.
  void MarkNoNewline(Hunk& hunk) {
    DiffLine& line = hunk.lines.back();
    line.ends_with_newline = false;
    old_ended_ = old_ended_ || line.kind != '+';
    new_ended_ = new_ended_ || line.kind != '-';
    ++at_;
  }

  // A line of a hunk where there should be none: its counts are wrong.
  absl::Status CheckHunkEnd() const {
    if (at_ >= lines_.size()) return absl::OkStatus();
    const absl::string_view line = lines_[at_];
    // "-- " is what git and mailers put above a signature.
    const bool is_signature = line == "-- " || line == "--";
    const bool is_hunk_line = absl::StartsWith(line, "+") ||
                              absl::StartsWith(line, "-") ||
                              absl::StartsWith(line, " ");
    if (!is_hunk_line || is_signature || StartsNames()) return absl::OkStatus();
    return Error(at_,
                 absl::StrCat("expected the end of the hunk of line ",
                              current_->hunks.back().line, ", ", Found(at_)));
  }

  absl::Status FinishFile() {
    in_git_header_ = false;
    if (!current_.has_value()) return absl::OkStatus();
    FileChange file = *std::exchange(current_, std::nullopt);
    if (!file.old_path.has_value() && !file.new_path.has_value()) {
      return Error(file.line - 1, absl::StrCat("expected the path of a file, ",
                                               Found(file.line - 1)));
    }
    files_.push_back(std::move(file));
    return absl::OkStatus();
  }

  const std::string name_;
  std::vector<absl::string_view> lines_;
  size_t at_ = 0;
  std::vector<FileChange> files_;
  std::optional<FileChange> current_;
  // Whether the last line of a side of the current file was seen.
  bool old_ended_ = false;
  bool new_ended_ = false;
  // Between "diff --git" and "---".
  bool in_git_header_ = false;
  absl::string_view git_header_;
};

}  // namespace

absl::StatusOr<Diff> ParseDiff(absl::string_view text, absl::string_view name) {
  if (text.size() > kMostBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ":1: expected at most ", kMostBytes,
                     " bytes, found ", text.size()));
  }
  return Parser(text, name).Parse();
}

std::optional<std::string> StripPath(absl::string_view path, int components) {
  // What is stripped is looked at too: it is no way out of the tree either.
  for (const absl::string_view part : absl::StrSplit(path, '/')) {
    if (part.empty() || part == "." || part == "..") return std::nullopt;
  }
  for (int i = 0; i < components; ++i) {
    const size_t slash = path.find('/');
    if (slash == absl::string_view::npos) return std::nullopt;
    path.remove_prefix(slash + 1);
  }
  return std::string(path);
}

}  // namespace glibc_patches
