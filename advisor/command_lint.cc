#include "advisor/command_lint.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "advisor/cpu/cpu_model.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/installed_libc.h"
#include "advisor/host/process_door.h"
#include "advisor/host/rooted_file_reader.h"
#include "advisor/input/machine_input.h"
#include "advisor/lint/image_root.h"
#include "advisor/lint/lint.h"
#include "advisor/lint/program.h"
#include "advisor/lint/systemd_unit.h"
#include "advisor/prediction_answer.h"
#include "advisor/render/lint_report.h"
#include "advisor/version.h"

namespace advisor {
namespace {

constexpr FlagRow kFlags[] = {
    {"cpuid", "FILE",
     "the CPU: a dump, or another input of `predict`; default: this machine's"},
    {"format", "text|json", "how to print; text is the default"},
    {"glibc", "BUILD",
     "a release (2.28), the tip of its branch (2.36+branch) or a package's "
     "version (2.36-9+deb12u14); default: that of what is looked at"},
    {"image-root", "DIR",
     "an unpacked image: the glibc in it, and every place in it that sets the "
     "variable"},
    {"pid", "N", "a running process: its glibc and its environment"},
    {"unit", "FILE",
     "a systemd unit, as a file or by its name, with its drop-ins and "
     "environment files"},
};

// A CPU, and in words which one.
struct Cpu {
  std::optional<LintMachine> machine;
  std::string words;
};

absl::StatusOr<Cpu> ReadCpu(const CommandContext& context, const Flags& flags) {
  PredictionSubject subject;
  if (const auto path = flags.Get("cpuid")) {
    const absl::StatusOr<MachineInput> input =
        ReadMachineInput(context.files, *path);
    if (!input.ok()) return input.status();
    absl::StatusOr<std::vector<PredictionSubject>> subjects =
        SubjectsOf(*input);
    if (!subjects.ok()) return subjects.status();
    subject = std::move(subjects->front());
  } else {
    subject = ThisMachine();
  }
  if (!subject.has_features || !subject.has_cache_leaves) return Cpu();
  return Cpu{
      LintMachine{subject.cpuid, subject.cpus},
      absl::StrCat(DescribeCpuModel(subject.cpu), " (", subject.path, ")")};
}

class Command {
 public:
  Command(const CommandContext& context, const Flags& flags)
      : context_(context), flags_(flags) {
    report_.tool_version = std::string(kVersion);
  }

  absl::StatusOr<ExitStatus> Run() {
    absl::StatusOr<Cpu> cpu = ReadCpu(context_, flags_);
    if (!cpu.ok()) return cpu.status();
    cpu_ = *std::move(cpu);
    if (absl::Status status = LintStrings(); !status.ok()) return status;
    context_.out << (flags_.Get("format") == "json"
                         ? RenderLintJson(report_)
                         : RenderLintText(report_, context_.columns));
    return report_.has_finding() ? ExitStatus::kFinding : ExitStatus::kAnswered;
  }

 private:
  // What one string is for.
  struct Target {
    GlibcBuild build = GlibcBuild::Tag(kLastRelease);
    std::string program;
    std::optional<bool> secure;
    bool is_static = false;
  };

  absl::Status LintStrings() {
    if (flags_.Has("pid") + flags_.Has("unit") + flags_.Has("image-root") > 1) {
      return absl::InvalidArgumentError(
          "--pid, --unit and --image-root exclude each other");
    }
    if (const auto pid = flags_.Get("pid")) return LintProcess(*pid);
    if (const auto unit = flags_.Get("unit")) return LintUnit(*unit);
    if (const auto root = flags_.Get("image-root")) return LintImage(*root);
    Target target;
    const absl::StatusOr<GlibcBuild> build = BuildOfSystem(context_.files);
    if (!build.ok()) return build.status();
    target.build = *build;
    Add("this environment", context_.environment.Get("GLIBC_TUNABLES"), target);
    return absl::OkStatus();
  }

  absl::Status LintProcess(const std::string& text) {
    int pid = 0;
    if (!absl::SimpleAtoi(text, &pid) || pid <= 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("--pid: expected a process number, found ", text));
    }
    const absl::StatusOr<ProcessFacts> process =
        ReadProcess(context_.files, RealProcessDoor(), pid);
    if (!process.ok()) return process.status();
    const RootedFileReader files(absl::StrCat("/proc/", pid, "/root"));
    absl::StatusOr<Target> target = TargetOf(files, process->program);
    if (!target.ok()) return target.status();
    target->secure = process->secure;
    Add(absl::StrCat("the environment of process ", pid),
        process->glibc_tunables, *target);
    return absl::OkStatus();
  }

  absl::Status LintUnit(const std::string& name) {
    const absl::StatusOr<SystemdUnit> unit =
        ReadSystemdUnit(context_.files, name, "GLIBC_TUNABLES");
    if (!unit.ok()) return unit.status();
    const absl::StatusOr<Target> target =
        TargetOf(context_.files, unit->program);
    if (!target.ok()) return target.status();
    report_.notes = unit->notes;
    std::optional<std::string> value;
    if (unit->variable.has_value()) value = unit->variable->value;
    Add(unit->variable.has_value() ? unit->variable->place : unit->name, value,
        *target);
    return absl::OkStatus();
  }

