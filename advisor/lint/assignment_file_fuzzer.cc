// Files that assign environment variables. The first byte chooses who reads the
// rest; what is written as systemd wants it is read back.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "advisor/lint/assignment_file.h"
#include "advisor/lint/unit_syntax.h"
#include "tools/fuzzing/fuzzing.h"

namespace advisor {
namespace {

constexpr char kVariable[] = "T";

void RequireAssignments(absl::string_view text,
                        const std::vector<FileAssignment>& found) {
  const auto lines = 1 + std::count(text.begin(), text.end(), '\n');
  size_t total = 0;
  int before = 1;
  for (const FileAssignment& one : found) {
    fuzzing::Require(one.line >= before && one.line <= lines,
                     "lines in their order");
    fuzzing::Require(!one.name.empty() &&
                         one.name.find_first_of("= \n") == std::string::npos,
                     "the name of a variable");
    before = one.line;
    total += one.name.size() + one.value.size();
  }
  fuzzing::Require(total <= text.size(), "each byte belongs to one value");
}

// `word` in double quotes, with backslashes where they are needed.
std::string Quoted(absl::string_view word, absl::string_view escaped) {
  std::string quoted = "\"";
  for (const char c : word) {
    if (escaped.find(c) != absl::string_view::npos) quoted.push_back('\\');
    quoted.push_back(c);
  }
  return absl::StrCat(quoted, "\"");
}

void TestWords(absl::string_view text) {
  std::string problem;
  const std::vector<std::string> words = SplitUnitWords(text, &problem);
  size_t total = 0;
  for (const std::string& word : words) total += word.size();
  fuzzing::Require(total <= text.size(), "words are not longer than the text");
  std::string written;
  for (const std::string& word : words) {
    absl::StrAppend(&written, Quoted(word, "\\\""), " ");
  }
  fuzzing::Require(SplitUnitWords(written, &problem) == words,
                   "quoted words are read back");
}

void TestQuotedValue(absl::string_view value) {
  const std::string text =
      absl::StrCat("# a comment\n", kVariable, "=", Quoted(value, "\\\"`$"));
  const std::vector<FileAssignment> found = ParseSystemdEnvironmentFile(text);
  fuzzing::Require(
      found.size() == 1 && found[0].value == value && !found[0].expands,
      "a quoted value of an environment file is read back");
  const std::vector<FileAssignment> shell =
      FindShellAssignments(text, kVariable);
  fuzzing::Require(
      shell.size() == 1 && shell[0].value == value && !shell[0].expands,
      "a quoted value of a shell script is read back");
}

}  // namespace
}  // namespace advisor

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzzing::Choices choices(fuzzing::Text(data, size));
  const size_t reader = choices.Below(5);
  const absl::string_view text = choices.Rest();
  switch (reader) {
    case 0:
      advisor::RequireAssignments(text, advisor::ParsePamEnvironment(text));
      break;
    case 1:
      advisor::RequireAssignments(text,
                                  advisor::ParseSystemdEnvironmentFile(text));
      break;
    case 2:
      advisor::RequireAssignments(
          text, advisor::FindShellAssignments(text, advisor::kVariable));
      break;
    case 3:
      advisor::TestWords(text);
      break;
    default:
      advisor::TestQuotedValue(text);
  }
  return 0;
}
