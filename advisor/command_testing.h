// Runs a command line or a command over fakes.

#ifndef ADVISOR_COMMAND_TESTING_H_
#define ADVISOR_COMMAND_TESTING_H_

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "advisor/command.h"
#include "advisor/host/clock.h"
#include "advisor/host/dialogue.h"
#include "advisor/host/environment.h"
#include "advisor/host/fake_subprocess.h"
#include "advisor/host/file_reader.h"

namespace advisor {

struct CommandAnswer {
  int exit_status;
  std::string out;
  std::string err;
};

// A machine of fakes; with `use_real_files`, files come from this machine (test
// data).
struct CommandTestMachine {
  FakeFileReader files;
  FakeSubprocess subprocess;
  Environment environment;
  FakeClock clock;
  RealFileReader real_files;
  bool use_real_files = false;
  bool terminal = false;
  int columns = 80;

  // As the program would run `advisor WORDS...` with these commands.
  CommandAnswer Run(const std::vector<std::string>& words,
                    absl::Span<const CommandRow* const> commands) const {
    std::ostringstream out;
    std::ostringstream err;
    const FileReader& reader =
        use_real_files ? static_cast<const FileReader&>(real_files) : files;
    const RealDialogueStarter dialogues;
    const CommandContext context{reader,  subprocess, dialogues, environment,
                                 clock,   out,        err,       terminal,
                                 columns, commands};
    const int exit_status = RunCommandLine(words, context);
    return {exit_status, out.str(), err.str()};
  }

  // `words` begin with the command's name.
  CommandAnswer Run(const std::vector<std::string>& words,
                    const CommandRow& command) const {
    const CommandRow* const commands[] = {&command};
    return Run(words, commands);
  }
};

}  // namespace advisor

#endif  // ADVISOR_COMMAND_TESTING_H_
