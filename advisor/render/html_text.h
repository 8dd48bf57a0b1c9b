// Text in HTML and SVG.

#ifndef ADVISOR_RENDER_HTML_TEXT_H_
#define ADVISOR_RENDER_HTML_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace advisor {

// For content and for attributes in double quotes. Bytes that are no UTF-8
// become U+FFFD, control characters but newlines "?".
std::string HtmlText(absl::string_view text);

// "<p>text</p>": `inside` is HTML already. `tag` may have attributes: "p
// class=\"why\"".
std::string HtmlElement(absl::string_view tag, absl::string_view inside);

}  // namespace advisor

#endif  // ADVISOR_RENDER_HTML_TEXT_H_
