#include "advisor/command_lint.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "advisor/cpu/cpu_model.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/installed_libc.h"
#include "advisor/input/machine_input.h"
#include "advisor/lint/lint.h"
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
     "version (2.36-9+deb12u14); default: this machine's own"},
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

absl::StatusOr<GlibcBuild> BuildOf(const InstalledLibc& libc) {
  if (libc.banner.has_value() && libc.banner->revision.has_value()) {
    absl::StatusOr<GlibcBuild> build = ParseGlibcBuild(*libc.banner->revision);
    if (build.ok()) return build;
  }
  // Fedora, RHEL and SUSE leave it out of the banner.
  if (libc.package_version.has_value()) {
    absl::StatusOr<GlibcBuild> build = ParseGlibcBuild(*libc.package_version);
    if (build.ok()) return build;
  }
  if (!libc.banner.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat(libc.loader_path,
                     ": expected a banner with the release, found none; use "
                     "--glibc"));
  }
  return ParseGlibcBuild(libc.banner->release);
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
  absl::Status LintStrings() {
    const absl::StatusOr<GlibcBuild> build = AskedOrOwnBuild();
    if (!build.ok()) return build.status();
    if (!flags_.arguments().empty()) {
      // As pasted from a script.
      Add("the command line",
          std::string(
              absl::StripPrefix(flags_.arguments()[0], "GLIBC_TUNABLES=")),
          *build);
    } else if (const auto value = context_.environment.Get("GLIBC_TUNABLES")) {
      Add("this environment", *value, *build);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<GlibcBuild> AskedOrOwnBuild() const {
    if (const auto asked = flags_.Get("glibc")) return ParseGlibcBuild(*asked);
    const absl::StatusOr<InstalledLibc> libc =
        FindInstalledLibc(context_.files, context_.environment);
    if (!libc.ok()) return libc.status();
    return BuildOf(*libc);
  }

  void Add(std::string source, std::string string, const GlibcBuild& build) {
    LintedString linted;
    linted.source = std::move(source);
    linted.string = string;
    linted.build = build.name();
    linted.build_note = build.note();
    linted.cpu = cpu_.words;
    LintSubject subject;
    subject.string = std::move(string);
    subject.build = build;
    subject.machine = cpu_.machine;
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
    "The exit status is 1 if there is a warning or worse.\n",
    kFlags,
    &Run,
};

}  // namespace advisor