  absl::Status LintImage(const std::string& root) {
    const RootedFileReader files(root);
    const auto top = files.List("/");
    if (!top.ok())
      return absl::Status(top.status().code(),
                          absl::StrCat(root,
                                       ": expected a "
                                       "folder, found none"));
    const absl::StatusOr<GlibcBuild> build = BuildOfSystem(files);
    if (!build.ok()) {
      return absl::Status(build.status().code(),
                          absl::StrCat(root, ": ", build.status().message()));
    }
    const ImageSettings settings = FindImageSettings(files, "GLIBC_TUNABLES");
    report_.notes = settings.notes;
    report_.notes.push_back(absl::StrCat(
        root, ": ", settings.system.empty() ? "no os-release" : settings.system,
        ", glibc ", build->name(),
        "; what the image's configuration sets (ENV) is not in its files"));
    Target target;
    target.build = *build;
    if (!flags_.arguments().empty()) {
      Add("", std::nullopt, target);
      return absl::OkStatus();
    }
    for (const PlacedValue& value : settings.values) {
      Target own = target;
      if (!value.program.empty() && !flags_.Has("glibc")) {
        const absl::StatusOr<Target> of_program =
            TargetOf(files, value.program);
        if (of_program.ok()) {
          own = *of_program;
        } else {
          report_.notes.push_back(std::string(of_program.status().message()));
        }
      }
      Add(value.place, value.value, own);
    }
    return absl::OkStatus();
  }

  // The build of a program's glibc; without a program, the system's.
  absl::StatusOr<Target> TargetOf(const FileReader& files,
                                  const std::string& program) const {
    Target target;
    target.program = program;
    if (program.empty()) {
      absl::StatusOr<GlibcBuild> build = BuildOfSystem(files);
      if (!build.ok()) return build.status();
      target.build = *std::move(build);
      return target;
    }
    const ProgramFacts facts = ExamineProgram(files, program);
    target.is_static = facts.is_static;
    if (const auto asked = flags_.Get("glibc")) {
      absl::StatusOr<GlibcBuild> build = ParseGlibcBuild(*asked);
      if (!build.ok()) return build.status();
      target.build = *std::move(build);
    } else if (facts.build.has_value()) {
      target.build = *facts.build;
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat(facts.problem, "; use --glibc"));
    }
    return target;
  }

  absl::StatusOr<GlibcBuild> BuildOfSystem(const FileReader& files) const {
    if (const auto asked = flags_.Get("glibc")) return ParseGlibcBuild(*asked);
    const absl::StatusOr<InstalledLibc> libc =
        FindInstalledLibc(files, context_.environment);
    if (!libc.ok()) return libc.status();
    return BuildOf(files, *libc);
  }

  // STRING takes the place of what was found.
  void Add(std::string source, std::optional<std::string> string,
           const Target& target) {
    if (!flags_.arguments().empty()) {
      source = "the command line";
      // As pasted from a script.
      string = std::string(
          absl::StripPrefix(flags_.arguments()[0], "GLIBC_TUNABLES="));
    }
    if (!string.has_value()) return;
    LintedString linted;
    linted.source = std::move(source);
    linted.string = *string;
    linted.build = target.build.name();
    linted.build_note = target.build.note();
    linted.cpu = cpu_.words;
    linted.program = target.program;
    linted.secure = target.secure;
    linted.is_static = target.is_static;
    LintSubject subject;
    subject.string = *std::move(string);
    subject.build = target.build;
    subject.machine = cpu_.machine;
    subject.secure = target.secure;
    subject.is_static = target.is_static;
    linted.result = Lint(subject);
    report_.strings.push_back(std::move(linted));
  }

  const CommandContext& context_;
  const Flags& flags_;
  Cpu cpu_;
  LintReport report_;
};

absl::StatusOr<ExitStatus> Run(const CommandContext& context,
                               const Flags& flags) {
  return Command(context, flags).Run();
}

}  // namespace

const CommandRow kLintCommand = {
    "lint",
    "is a GLIBC_TUNABLES string valid and effective there",
    "[STRING]",
    0,
    1,
    "Reads STRING, or else GLIBC_TUNABLES of the environment, as that glibc\n"
    "does, and says of every assignment what becomes of it and what is wrong:\n"
    "names, namespaces, syntax, bounds, words of the hwcaps mask, values that\n"
    "change nothing on that CPU or that hurt, and work-arounds that can go.\n"
    "With --pid, --unit or --image-root the glibc is that of the process, the\n"
    "unit's program or the image, and without STRING so is the string. The "
    "CPU\n"
    "is this machine's unless --cpuid says another.\n"
    "The exit status is 1 if there is a warning or worse.\n",
    kFlags,
    &Run,
};

}  // namespace advisor
