#include "advisor/command.h"

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advisor/command_help.h"
#include "advisor/program_end.h"
#include "advisor/suggestion.h"

namespace advisor {
namespace {

constexpr absl::string_view kDefaultCommand = "recommend";

struct Call {
  const CommandRow* command;
  absl::Span<const std::string> words;
};

absl::StatusOr<Call> FindCommand(absl::Span<const std::string> words,
                                 const CommandContext& context) {
  absl::string_view name = kDefaultCommand;
  if (!words.empty() && words[0] == "--version") {
    name = "version";
    words.remove_prefix(1);
  } else if (!words.empty() && IsHelpFlag(words[0])) {
    name = "help";
    words.remove_prefix(1);
  } else if (!words.empty() && !absl::StartsWith(words[0], "-")) {
    name = words[0];
    words.remove_prefix(1);
  }
  const CommandRow* const command = FindCommandRow(context.commands, name);
  if (command == nullptr) return UnknownCommand(context.commands, name);
  return Call{command, words};
}

absl::Status CheckArgumentCount(const CommandRow& command, const Flags& flags) {
  const std::vector<std::string>& arguments = flags.arguments();
  if (arguments.size() > command.max_arguments) {
    return absl::InvalidArgumentError(absl::StrCat(
        "unexpected argument \"", arguments[command.max_arguments], "\""));
  }
  if (arguments.size() < command.min_arguments) {
    return absl::InvalidArgumentError(
        absl::StrCat("missing argument: ", UsageLine(command)));
  }
  return absl::OkStatus();
}

absl::StatusOr<ExitStatus> Dispatch(absl::Span<const std::string> words,
                                    const CommandContext& context) {
  const absl::StatusOr<Call> call = FindCommand(words, context);
  if (!call.ok()) return call.status();
  const CommandRow& command = *call->command;
  // Also next to flags that are wrong: who asks for help is no expert.
  const auto flags_end = absl::c_find(call->words, "--");
  if (std::any_of(call->words.begin(), flags_end, IsHelpFlag)) {
    PrintCommandHelp(command, context.out);
    return ExitStatus::kAnswered;
  }
  const absl::StatusOr<Flags> flags = Flags::Parse(call->words, command.flags);
  absl::Status status =
      flags.ok() ? CheckArgumentCount(command, *flags) : flags.status();
  if (!status.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(command.name, ": ", status.message(), " (advisor help ",
                     command.name, ")"));
  }
  return command.run(context, *flags);
}

absl::StatusOr<ExitStatus> DispatchAndCatch(absl::Span<const std::string> words,
                                            const CommandContext& context) {
  // Ours does not throw; libraries might.
  try {
    absl::StatusOr<ExitStatus> result = Dispatch(words, context);
    if (absl::Status status = Flush(context.out); !status.ok()) return status;
    return result;
  } catch (const std::exception& exception) {
    return absl::InternalError(exception.what());
  }
}

}  // namespace

int RunCommandLine(absl::Span<const std::string> words,
                   const CommandContext& context) {
  return EndProgram(context.err, kProgramName,
                    DispatchAndCatch(words, context));
}

}  // namespace advisor
