#include "advisor/command_help.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "advisor/manual_page.h"
#include "advisor/render/layout.h"
#include "advisor/suggestion.h"

namespace advisor {
namespace {

constexpr size_t kColumns = 80;

void PrintExitStatuses(std::ostream& out) {
  std::string words = "Exit status:";
  for (const ExitStatusRow& row : kExitStatusRows) {
    absl::StrAppend(&words, &row == kExitStatusRows ? " " : "; ", row.number,
                    " ", row.meaning);
  }
  out << WrapText(absl::StrCat(words, "."), 0, kColumns) << "\n";
}

void PrintOverview(const CommandContext& context) {
  context.out << "Usage: advisor COMMAND [flags] [arguments]\n"
                 "Says which GLIBC_TUNABLES make memcpy, memmove and memset "
                 "fast on this machine.\n\n";
  for (const CommandRow* command : context.commands) {
    context.out << absl::StreamFormat("  %-10s %s\n", command->name,
                                      WrapText(command->summary, 13, kColumns));
  }
  context.out << "\n`advisor` alone is `advisor recommend`; `advisor help "
                 "COMMAND` tells more.\n\n";
  PrintExitStatuses(context.out);
}

constexpr FlagRow kFlags[] = {
    {"format", "man|text",
     "man: the whole manual page, for man(1); default: text"},
};

absl::StatusOr<ExitStatus> Run(const CommandContext& context,
                               const Flags& flags) {
  if (flags.Get("format") == "man") {
    if (!flags.arguments().empty()) {
      return absl::InvalidArgumentError(
          "--format=man: one page has all commands, so name none");
    }
    PrintManualPage(context.commands, context.out);
    return ExitStatus::kAnswered;
  }
  if (flags.arguments().empty()) {
    PrintOverview(context);
    return ExitStatus::kAnswered;
  }
  const absl::string_view name = flags.arguments()[0];
  const CommandRow* const command = FindCommandRow(context.commands, name);
  if (command == nullptr) return UnknownCommand(context.commands, name);
  PrintCommandHelp(*command, context.out);
  return ExitStatus::kAnswered;
}

}  // namespace

const CommandRow kHelpCommand = {
    "help",
    "this list, or what one command does and takes",
    "[COMMAND]",
    0,
    1,
    "Lists the commands, or tells what one of them answers, and its flags. "
    "The\n"
    "manual page is made from the same tables.\n",
    kFlags,
    &Run,
};

bool IsHelpFlag(absl::string_view word) {
  return word == "--help" || word == "-help" || word == "-h";
}

const CommandRow* FindCommandRow(absl::Span<const CommandRow* const> commands,
                                 absl::string_view name) {
  for (const CommandRow* command : commands) {
    if (command->name == name) return command;
  }
  return nullptr;
}

absl::Status UnknownCommand(absl::Span<const CommandRow* const> commands,
                            absl::string_view name) {
  std::vector<absl::string_view> names;
  for (const CommandRow* command : commands) names.push_back(command->name);
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown command ", name, Suggestion(name, names), " (advisor help)"));
}

std::string UsageLine(const CommandRow& command) {
  return absl::StrCat("advisor ", command.name,
                      command.flags.empty() ? "" : " [flags]",
                      command.arguments.empty() ? "" : " ", command.arguments);
}

void PrintCommandHelp(const CommandRow& command, std::ostream& out) {
  out << "Usage: " << UsageLine(command) << "\n\n"
      << absl::StripTrailingAsciiWhitespace(command.description) << "\n\n";
  std::vector<std::string> spellings;
  size_t width = 0;
  for (const FlagRow& flag : command.flags) {
    spellings.push_back(absl::StrCat(
        "--", flag.name, flag.value.empty() ? "" : "=", flag.value));
    // A long one has a line of its own.
    if (spellings.back().size() <= 28) {
      width = std::max(width, spellings.back().size());
    }
  }
  for (size_t i = 0; i < spellings.size(); ++i) {
    out << "  " << spellings[i];
    const size_t indent = 2 + width + 2;
    if (spellings[i].size() > width) {
      out << "\n" << std::string(indent, ' ');
    } else {
      out << std::string(indent - 2 - spellings[i].size(), ' ');
    }
    out << WrapText(command.flags[i].description, indent, kColumns) << "\n";
  }
  if (!spellings.empty()) out << "\n";
  PrintExitStatuses(out);
}

}  // namespace advisor
