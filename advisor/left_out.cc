#include "advisor/left_out.h"

#include <utility>

#include "advisor/command.h"
#include "advisor/program_end.h"

namespace advisor {

void LeftOut::Add(absl::Status status) {
  if (++count_ == 1) {
    held_ = std::move(status);
    return;
  }
  if (count_ == 2) PrintError(err_, kProgramName, held_.message());
  PrintError(err_, kProgramName, status.message());
}

absl::Status LeftOut::Conclude(size_t good, absl::string_view summary,
                               absl::string_view no_input,
                               absl::string_view none_good) {
  if (good == 0 && count_ == 1) return held_;
  if (count_ == 1) PrintError(err_, kProgramName, held_.message());
  if (good == 0) {
    return absl::InvalidArgumentError(count_ == 0 ? no_input : none_good);
  }
  if (count_ > 0) PrintError(err_, kProgramName, summary);
  return absl::OkStatus();
}

}  // namespace advisor
