#include "advisor/command_version.h"

namespace advisor {
namespace {

// Goes up with every change of what a command prints or how it ends.
constexpr absl::string_view kVersion = "0.1.0";

absl::StatusOr<ExitStatus> Run(const CommandContext& context, const Flags&) {
  context.out << "advisor " << kVersion << "\n";
  return ExitStatus::kAnswered;
}

}  // namespace

const CommandRow kVersionCommand = {
    "version", "the version of this program",       "", 0,
    0,         "Prints one line: advisor VERSION.", {}, &Run,
};

}  // namespace advisor
