#include "advisor/command_version.h"

#include "advisor/version.h"

namespace advisor {
namespace {

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
