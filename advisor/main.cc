// advisor COMMAND [flags] [arguments]: see command_table.cc.

#include <sys/ioctl.h>
#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "advisor/command.h"
#include "advisor/command_table.h"
#include "advisor/host/clock.h"
#include "advisor/host/dialogue.h"
#include "advisor/host/environment.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/interrupt.h"
#include "advisor/host/subprocess.h"
#include "advisor/measurement.h"
#include "advisor/program_end.h"
#include "kernels/measure/worker.h"

namespace {

int Columns() {
  struct winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  return 80;
}

}  // namespace

int main(int argc, char** argv) {
  if (absl::Status status = advisor::CheckCallersRights(); !status.ok()) {
    return advisor::EndProgram(std::cerr, advisor::kProgramName, status);
  }
  if (argc == 2 && absl::string_view(argv[1]) == advisor::kMeasurementWorker) {
    return kernels::ServeWorker(std::cin, std::cout);
  }
  advisor::InstallInterruptHandler();
  const advisor::RealFileReader files;
  const advisor::RealSubprocess subprocess;
  const advisor::RealDialogueStarter dialogues;
  const advisor::RealClock clock;
  const advisor::Environment environment =
      advisor::Environment::OfThisProcess();
  const advisor::CommandContext context{files,     subprocess,
                                        dialogues, environment,
                                        clock,     std::cout,
                                        std::cerr, isatty(STDERR_FILENO) == 1,
                                        Columns(), advisor::AllCommands()};
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  return advisor::RunCommandLine(words, context);
}
