#include "advisor/input/input_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace advisor {

bool LineReader::Next(TextLine* line) {
  if (rest_.empty()) return false;
  const size_t end = rest_.find('\n');
  line->number = ++number_;
  line->whole = end != absl::string_view::npos;
  line->text = absl::StripSuffix(rest_.substr(0, end), "\r");
  rest_ = line->whole ? rest_.substr(end + 1) : absl::string_view();
  return true;
}

absl::Status InputError(absl::string_view name, int line,
                        absl::string_view expected, absl::string_view found) {
  return absl::InvalidArgumentError(absl::StrCat(name, ":", line, ": expected ",
                                                 expected, ", found ", found));
}

std::string QuotedInput(absl::string_view text) {
  constexpr size_t kShown = 60;
  return absl::StrCat("\"", absl::CHexEscape(text.substr(0, kShown)),
                      text.size() > kShown ? "...\"" : "\"");
}

std::string OnOneLine(absl::string_view text) {
  std::string line(text);
  std::replace_if(line.begin(), line.end(), absl::ascii_iscntrl, ' ');
  return line;
}

int LineOfOffset(absl::string_view text, size_t offset) {
  const absl::string_view before = text.substr(0, offset);
  return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

std::optional<uint32_t> ParseInputNumber(absl::string_view text) {
  uint32_t value = 0;
  if (absl::ConsumePrefix(&text, "0b")) {
    if (text.empty() || text.size() > 32) return std::nullopt;
    for (const char c : text) {
      if (c != '0' && c != '1') return std::nullopt;
      value = value << 1 | (c == '1');
    }
    return value;
  }
  const bool is_hex = absl::ConsumePrefix(&text, "0x");
  for (const char c : text) {
    if (!(is_hex ? absl::ascii_isxdigit(c) : absl::ascii_isdigit(c))) {
      return std::nullopt;
    }
  }
  if (text.empty()) return std::nullopt;
  const bool fits = is_hex ? absl::SimpleHexAtoi(text, &value)
                           : absl::SimpleAtoi(text, &value);
  if (!fits) return std::nullopt;
  return value;
}

std::optional<uint32_t> ConsumeEightHexDigits(absl::string_view* text) {
  constexpr size_t kDigits = 8;
  const absl::string_view digits = text->substr(0, kDigits);
  uint32_t value;
  if (digits.size() < kDigits ||
      !std::all_of(digits.begin(), digits.end(), absl::ascii_isxdigit) ||
      !absl::SimpleHexAtoi(digits, &value)) {
    return std::nullopt;
  }
  text->remove_prefix(kDigits);
  return value;
}

absl::string_view StripBlanks(absl::string_view text) {
  return absl::StripAsciiWhitespace(text);
}

}  // namespace advisor
