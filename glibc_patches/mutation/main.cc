// mutation_score [flags]: plants faults in glibc's memory functions and says
// how many of them the checks of validate_patch find.

#include <unistd.h>

#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "advisor/exit_status.h"
#include "advisor/flags.h"
#include "advisor/host/environment.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/interrupt.h"
#include "advisor/host/subprocess.h"
#include "advisor/program_end.h"
#include "glibc_patches/mutation/judge.h"
#include "glibc_patches/mutation/mutation_run.h"
#include "glibc_patches/mutation/rules.h"
#include "glibc_patches/patched_source.h"
#include "glibc_patches/scratch_folder.h"

namespace glibc_patches {
namespace {

using ::advisor::ExitStatus;

constexpr advisor::FlagRow kFlags[] = {
    {"base", "DIR|TARBALL",
     "glibc's source; the one that this project was built with when left out"},
    {"file", "NAME,...",
     "only variants' files with one of these in their name"},
    {"help", "", "print this"},
    {"jobs", "NUMBER", "mutants at a time; 2 when left out"},
    {"mutants", "NUMBER", "faults to plant; 500 when left out"},
    {"preserving", "NUMBER",
     "edits that change nothing to make; 24 when left out"},
    {"rule", "NAME,...", "only rules with one of these in their name"},
    {"seed", "NUMBER", "which faults, and random sizes; 1 when left out"},
    {"verbose", "", "a line for each mutant"},
};

constexpr char kUsage[] =
    "Usage: mutation_score [flags]\n\n"
    "Plants faults by rule in glibc's memory functions, judges each as\n"
    "validate_patch judges a patch, and tells which were not found.\n\n"
    "Exit status: 0 all were found that can be, 1 an unexplained survivor or "
    "a\n"
    "rejected edit that changes nothing, 2 wrong usage, 4 internal error.\n\n"
    "Flags:\n";

void PrintHelp() {
  std::cout << kUsage;
  const auto row = [](absl::string_view name, absl::string_view description) {
    std::cout << "  " << name
              << std::string(name.size() < 26 ? 26 - name.size() : 1, ' ')
              << description << "\n";
  };
  for (const advisor::FlagRow& flag : kFlags) {
    row(absl::StrCat("--", flag.name, flag.value.empty() ? "" : "=",
                     flag.value),
        flag.description);
  }
  std::cout << "\nRules, faults:\n";
  for (const Rule& rule : FaultRules()) row(rule.name, rule.description);
  std::cout << "\nRules, edits that change nothing:\n";
  for (const Rule& rule : PreservingRules()) row(rule.name, rule.description);
}

int Fail(const absl::Status& status) {
  return advisor::EndProgram(std::cerr, "mutation_score", status);
}

absl::Status ReadNumbers(const advisor::Flags& flags,
                         MutationOptions& options) {
  const auto read = [&](const char* name, auto& value) {
    const auto word = flags.Get(name);
    if (!word.has_value() || (absl::SimpleAtoi(*word, &value))) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        absl::StrCat("--", name, ": expected a number, found '", *word, "'"));
  };
  for (absl::Status status :
       {read("jobs", options.jobs), read("mutants", options.mutants),
        read("preserving", options.preserving), read("seed", options.seed)}) {
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// Where build_tree.sh and what it needs are: this project's runfiles.
std::string RootOf(const std::string& self, const advisor::FileReader& files) {
  const std::string runfiles = self + ".runfiles/glibc_tunables_advisor";
  return files.Read(runfiles + "/glibc_patches/build_tree.sh").ok() ? runfiles
                                                                    : ".";
}

int Run(const advisor::Flags& flags) {
  MutationOptions options;
  if (absl::Status status = ReadNumbers(flags, options); !status.ok()) {
    return Fail(status);
  }
  const auto list = [&](const char* name) -> std::vector<std::string> {
    return absl::StrSplit(flags.Get(name).value_or(""), ',', absl::SkipEmpty());
  };
  options.rules = list("rule");
  options.sources = list("file");
  const advisor::RealFileReader files;
  const advisor::RealSubprocess subprocess;
  const auto self = files.Resolve("/proc/self/exe");
  if (!self.ok()) return Fail(self.status());
  const auto environment = advisor::Environment::OfThisProcess();
  const auto scratch = ScratchFolder::Create(
      environment.Get("TEST_TMPDIR")
          .value_or(environment.Get("TMPDIR").value_or("/tmp")));
  if (!scratch.ok()) return Fail(scratch.status());
  const std::string root = RootOf(*self, files);
  const std::string built_with = root + "/../glibc_source";
  const auto base = flags.Get("base");
  if (!base.has_value() && !files.Read(built_with + "/version.h").ok()) {
    std::cout << "skipped: no glibc source on this machine\n";
    return 0;
  }
  const auto source =
      OpenBase(base.value_or(built_with), scratch->path(), files, subprocess);
  if (!source.ok()) return Fail(source.status());
  const bool terminal = isatty(STDERR_FILENO) == 1;
  const bool verbose = flags.Has("verbose");
  int done = 0;
  const MutationDoors doors{
      files,
      subprocess,
      root,
      *self,
      scratch->path(),
      [&](const JudgedMutant& judged) {
        ++done;
        constexpr const char* kFates[] = {"killed", "SURVIVED", "equivalent",
                                          "not planted"};
        const char* fate = kFates[static_cast<int>(judged.fate)];
        if (terminal) {
          std::cerr << "\r\033[K" << done << " mutants, the last " << fate
                    << std::flush;
        }
        if (!verbose) return;
        const Mutant& mutant = judged.mutant;
        std::cout << fate << " " << absl::StrCat(judged.seconds) << " s "
                  << mutant.source << " " << mutant.file << ":" << mutant.line
                  << " " << mutant.rule << ": " << mutant.before << " -> "
                  << mutant.after << ": " << judged.judgement.check << " "
                  << judged.judgement.variant << " " << judged.judgement.what
                  << judged.reason << std::endl;
      }};
  const auto score = RunMutation(*source, options, doors);
  if (terminal) std::cerr << "\r\033[K";
  if (!score.ok()) return Fail(score.status());
  std::cout << RenderScore(*score);
  if (absl::Status status = advisor::Flush(std::cout); !status.ok()) {
    return Fail(status);
  }
  return static_cast<int>(score->Failures() == 0 ? ExitStatus::kAnswered
                                                 : ExitStatus::kFinding);
}

int Main(int argc, char** argv) {
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (absl::Status status = advisor::CheckCallersRights(); !status.ok()) {
    return Fail(status);
  }
  if (!words.empty() && words[0] == kJudge) {
    return ServeJudge(absl::MakeSpan(words).subspan(1));
  }
  advisor::InstallInterruptHandler();
  auto flags = advisor::Flags::Parse(words, kFlags);
  if (!flags.ok()) return Fail(flags.status());
  if (flags->Has("help")) {
    PrintHelp();
    const absl::Status status = advisor::Flush(std::cout);
    return status.ok() ? 0 : Fail(status);
  }
  if (!flags->arguments().empty()) {
    return Fail(absl::InvalidArgumentError(
        "expected flags only; mutation_score --help tells more"));
  }
  return Run(*flags);
}

}  // namespace
}  // namespace glibc_patches

int main(int argc, char** argv) { return glibc_patches::Main(argc, argv); }
