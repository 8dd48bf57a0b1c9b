// `advisor help` and `advisor help COMMAND`.

#ifndef ADVISOR_COMMAND_HELP_H_
#define ADVISOR_COMMAND_HELP_H_

#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/command.h"

namespace advisor {

extern const CommandRow kHelpCommand;

// "--help", "-help" and "-h".
bool IsHelpFlag(absl::string_view word);

// nullptr when there is none of that name.
const CommandRow* FindCommandRow(absl::Span<const CommandRow* const> commands,
                                 absl::string_view name);

// InvalidArgument with a suggestion.
absl::Status UnknownCommand(absl::Span<const CommandRow* const> commands,
                            absl::string_view name);

// "advisor NAME [flags] ARGUMENTS", with what the command has.
std::string UsageLine(const CommandRow& command);

void PrintCommandHelp(const CommandRow& command, std::ostream& out);

}  // namespace advisor

#endif  // ADVISOR_COMMAND_HELP_H_
