// A page of text for a terminal: titles on the left, and paragraphs beside
// them.

#ifndef ADVISOR_RENDER_PAGE_H_
#define ADVISOR_RENDER_PAGE_H_

#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace advisor {

class Page {
 public:
  // Narrower terminals get lines of 40 columns. `indent`: columns for titles.
  explicit Page(int columns, size_t indent = 10);

  // Stands before the next paragraph. Shorter than the indent.
  void Title(absl::string_view title) { title_ = std::string(title); }

  // Wrapped; its second and later lines are indented by `hanging` more. An
  // empty text is no paragraph.
  void Paragraph(absl::string_view text, size_t hanging = 0);

  // Not wrapped: to be copied, or a table.
  void Verbatim(absl::string_view text);

  size_t columns_beside_titles() const { return columns_ - indent_; }
  std::string text() && { return std::move(text_); }

 private:
  void Append(absl::string_view text);

  const size_t columns_;
  const size_t indent_;
  std::string title_;
  std::string text_;
};

}  // namespace advisor

#endif  // ADVISOR_RENDER_PAGE_H_
