// The syntax of systemd's unit files and of the files like them: directives,
// quoted words, specifiers.
//
// Source: systemd.syntax(7), systemd.unit(5); the quoting is that of
// extract_first_word in src/basic/extract-word.c.

#ifndef ADVISOR_LINT_UNIT_SYNTAX_H_
#define ADVISOR_LINT_UNIT_SYNTAX_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace advisor {

// KEY=VALUE, continuation lines joined.
struct UnitDirective {
  std::string section;
  std::string key;
  std::string value;
  int line;  // The first, from 1.
};

// In the order of the file. Comments, inside a continuation too, and lines that
// are no assignment are left out.
std::vector<UnitDirective> ParseUnitDirectives(absl::string_view text);

// The words of a value like that of Environment=, quotes and backslashes
// resolved. An ill-formed word ends them, and `problem` then says why.
std::vector<std::string> SplitUnitWords(absl::string_view value,
                                        std::string* problem = nullptr);

// `word` of the unit ("a@b.service") with "%%" and the specifiers that do not
// depend on the machine; `known` becomes false where another one stands.
std::string ExpandSpecifiers(absl::string_view word, absl::string_view unit,
                             bool& known);

}  // namespace advisor

#endif  // ADVISOR_LINT_UNIT_SYNTAX_H_
