// Lines, and the words of an error about one.

#ifndef ADVISOR_INPUT_INPUT_TEXT_H_
#define ADVISOR_INPUT_INPUT_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace advisor {

struct TextLine {
  int number = 0;  // from 1
  // Without its end ("\n" or "\r\n").
  absl::string_view text;
  // Ends with a newline: cannot have been cut.
  bool whole = true;
};

class LineReader {
 public:
  explicit LineReader(absl::string_view text) : rest_(text) {}

  // False at the end of the text.
  bool Next(TextLine* line);

 private:
  absl::string_view rest_;
  int number_ = 0;
};

// True when `predicate` holds for a line of `text`, blanks at its ends removed.
template <typename Predicate>
bool AnyLine(absl::string_view text, Predicate predicate);

// InvalidArgument "NAME:LINE: expected EXPECTED, found FOUND".
absl::Status InputError(absl::string_view name, int line,
                        absl::string_view expected, absl::string_view found);

// In quotes, escaped, and cut to a length that fits a line.
std::string QuotedInput(absl::string_view text);

// `text` with blanks for control characters: a name or word from outside, in a
// line that is printed.
std::string OnOneLine(absl::string_view text);

// The line of the byte at `offset`.
int LineOfOffset(absl::string_view text, size_t offset);

// "0x1f", "0b101" or "31", all of `text`; nullopt for anything else.
std::optional<uint32_t> ParseInputNumber(absl::string_view text);

// Exactly eight hexadecimal digits at the front, taken off.
std::optional<uint32_t> ConsumeEightHexDigits(absl::string_view* text);

absl::string_view StripBlanks(absl::string_view text);

template <typename Predicate>
bool AnyLine(absl::string_view text, Predicate predicate) {
  LineReader lines(text);
  for (TextLine line; lines.Next(&line);) {
    if (predicate(StripBlanks(line.text))) return true;
  }
  return false;
}

}  // namespace advisor

#endif  // ADVISOR_INPUT_INPUT_TEXT_H_
