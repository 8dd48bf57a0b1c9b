#include "advisor/command_verify.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "advisor/command_doors.h"
#include "advisor/host/program_timer.h"
#include "advisor/measurement.h"
#include "advisor/program_comparison.h"
#include "advisor/progress.h"
#include "advisor/render/verification_report.h"
#include "advisor/system.h"
#include "advisor/verification.h"
#include "advisor/version.h"

namespace advisor {
namespace {

constexpr FlagRow kFlags[] = {
    {"budget", "SECONDS",
     "how long to measure: 20 for memcpy and memset, 60 for a program"},
    {"format", "text|json", "how to print; text is the default"},
    {"runs", "N",
     "rounds of a program, at least 6 and at most 1000; default: 30"},
    {"seed", "N", "order of the runs and placement of buffers; default: 1"},
};

absl::StatusOr<double> Number(const Flags& flags, absl::string_view name,
                              double otherwise, double least, double most) {
  const std::optional<std::string> text = flags.Get(name);
  if (!text.has_value()) return otherwise;
  double number = 0;
  if (!absl::SimpleAtod(*text, &number) || !(number >= least) ||
      !(number <= most)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--", name, ": expected a number from ", least, " to ",
                     most, ", found ", *text));
  }
  return number;
}

// As execvp does, but with the PATH of the context.
absl::StatusOr<std::string> FindProgram(const CommandContext& context,
                                        const std::string& name) {
  if (absl::StrContains(name, '/')) return name;
  for (const absl::string_view folder : absl::StrSplit(
           context.environment.Get("PATH").value_or("/usr/bin:/bin"), ':')) {
    const std::string path =
        absl::StrCat(folder.empty() ? "." : folder, "/", name);
    if (context.files.ReadFront(path, 1).ok()) return path;
  }
  return absl::NotFoundError(
      absl::StrCat(name, ": expected a program, found none in PATH"));
}

VerifyOutcome OutcomeOf(CellVerdict verdict) {
  switch (verdict) {
    case CellVerdict::kFaster:
      return VerifyOutcome::kHolds;
    case CellVerdict::kSlower:
      return VerifyOutcome::kHarmful;
    case CellVerdict::kEquivalent:
      return VerifyOutcome::kEqual;
    case CellVerdict::kCannotTell:
      break;
  }
  return VerifyOutcome::kCannotTell;
}

ExitStatus StatusOf(VerifyOutcome outcome) {
  switch (outcome) {
    case VerifyOutcome::kHolds:
    case VerifyOutcome::kEqual:
      return ExitStatus::kAnswered;
    case VerifyOutcome::kHarmful:
    case VerifyOutcome::kDropped:
      return ExitStatus::kFinding;
    case VerifyOutcome::kCannotTell:
      break;
  }
  return ExitStatus::kInconclusive;
}

class Command {
 public:
  Command(const CommandContext& context, const Flags& flags)
      : context_(context),
        flags_(flags),
        progress_(context.err, context.terminal) {
    report_.tool_version = std::string(kVersion);
  }

  absl::StatusOr<ExitStatus> Run() {
    if (absl::Status status = ReadArguments(); !status.ok()) return status;
    if (absl::Status status = Verify(); !status.ok()) return status;
    if (absl::Status status = Compare(); !status.ok()) return status;
    progress_.Clear();
    context_.out << (flags_.Get("format") == "json"
                         ? RenderVerificationJson(report_)
                         : RenderVerificationText(report_, context_.columns));
    return StatusOf(report_.outcome);
  }

