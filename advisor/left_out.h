// Inputs that a command over many of them has to leave out.

#ifndef ADVISOR_LEFT_OUT_H_
#define ADVISOR_LEFT_OUT_H_

#include <cstddef>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace advisor {

// Each has its line on `err`, before that of how many there are. Where there is
// but one, and nothing good beside it, its line is the command's only one.
class LeftOut {
 public:
  explicit LeftOut(std::ostream& err) : err_(err) {}

  // An error of one line that names the input.
  void Add(absl::Status status);
  size_t count() const { return count_; }

  // The command's error where nothing was good: InvalidArgument `no_input`,
  // `none_good`, or the only one's own. Else OK, after the line `summary` where
  // something was left out.
  absl::Status Conclude(size_t good, absl::string_view summary,
                        absl::string_view no_input,
                        absl::string_view none_good);

 private:
  std::ostream& err_;
  size_t count_ = 0;
  absl::Status held_;  // the first, until it is known to have company
};

}  // namespace advisor

#endif  // ADVISOR_LEFT_OUT_H_
