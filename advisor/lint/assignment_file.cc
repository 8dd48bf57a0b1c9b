#include "advisor/lint/assignment_file.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace advisor {
namespace {

bool IsName(absl::string_view text) {
  return !text.empty() && !absl::ascii_isdigit(text[0]) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isalnum(c) || c == '_'; });
}

bool IsQuote(char c) { return c == '"' || c == '\''; }

// systemd's state machine for environment files.
class SystemdParser {
 public:
  explicit SystemdParser(absl::string_view text) : text_(text) {}

  std::vector<FileAssignment> Parse() {
    while (!AtEnd()) {
      SkipBlanks();
      if (AtEnd()) break;
      if (Peek() == '#' || Peek() == ';') {
        SkipComment();
      } else {
        Assignment();
      }
    }
    return std::move(assignments_);
  }

 private:
  bool AtEnd() const { return at_ == text_.size(); }
  char Peek() const { return text_[at_]; }
  char Next() {
    const char c = text_[at_++];
    if (c == '\n') ++line_;
    return c;
  }

  void SkipBlanks() {
    while (!AtEnd() && absl::ascii_isspace(Peek())) Next();
  }

  // A backslash continues a comment, too.
  void SkipComment() {
    while (!AtEnd()) {
      const char c = Next();
      if (c == '\n') return;
      if (c == '\\' && !AtEnd()) Next();
    }
  }

  void Assignment() {
    FileAssignment assignment;
    assignment.line = line_;
    while (!AtEnd() && Peek() != '=' && Peek() != '\n') {
      assignment.name.push_back(Next());
    }
    if (AtEnd() || Next() == '\n') return;  // No assignment.
    assignment.name =
        std::string(absl::StripTrailingAsciiWhitespace(assignment.name));
    Value(assignment);
    if (IsName(assignment.name)) assignments_.push_back(std::move(assignment));
  }

  void Value(FileAssignment& assignment) {
    std::string& value = assignment.value;
    size_t keep = 0;     // Blanks behind this are dropped at the end.
    bool plain = false;  // Outside of quotes, behind the first character.
    while (!AtEnd()) {
      const char c = Next();
      if (c == '\n') break;
      if (!plain && IsQuote(c)) {
        c == '"' ? DoubleQuoted(assignment) : SingleQuoted(value);
        keep = value.size();
      } else if (!plain && absl::ascii_isspace(c)) {
        continue;
      } else if (c == '\\') {
        plain = true;
        if (AtEnd()) break;
        const char escaped = Next();
        if (escaped != '\n') value.push_back(escaped);
        keep = value.size();
      } else {
        plain = true;
        assignment.expands |= c == '$';
        value.push_back(c);
        if (!absl::ascii_isspace(c)) keep = value.size();
      }
    }
    value.resize(keep);
  }

  void SingleQuoted(std::string& value) {
    while (!AtEnd()) {
      const char c = Next();
      if (c == '\'') return;
      value.push_back(c);
    }
  }

  void DoubleQuoted(FileAssignment& assignment) {
    std::string& value = assignment.value;
    while (!AtEnd()) {
      const char c = Next();
      if (c == '"') return;
      if (c != '\\' || AtEnd()) {
        assignment.expands |= c == '$';
        value.push_back(c);
        continue;
      }
      const char escaped = Next();
      if (escaped == '\n') continue;
      if (!absl::StrContains("\"\\`$", absl::string_view(&escaped, 1))) {
        value.push_back('\\');
      }
      value.push_back(escaped);
    }
  }

  const absl::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
  std::vector<FileAssignment> assignments_;
};

// The shell word at the front of `text`, its quotes taken off; `length` is that
// of what it was written with.
FileAssignment ShellWord(absl::string_view text, size_t& length) {
  FileAssignment word;
  char quote = 0;
  size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == '\'') {
      if (c == '\'') {
        quote = 0;
      } else {
        word.value.push_back(c);
      }
      continue;
    }
    if (c == '\\' && i + 1 < text.size()) {
      const char escaped = text[++i];
      if (escaped == '\n') continue;
      if (quote == '"' &&
          !absl::StrContains("\"\\`$", absl::string_view(&escaped, 1))) {
        word.value.push_back('\\');
      }
      word.value.push_back(escaped);
      continue;
    }
    if (quote == '"') {
      if (c == '"') {
        quote = 0;
        continue;
      }
    } else if (IsQuote(c)) {
      quote = c;
      continue;
    } else if (absl::ascii_isspace(c) ||
               absl::StrContains(";&|()", absl::string_view(&c, 1))) {
      break;
    }
    word.expands |= c == '$' || c == '`';
    word.value.push_back(c);
  }
  length = i;
  return word;
}

bool BeginsAComment(absl::string_view line) {
  const size_t first = line.find_first_not_of(" \t");
  return first != absl::string_view::npos && line[first] == '#';
}

}  // namespace

std::vector<FileAssignment> ParsePamEnvironment(absl::string_view text) {
  std::vector<FileAssignment> assignments;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripLeadingAsciiWhitespace(line);
    line = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
    absl::ConsumePrefix(&line, "export ");
    const size_t equals = line.find('=');
    if (equals == absl::string_view::npos) continue;
    FileAssignment assignment;
    assignment.name = std::string(line.substr(0, equals));
    assignment.line = number;
    absl::string_view value = line.substr(equals + 1);
    if (!value.empty() && IsQuote(value[0])) {
      value.remove_prefix(1);
      if (!value.empty() && IsQuote(value.back())) value.remove_suffix(1);
    }
    assignment.value = std::string(value);
    if (IsName(assignment.name)) assignments.push_back(std::move(assignment));
  }
  return assignments;
}

std::vector<FileAssignment> ParseSystemdEnvironmentFile(
    absl::string_view text) {
  return SystemdParser(text).Parse();
}

std::vector<FileAssignment> FindShellAssignments(absl::string_view text,
                                                 absl::string_view name) {
  std::vector<FileAssignment> assignments;
  const std::string wanted = absl::StrCat(name, "=");
  int line = 1;
  size_t line_begin = 0;
  size_t counted = 0;  // The two are those of the byte here.
  bool is_comment = BeginsAComment(text);
  size_t next = 0;
  for (size_t at = text.find(wanted); at != absl::string_view::npos;
       at = text.find(wanted, next)) {
    next = at + 1;
    for (; counted < at; ++counted) {
      if (text[counted] != '\n') continue;
      ++line;
      line_begin = counted + 1;
      is_comment = BeginsAComment(text.substr(line_begin));
    }
    const absl::string_view before = text.substr(line_begin, at - line_begin);
    if (is_comment) {
      // A comment, whatever else is in it.
      next = std::min(text.find('\n', at), text.size());
      continue;
    }
    // A word of its own, not the end of a longer name or inside a string.
    if (!before.empty() && !absl::ascii_isspace(before.back()) &&
        before.back() != ';' && before.back() != '&' && before.back() != '(') {
      continue;
    }
    const size_t value = at + wanted.size();
    size_t length;
    FileAssignment word = ShellWord(text.substr(value), length);
    word.name = std::string(name);
    word.line = line;
    assignments.push_back(std::move(word));
    // What stands in the value is no assignment.
    next = value + length;
  }
  return assignments;
}

absl::StatusOr<std::string> ReadSettingsFile(const FileReader& files,
                                             absl::string_view path) {
  constexpr size_t kMostBytes = size_t{1} << 20;
  absl::StatusOr<std::string> content = files.Read(path);
  if (content.ok() && content->size() > kMostBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": larger than 1 MiB"));
  }
  return content;
}

}  // namespace advisor
