// A subcommand of the advisor, and how to add one:
//
// 1. command_NAME.h declares `extern const CommandRow kNameCommand;`.
// 2. command_NAME.cc defines it: constexpr tables, and a function that reads
//    the machine only through the context, writes its answer to `out`, and
//    returns an exit status, or an error for the framework to print.
// 3. command_NAME_test.cc runs it with fakes (command_testing.h).
// 4. One row in command_table.cc; a target in BUILD, and in the table's deps.

#ifndef ADVISOR_COMMAND_H_
#define ADVISOR_COMMAND_H_

#include <cstddef>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/exit_status.h"
#include "advisor/flags.h"
#include "advisor/host/clock.h"
#include "advisor/host/dialogue.h"
#include "advisor/host/environment.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/subprocess.h"

namespace advisor {

struct CommandRow;

struct CommandContext {
  const FileReader& files;
  const Subprocess& subprocess;
  const DialogueStarter& dialogues;
  const Environment& environment;
  const Clock& clock;
  // Results.
  std::ostream& out;
  // Progress and diagnostics.
  std::ostream& err;
  // `err` is a terminal: progress may be shown.
  bool terminal;
  // Width to write for on `out`.
  int columns;
  // All commands, sorted by name.
  absl::Span<const CommandRow* const> commands;
};

// In front of every line about an error.
inline constexpr absl::string_view kProgramName = "advisor";

constexpr size_t kAnyNumber = ~size_t{0};

struct CommandRow {
  absl::string_view name;
  // What it answers, for the list of commands: lower case, no full stop.
  absl::string_view summary;
  // Its arguments as the usage line shows them: "[FILE...]".
  absl::string_view arguments;
  size_t min_arguments;
  size_t max_arguments;
  // Whole sentences for `advisor help NAME`, lines of at most 80 columns.
  absl::string_view description;
  // Sorted by name. --help is there for every command.
  absl::Span<const FlagRow> flags;
  // The error is printed as "advisor: MESSAGE", so MESSAGE is one clear line;
  // ExitStatusOf (program_end.h) says how the program then ends. Work that may
  // take more than a second asks Interrupted() and returns Cancelled.
  absl::StatusOr<ExitStatus> (*run)(const CommandContext& context,
                                    const Flags& flags);
};

// Runs `advisor WORDS...` and returns the exit status. Without a command (no
// word, or a flag first) it is `recommend`. Everything that goes wrong is one
// line on `err`; control characters in it are escaped.
int RunCommandLine(absl::Span<const std::string> words,
                   const CommandContext& context);

}  // namespace advisor

#endif  // ADVISOR_COMMAND_H_