 private:
  absl::Status ReadArguments() {
    const std::vector<std::string>& arguments = flags_.arguments();
    const size_t plain = flags_.plain_arguments();
    if (plain > 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected one STRING, found ", plain,
                       "; a PROGRAM comes after \"--\""));
    }
    if (plain == 1) {
      string_ = std::string(absl::StripPrefix(arguments[0], "GLIBC_TUNABLES="));
    } else if (const auto value = context_.environment.Get("GLIBC_TUNABLES")) {
      string_ = *value;
    } else {
      return absl::InvalidArgumentError(
          "expected a STRING, or GLIBC_TUNABLES in the environment, found "
          "neither");
    }
    report_.program.assign(arguments.begin() + plain, arguments.end());
    if (!report_.program.empty()) {
      absl::StatusOr<std::string> path =
          FindProgram(context_, report_.program[0]);
      if (!path.ok()) return path.status();
      program_path_ = *std::move(path);
    }
    const absl::StatusOr<double> budget =
        Number(flags_, "budget", report_.program.empty() ? 20 : 60, 0.1, 86400);
    if (!budget.ok()) return budget.status();
    budget_ = absl::Seconds(*budget);
    const absl::StatusOr<double> runs =
        Number(flags_, "runs", 30, kLeastRounds, 1000);
    if (!runs.ok()) return runs.status();
    if (report_.program.empty() && flags_.Has("runs")) {
      return absl::InvalidArgumentError(
          "--runs: expected a PROGRAM to run, found none");
    }
    runs_ = static_cast<int>(*runs);
    const absl::StatusOr<double> seed = Number(flags_, "seed", 1, 0, 1e9);
    if (!seed.ok()) return seed.status();
    seed_ = static_cast<uint64_t>(*seed);
    return absl::OkStatus();
  }

  absl::Status Verify() {
    const Environment environment =
        context_.environment.Without("GLIBC_TUNABLES");
    const absl::StatusOr<System> system =
        InspectThisMachine(context_.files, context_.subprocess, environment);
    if (!system.ok()) return system.status();
    const MeasurementDoors doors = DoorsOf(context_, environment, progress_);
    VerifyOptions options;
    options.budget = budget_;
    options.seed = seed_;
    // The program's own time is the question then.
    options.measure = report_.program.empty();
    absl::StatusOr<StringVerification> string =
        VerifyString(*system, string_, doors, options);
    if (!string.ok()) return string.status();
    report_.string = *std::move(string);
    report_.outcome = report_.string.outcome;
    return absl::OkStatus();
  }

  // A string that is not taken, or crashes, is not tried on the program.
  absl::Status Compare() {
    if (report_.program.empty() || report_.outcome == VerifyOutcome::kDropped ||
        report_.outcome == VerifyOutcome::kHarmful) {
      return absl::OkStatus();
    }
    ProgramQuestion question;
    question.argv = report_.program;
    question.argv[0] = program_path_;
    question.environment = context_.environment;
    question.string_with = string_;
    question.most_rounds = runs_;
    question.budget = budget_;
    question.seed = seed_;
    absl::StatusOr<ProgramComparison> comparison = CompareProgram(
        question, RealProgramTimer(), context_.clock,
        [this](double share) { progress_.Show("comparing", share); });
    if (!comparison.ok()) return comparison.status();
    report_.comparison = *std::move(comparison);
    report_.outcome = OutcomeOf(report_.comparison->verdict);
    return absl::OkStatus();
  }

  const CommandContext& context_;
  const Flags& flags_;
  ProgressLine progress_;
  std::string string_;
  std::string program_path_;
  absl::Duration budget_;
  int runs_ = 0;
  uint64_t seed_ = 1;
  VerificationReport report_;
};

absl::StatusOr<ExitStatus> Run(const CommandContext& context,
                               const Flags& flags) {
  return Command(context, flags).Run();
}

}  // namespace

const CommandRow kVerifyCommand = {
    "verify",
    "does a GLIBC_TUNABLES string make this libc, or a program, faster",
    "[STRING] [-- PROGRAM ARGS...]",
    0,
    kAnyNumber,
    "Reads STRING (or GLIBC_TUNABLES of the environment) back from a fresh\n"
    "loader, and says which assignment is not taken. Then measures the real\n"
    "libc with and without it in fresh processes: sizes around every "
    "threshold\n"
    "that it moves, and sizes up to 1 MiB where it selects other variants; "
    "what\n"
    "it changes beyond those is named as not measured.\n"
    "With a PROGRAM, that is run instead, with and without, in rounds of "
    "random\n"
    "order with a control. It has this environment and folder, may write "
    "files,\n"
    "and has no limit of time; it reads /dev/null, what it prints is dropped,\n"
    "it gets no other descriptor, and what it leaves running in its process\n"
    "group is killed.\n"
    "The exit status is 0 if it is faster or equal, 1 if it is slower,\n"
    "dangerous or not taken, 3 if that cannot be told.\n",
    kFlags,
    &Run,
};

}  // namespace advisor
