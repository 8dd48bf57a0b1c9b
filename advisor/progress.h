// One line on a terminal that tells how far long work is.

#ifndef ADVISOR_PROGRESS_H_
#define ADVISOR_PROGRESS_H_

#include <ostream>
#include <string>

#include "absl/strings/string_view.h"

namespace advisor {

class ProgressLine {
 public:
  // Writes nothing unless `terminal`.
  ProgressLine(std::ostream& out, bool terminal)
      : out_(out), terminal_(terminal) {}
  // Leaves an empty line behind.
  ~ProgressLine() { Clear(); }

  // "measuring memcpy: 42 %"; the share is 0 to 1.
  void Show(absl::string_view what, double share);
  // "12000 machines": where nobody knows how much there is.
  void ShowText(absl::string_view text);
  void Clear();

 private:
  std::ostream& out_;
  const bool terminal_;
  std::string shown_;
};

}  // namespace advisor

#endif  // ADVISOR_PROGRESS_H_
