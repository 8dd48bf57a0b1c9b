#include "advisor/progress.h"

#include "absl/strings/str_cat.h"

namespace advisor {
namespace {

// Back to the line's start, and all of it erased (ECMA-48, EL).
constexpr char kEraseLine[] = "\r\x1b[K";

}  // namespace

void ProgressLine::Show(absl::string_view what, double share) {
  if (!terminal_) return;
  const std::string line =
      absl::StrCat(what, ": ", static_cast<int>(share * 100), " %");
  if (line == shown_) return;
  shown_ = line;
  out_ << kEraseLine << line << std::flush;
}

void ProgressLine::Clear() {
  if (shown_.empty()) return;
  shown_.clear();
  out_ << kEraseLine << std::flush;
}

}  // namespace advisor
