#include "advisor/lint/unit_syntax.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace advisor {
namespace {

// Every directive has a copy. No section that means anything is as long.
constexpr size_t kMostSection = 64;

// The character of a C escape at `text[at]` (behind the backslash), which is
// moved past it; nullopt: no such escape.
std::optional<std::string> Unescape(absl::string_view text, size_t& at) {
  constexpr absl::string_view kNames = "abfnrtv\\\"'s";
  constexpr absl::string_view kValues = "\a\b\f\n\r\t\v\\\"' ";
  const char c = text[at++];
  const size_t index = kNames.find(c);
  if (index != absl::string_view::npos) return std::string(1, kValues[index]);
  int base = 0;
  size_t digits = 0;
  if (c == 'x') {
    base = 16;
    digits = 2;
  } else if (c >= '0' && c <= '7') {
    --at;
    base = 8;
    digits = 3;
  } else {
    return std::nullopt;
  }
  if (at + digits > text.size()) return std::nullopt;
  int value = 0;
  for (size_t i = 0; i < digits; ++i) {
    const char digit = absl::ascii_tolower(text[at + i]);
    const int number = digit >= 'a' ? digit - 'a' + 10 : digit - '0';
    if (number < 0 || number >= base) return std::nullopt;
    value = value * base + number;
  }
  at += digits;
  if (value == 0 || value > 255) return std::nullopt;
  return std::string(1, static_cast<char>(value));
}

}  // namespace

std::vector<UnitDirective> ParseUnitDirectives(absl::string_view text) {
  std::vector<UnitDirective> directives;
  std::string section;
  std::string pending;
  int first = 0;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    const absl::string_view bare = absl::StripLeadingAsciiWhitespace(line);
    // Inside a continuation, too.
    if (absl::StartsWith(bare, "#") || absl::StartsWith(bare, ";")) continue;
    if (pending.empty()) first = number;
    if (absl::ConsumeSuffix(&line, "\\")) {
      absl::StrAppend(&pending, line, " ");
      continue;
    }
    const std::string whole = absl::StrCat(pending, line);
    pending.clear();
    const absl::string_view directive = absl::StripAsciiWhitespace(whole);
    if (absl::StartsWith(directive, "[") && absl::EndsWith(directive, "]")) {
      section = std::string(
          directive.substr(1, std::min(directive.size() - 2, kMostSection)));
      continue;
    }
    const size_t equals = directive.find('=');
    if (equals == absl::string_view::npos) continue;
    directives.push_back(
        {section,
         std::string(absl::StripAsciiWhitespace(directive.substr(0, equals))),
         std::string(absl::StripAsciiWhitespace(directive.substr(equals + 1))),
         first});
  }
  return directives;
}

std::vector<std::string> SplitUnitWords(absl::string_view value,
                                        std::string* problem) {
  std::vector<std::string> words;
  std::string word;
  bool open = false;  // A word has begun, be it empty.
  char quote = 0;
  for (size_t i = 0; i < value.size();) {
    const char c = value[i++];
    if (c == '\\') {
      if (i == value.size()) {
        if (problem != nullptr) *problem = "a backslash ends it";
        return words;
      }
      const std::optional<std::string> escaped = Unescape(value, i);
      if (!escaped.has_value()) {
        if (problem != nullptr) *problem = "an unknown escape sequence";
        return words;
      }
      word += *escaped;
      open = true;
    } else if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word.push_back(c);
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      open = true;
    } else if (absl::ascii_isspace(c)) {
      if (open) words.push_back(std::move(word));
      word.clear();
      open = false;
    } else {
      word.push_back(c);
      open = true;
    }
  }
  if (quote != 0) {
    if (problem != nullptr) *problem = "a quote is not closed";
    return words;
  }
  if (open) words.push_back(std::move(word));
  return words;
}

std::string ExpandSpecifiers(absl::string_view word, absl::string_view unit,
                             bool& known) {
  const size_t dot = unit.rfind('.');
  const absl::string_view stem = unit.substr(0, dot);
  const size_t at_sign = stem.find('@');
  std::string result;
  for (size_t i = 0; i < word.size(); ++i) {
    if (word[i] != '%' || i + 1 == word.size()) {
      result.push_back(word[i]);
      continue;
    }
    switch (word[++i]) {
      case '%':
        result.push_back('%');
        break;
      case 'n':
        absl::StrAppend(&result, unit);
        break;
      case 'N':
        absl::StrAppend(&result, stem);
        break;
      case 'p':
        absl::StrAppend(&result, stem.substr(0, at_sign));
        break;
      case 'i':
        if (at_sign != absl::string_view::npos) {
          absl::StrAppend(&result, stem.substr(at_sign + 1));
        }
        break;
      default:
        known = false;
        result.push_back('%');
        result.push_back(word[i]);
    }
  }
  return result;
}

}  // namespace advisor
