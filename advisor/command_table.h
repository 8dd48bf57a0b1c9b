// The commands that the program has.

#ifndef ADVISOR_COMMAND_TABLE_H_
#define ADVISOR_COMMAND_TABLE_H_

#include "absl/types/span.h"
#include "advisor/command.h"

namespace advisor {

// Sorted by name.
absl::Span<const CommandRow* const> AllCommands();

}  // namespace advisor

#endif  // ADVISOR_COMMAND_TABLE_H_
