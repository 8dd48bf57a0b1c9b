// Words and numbers as every text output spells them.

#ifndef ADVISOR_RENDER_LAYOUT_H_
#define ADVISOR_RENDER_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace advisor {

// "0 bytes", "2112 bytes", "48 KiB", "127 MiB": the largest unit that divides
// it. From 1 MiB on, one that nothing divides gets about how much that is:
// "133169153 bytes (127 MiB)".
std::string FormatBytes(uint64_t bytes);

// Three digits in the unit next below, for what was measured or is an axis:
// "1.91 MiB", "768 bytes".
std::string FormatBytesRoughly(double bytes);

// 0.02 -> "2%", 0.004 -> "0.4%", 7e-08 -> "under 0.01%", 1 -> "100%".
std::string FormatPercent(double share);

// `text` in lines of at most `columns`, all but the first indented by `indent`,
// where the first begins too. Breaks at spaces only; a longer word has a line
// of its own. Newlines of `text` stay.
std::string WrapText(absl::string_view text, size_t indent, size_t columns);

// Control characters but newlines become "?": names come from CPUID and files,
// and go to a terminal.
std::string WithoutControlCharacters(absl::string_view text);

}  // namespace advisor

#endif  // ADVISOR_RENDER_LAYOUT_H_
