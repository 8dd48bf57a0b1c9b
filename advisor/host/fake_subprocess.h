// Stands in for other programs in tests.

#ifndef ADVISOR_HOST_FAKE_SUBPROCESS_H_
#define ADVISOR_HOST_FAKE_SUBPROCESS_H_

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "advisor/host/subprocess.h"

namespace advisor {

inline CommandResult Exited(int exit_status, std::string standard_output = "",
                            std::string standard_error = "") {
  CommandResult result;
  result.exit_status = exit_status;
  result.standard_output = std::move(standard_output);
  result.standard_error = std::move(standard_error);
  return result;
}

inline CommandResult KilledBy(int signal) {
  CommandResult result;
  result.signal = signal;
  return result;
}

inline CommandResult TimedOut() {
  CommandResult result = KilledBy(/*SIGKILL=*/9);
  result.timed_out = true;
  result.time_limit = absl::Seconds(10);
  return result;
}

// Answers the commands that it was told of, by their whole argv; then asks the
// function, if there is one; else there is no such program. Not synchronised.
class FakeSubprocess : public Subprocess {
 public:
  using Function = std::function<absl::StatusOr<CommandResult>(const Command&)>;

  explicit FakeSubprocess(Function function = nullptr)
      : function_(std::move(function)) {}

  void Add(std::vector<std::string> argv,
           absl::StatusOr<CommandResult> answer) {
    answers_.insert_or_assign(std::move(argv), std::move(answer));
  }

  absl::StatusOr<CommandResult> Run(const Command& command) const override {
    commands_.push_back(command);
    const auto answer = answers_.find(command.argv);
    if (answer != answers_.end()) return answer->second;
    if (function_ != nullptr) return function_(command);
    return absl::NotFoundError(
        absl::StrCat(command.argv.empty() ? "" : command.argv[0],
                     ": No such file or directory"));
  }

  // Every command that was run, in order.
  const std::vector<Command>& commands() const { return commands_; }

 private:
  std::map<std::vector<std::string>, absl::StatusOr<CommandResult>> answers_;
  Function function_;
  mutable std::vector<Command> commands_;
};

}  // namespace advisor

#endif  // ADVISOR_HOST_FAKE_SUBPROCESS_H_
