#include "advisor/manual_page.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "advisor/version.h"

namespace advisor {
namespace {

// Text that roff prints as it stands: a line must not begin with a control
// character, and a minus must stay one that can be copied into a shell.
std::string Escape(absl::string_view text) {
  std::string escaped;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!escaped.empty()) escaped += '\n';
    if (!line.empty() && (line[0] == '.' || line[0] == '\'')) escaped += "\\&";
    escaped +=
        absl::StrReplaceAll(line, {{"\\", "\\e"}, {"-", "\\-"}, {"`", "\\`"}});
  }
  return escaped;
}

// A description without the empty lines that end it; one in the middle begins a
// paragraph.
void PrintParagraphs(absl::string_view text, std::ostream& out) {
  for (const absl::string_view paragraph :
       absl::StrSplit(text, "\n\n", absl::SkipWhitespace())) {
    out << ".PP\n";
    for (const absl::string_view line :
         absl::StrSplit(paragraph, '\n', absl::SkipWhitespace())) {
      out << Escape(line) << "\n";
    }
  }
}

void PrintCommand(const CommandRow& command, std::ostream& out) {
  out << ".SS \"advisor " << command.name
      << (command.flags.empty() ? "" : " [flags]")
      << (command.arguments.empty() ? "" : " ") << Escape(command.arguments)
      << "\"\n";
  PrintParagraphs(command.description, out);
  for (const FlagRow& flag : command.flags) {
    out << ".TP\n.B \\-\\-" << Escape(flag.name)
        << (flag.value.empty() ? "" : "=") << Escape(flag.value) << "\n"
        << Escape(flag.description) << "\n";
  }
}

}  // namespace

void PrintManualPage(absl::Span<const CommandRow* const> commands,
                     std::ostream& out) {
  out << ".\\\" Made by `advisor help --format=man` from its tables.\n"
      << ".TH ADVISOR 1 \"\" \"advisor " << kVersion
      << "\"\n"
      // A word with a hyphen more cannot be copied, and justified commands have
      // blanks more.
      << ".nh\n.ad l\n"
      << ".SH NAME\n"
         "advisor \\- which GLIBC_TUNABLES make memcpy, memmove and memset "
         "fast on this machine\n"
         ".SH SYNOPSIS\n.B advisor\n.RI [ command ]\n.RI [ flags ]\n"
         ".RI [ arguments ]\n"
         ".SH COMMANDS\nWithout a command it is\n.BR \"advisor recommend\" .\n";
  for (const CommandRow* command : commands) PrintCommand(*command, out);
  out << ".SH \"EXIT STATUS\"\n";
  for (const ExitStatusRow& row : kExitStatusRows) {
    out << ".TP\n.B " << row.number << "\n" << Escape(row.meaning) << "\n";
  }
  out << ".SH ENVIRONMENT\n.TP\n.B GLIBC_TUNABLES\n"
         "What is set already: recommendations are merged with it.\n"
         ".SH \"SEE ALSO\"\n.BR ld.so (8),\n.BR cpuid (1)\n";
}

}  // namespace advisor
