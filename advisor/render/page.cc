#include "advisor/render/page.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "advisor/render/layout.h"

namespace advisor {
namespace {

constexpr int kLeastColumns = 40;

}  // namespace

Page::Page(int columns, size_t indent)
    : columns_(std::max(kLeastColumns, columns)), indent_(indent) {}

void Page::Paragraph(absl::string_view text, size_t hanging) {
  if (text.empty()) return;
  // The first line begins further left than WrapText thinks: it may be
  // shorter than need be, never longer.
  Append(WrapText(WithoutControlCharacters(text), indent_ + hanging, columns_));
}

void Page::Verbatim(absl::string_view text) {
  absl::ConsumeSuffix(&text, "\n");
  if (text.empty()) return;
  Append(absl::StrReplaceAll(
      WithoutControlCharacters(text),
      {{"\n", absl::StrCat("\n", std::string(indent_, ' '))}}));
}

void Page::Append(absl::string_view text) {
  absl::StrAppend(&text_,
                  absl::StrFormat("%-*s", static_cast<int>(indent_), title_),
                  text, "\n");
  title_.clear();
}

}  // namespace advisor
