#include "advisor/progress.h"

#include "absl/strings/str_cat.h"

namespace advisor {
namespace {

// Back to the line's start, and all of it erased (ECMA-48, EL).
constexpr char kEraseLine[] = "\r\x1b[K";

}  // namespace

void ProgressLine::Show(absl::string_view what, double share) {
  ShowText(absl::StrCat(what, ": ", static_cast<int>(share * 100), " %"));
}

void ProgressLine::ShowText(absl::string_view text) {
  if (!terminal_ || text == shown_) return;
  shown_ = std::string(text);
  out_ << kEraseLine << text << std::flush;
}

void ProgressLine::Clear() {
  if (shown_.empty()) return;
  shown_.clear();
  out_ << kEraseLine << std::flush;
}

}  // namespace advisor
