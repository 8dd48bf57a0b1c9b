// replay_history --history=GIT_DIR [COMMIT...]: judges fixes of glibc's history
// and what they mended; see history_table.h.

#include <signal.h>

#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/cpu/feature_table.h"
#include "advisor/exit_status.h"
#include "advisor/flags.h"
#include "advisor/host/clock.h"
#include "advisor/host/environment.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/interrupt.h"
#include "advisor/host/subprocess.h"
#include "advisor/program_end.h"
#include "glibc_patches/history_replay.h"
#include "glibc_patches/history_table.h"
#include "glibc_patches/scratch_folder.h"

namespace glibc_patches {
namespace {

using ::advisor::ExitStatus;

constexpr advisor::FlagRow kFlags[] = {
    {"help", "", "print this"},
    {"history", "GIT_DIR", "a clone of glibc, bare or not"},
    {"thorough", "", "more calls and longer measurements; quick when left out"},
    {"validate-patch", "PROGRAM", "beside this program when left out"},
};

constexpr char kUsage[] =
    "Usage: replay_history --history=GIT_DIR [COMMIT...]\n\n"
    "For each fix that is listed (or COMMITs of them): the patch that takes "
    "it\n"
    "back must be rejected, and the fix must be right.\n\n"
    "Exit status: 0 all are as expected, 1 one is not, 2 wrong usage or no\n"
    "history, 3 none could be shown here, 4 internal error.\n\nFixes:\n";

int Fail(const absl::Status& status) {
  return advisor::EndProgram(std::cerr, "replay_history", status);
}

void PrintHelp() {
  std::cout << kUsage;
  for (const HistoryFix& fix : HistoryFixes()) {
    std::cout << "  " << fix.commit.substr(0, 10) << " " << fix.date << " "
              << fix.fault << "\n";
  }
}

absl::StatusOr<std::vector<const HistoryFix*>> Choose(
    const std::vector<std::string>& commits) {
  std::vector<const HistoryFix*> chosen;
  for (const HistoryFix& fix : HistoryFixes()) {
    if (commits.empty()) chosen.push_back(&fix);
  }
  for (const std::string& commit : commits) {
    const size_t before = chosen.size();
    for (const HistoryFix& fix : HistoryFixes()) {
      if (commit.size() >= 7 && absl::StartsWith(fix.commit, commit)) {
        chosen.push_back(&fix);
      }
    }
    if (chosen.size() == before) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected a commit that --help lists, found ", commit));
    }
  }
  return chosen;
}

absl::StatusOr<std::string> ValidatePatch(const advisor::Flags& flags,
                                          const advisor::FileReader& files) {
  if (const auto named = flags.Get("validate-patch")) return *named;
  const auto self = files.Resolve("/proc/self/exe");
  if (!self.ok()) return self.status();
  return absl::StrCat(self->substr(0, self->rfind('/')), "/validate_patch");
}

int Replay(const advisor::Flags& flags) {
  const advisor::RealFileReader files;
  const auto environment = advisor::Environment::OfThisProcess();
  const auto fixes = Choose(flags.arguments());
  if (!fixes.ok()) return Fail(fixes.status());
  const auto program = ValidatePatch(flags, files);
  if (!program.ok()) return Fail(program.status());
  const auto scratch = ScratchFolder::Create(
      environment.Get("TEST_TMPDIR")
          .value_or(environment.Get("TMPDIR").value_or("/tmp")));
  if (!scratch.ok()) return Fail(scratch.status());
  const advisor::CpuidTable cpu(advisor::ReadNativeCpuid());
  int shown = 0, unexpected = 0;
  const ReplayInput input{*flags.Get("history"),
                          *program,
                          scratch->path(),
                          {flags.Has("thorough") ? "--thorough" : "--quick"}};
  const advisor::RealSubprocess subprocess;
  const advisor::RealClock clock;
  const ReplayDoors doors{
      subprocess, environment, clock,
      [&](absl::string_view feature) {
        return advisor::IsFeatureUsable(cpu, feature).value_or(false);
      },
      [&](const ReplayResult& result) {
        std::cout << DescribeReplay(result) << std::endl;
        shown += result.outcome != ReplayOutcome::kNotShown;
        unexpected += result.outcome == ReplayOutcome::kUnexpected;
      }};
  const absl::Status status = ReplayHistory(*fixes, input, doors);
  if (!status.ok()) return Fail(status);
  std::cout << shown - unexpected << " as expected, " << unexpected
            << " unexpected, " << fixes->size() - shown << " not shown\n";
  if (absl::Status status = advisor::Flush(std::cout); !status.ok()) {
    return Fail(status);
  }
  if (unexpected > 0) return static_cast<int>(ExitStatus::kFinding);
  return static_cast<int>(shown > 0 ? ExitStatus::kAnswered
                                    : ExitStatus::kInconclusive);
}

int Main(int argc, char** argv) {
  advisor::InstallInterruptHandler();
  // A reader that went away (| head) must not keep the scratch folder alive.
  signal(SIGPIPE, SIG_IGN);
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  const auto flags = advisor::Flags::Parse(words, kFlags);
  if (!flags.ok()) return Fail(flags.status());
  if (flags->Has("help")) {
    PrintHelp();
    const absl::Status status = advisor::Flush(std::cout);
    return status.ok() ? 0 : Fail(status);
  }
  if (!flags->Has("history")) {
    return Fail(absl::InvalidArgumentError(
        "expected --history=GIT_DIR; replay_history --help tells more"));
  }
  return Replay(*flags);
}

}  // namespace
}  // namespace glibc_patches

int main(int argc, char** argv) { return glibc_patches::Main(argc, argv); }
