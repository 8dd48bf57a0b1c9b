#include "advisor/command_mask.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "advisor/command_doors.h"
#include "advisor/glibc/build.h"
#include "advisor/input/machine_input.h"
#include "advisor/mask_measurement.h"
#include "advisor/masks/mask.h"
#include "advisor/masks/purpose_table.h"
#include "advisor/measurement.h"
#include "advisor/progress.h"
#include "advisor/render/mask_report.h"
#include "advisor/suggestion.h"
#include "advisor/system.h"

namespace advisor {
namespace {

constexpr FlagRow kFlags[] = {
    {"cpuid", "FILE",
     "a dump of a machine that the mask is for, may be repeated; default: this "
     "machine",
     true},
    {"for", "PURPOSE", "what the mask is for; see above"},
    {"format", "text|json|env", "how to print; default: text"},
    {"glibc", "BUILD",
     "for this glibc (2.28, 2.36+branch, 2.36-9+deb12u14); default: the one "
     "here"},
    {"glibc_tunables", "STRING",
     "the value that the mask is merged with; default: this environment's, and "
     "none for dumps"},
    {"measure", "off|quick",
     "what the mask costs here, 3 s (default for this machine and its glibc), "
     "or not"},
};

// Distributions whose packages are compiled for a level, by a part of the
// package's version.
struct CompiledForRow {
  absl::string_view part;
  int isa_level;
};
constexpr CompiledForRow kCompiledFor[] = {
    {".el10", 3},  // Red Hat Enterprise Linux 10: x86-64-v3
    {".el9", 2},   // and 9: x86-64-v2
};

std::optional<int> IsaLevelOfPackage(absl::string_view build) {
  for (const CompiledForRow& row : kCompiledFor) {
    if (absl::StrContains(build, row.part)) return row.isa_level;
  }
  return std::nullopt;
}

absl::StatusOr<const PurposeRow*> ReadPurpose(const Flags& flags) {
  std::vector<absl::string_view> names;
  for (const PurposeRow& row : AllPurposes()) names.push_back(row.name);
  const std::string list = absl::StrJoin(names, ", ");
  const std::optional<std::string> name = flags.Get("for");
  if (!name.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--for: expected a purpose (", list, "), found none"));
  }
  const PurposeRow* const row = FindPurpose(*name);
  if (row == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("--for: expected ", list,
                                                   ", found \"", *name, "\"",
                                                   Suggestion(*name, names)));
  }
  return row;
}

absl::Status AddDump(const FileReader& files, const std::string& path,
                     MaskQuestion& question) {
  const absl::StatusOr<MachineInput> input = ReadMachineInput(files, path);
  if (!input.ok()) return input.status();
  if (input->cores.empty() || !input->has_features) {
    return absl::InvalidArgumentError(
        absl::StrCat(path,
                     ": expected a CPU's vendor, model and features, "
                     "found ",
                     input->format, ", which lacks some"));
  }
  for (const CoreKind& core : input->cores) {
    question.cpus.push_back(
        {input->cores.size() > 1 ? absl::StrCat(path, ", ", core.name) : path,
         core.cpuid});
  }
  return absl::OkStatus();
}

struct Asked {
  MaskQuestion question;
  // This machine with its own glibc.
  std::optional<System> system;
};

absl::StatusOr<Asked> ReadQuestion(const CommandContext& context,
                                   const Flags& flags) {
  Asked asked;
  MaskQuestion& question = asked.question;
  const absl::StatusOr<const PurposeRow*> purpose = ReadPurpose(flags);
  if (!purpose.ok()) return purpose.status();
  question.purpose = *purpose;
  std::vector<std::string> dumps = flags.GetAll("cpuid");
  dumps.insert(dumps.end(), flags.arguments().begin(), flags.arguments().end());
  const std::optional<std::string> glibc = flags.Get("glibc");
  if (!dumps.empty() && !glibc.has_value()) {
    return absl::InvalidArgumentError(
        "--cpuid needs --glibc: for which glibc should the mask be?");
  }
  std::string there;
  if (glibc.has_value()) {
    absl::StatusOr<GlibcBuild> build = ParseGlibcBuild(*glibc);
    if (!build.ok()) return build.status();
    question.build = *std::move(build);
    question.isa_level = IsaLevelOfPackage(question.build.name());
  }
  if (dumps.empty()) {
    absl::StatusOr<System> system =
        glibc.has_value()
            ? InspectOtherGlibc(context.files, context.environment,
                                question.build)
            : InspectThisMachine(context.files, context.subprocess,
                                 context.environment);
    if (!system.ok()) return system.status();
    question.cpus.push_back({"this machine", system->cpuid});
    question.build = system->build;
    there = system->glibc_tunables;
    if (system->libc.has_value()) {
      question.isa_level = system->libc->isa_level;
      asked.system = *std::move(system);
    }
  }
  for (const std::string& path : dumps) {
    if (absl::Status status = AddDump(context.files, path, question);
        !status.ok()) {
      return status;
    }
  }
  question.glibc_tunables = flags.Get("glibc_tunables").value_or(there);
  return asked;
}

// Sets `measured`, or why not.
absl::Status Measure(const CommandContext& context, const Flags& flags,
                     const Asked& asked, MaskReport& report) {
  const std::optional<std::string> wish = flags.Get("measure");
  if (wish == "quick" && !asked.system.has_value()) {
    return absl::InvalidArgumentError(
        "--measure: only this machine's own glibc can be measured");
  }
  const Mask& mask = report.mask;
  const MaskedCpu& cpu = mask.cpus[0];
  if (!asked.system.has_value()) {
    report.why_not_measured = "not measured: another machine or glibc";
  } else if (wish == "off" || flags.Get("format") == "env") {
    report.why_not_measured = "not measured";
  } else if (cpu.after.SameVariants(cpu.before)) {
    report.why_not_measured = "nothing: the same variants are selected";
  }
  if (!report.why_not_measured.empty()) return absl::OkStatus();
  ProgressLine progress(context.err, context.terminal);
  const MeasurementDoors doors =
      DoorsOf(context, context.environment, progress);
  const VariantCandidate candidate = {mask.glibc_tunables,
                                      cpu.after.memmove != cpu.before.memmove,
                                      cpu.after.memset != cpu.before.memset};
  absl::StatusOr<MaskCosts> costs =
      MeasureMaskCosts(asked.question.glibc_tunables, candidate, doors,
                       absl::ToUnixNanos(context.clock.Wall()));
  if (!costs.ok()) return costs.status();
  if (costs->costs.empty()) {
    report.why_not_measured =
        "cannot tell: this machine was too busy to measure anything in time";
    return absl::OkStatus();
  }
  report.measured = {std::move(costs->costs), costs->processes,
                     costs->noise_floor};
  return absl::OkStatus();
}

absl::StatusOr<ExitStatus> Run(const CommandContext& context,
                               const Flags& flags) {
  const absl::StatusOr<Asked> asked = ReadQuestion(context, flags);
  if (!asked.ok()) return asked.status();
  const MaskQuestion& question = asked->question;
  absl::StatusOr<Mask> mask = ComposeMask(question);
  if (!mask.ok()) return mask.status();
  MaskReport report;
  report.purpose = std::string(question.purpose->name);
  report.summary = std::string(question.purpose->summary);
  report.reference = std::string(question.purpose->reference);
  report.build = question.build.name();
  report.build_note = question.build.note();
  report.isa_level = question.isa_level;
  report.tunables_in_environment = question.glibc_tunables;
  report.mask = *std::move(mask);
  if (absl::Status status = Measure(context, flags, *asked, report);
      !status.ok()) {
    return status;
  }
  const std::string format = flags.Get("format").value_or("text");
  context.out << (format == "json"  ? RenderMaskJson(report)
                  : format == "env" ? RenderMaskEnv(report)
                                    : RenderMaskText(report, context.columns));
  return report.mask.reached() ? ExitStatus::kAnswered : ExitStatus::kFinding;
}

}  // namespace

const CommandRow kMaskCommand = {
    "mask",
    "a coherent mask of CPU features for a purpose, and what it costs",
    "[FILE]...",
    0,
    kAnyNumber,
    "Composes the value of hwcaps in GLIBC_TUNABLES that hides CPU features\n"
    "from glibc without falling to variants for other CPUs, in the words of\n"
    "the release. Purposes:\n"
    "\n"
    "  checkpoint  restore a checkpoint on another CPU: any, or those of the\n"
    "              dumps given\n"
    "  no-avx      no AVX registers\n"
    "  no-avx512   no AVX-512 instructions\n"
    "  no-erms     no `rep movsb` and `rep stosb`\n"
    "  no-rtm      no code for transactional memory\n"
    "  pin         the same code paths on different hosts\n"
    "  pool        live migration between the hosts of a pool, two dumps or\n"
    "              more\n"
    "  rr          record with rr, replay on a CPU without AVX-512\n"
    "  valgrind    the same paths outside of Valgrind as inside\n"
    "\n"
    "Prints the variants before and after, on each machine; for this one it\n"
    "measures what they cost. Ends with 1 where the release cannot do it.\n",
    kFlags,
    &Run,
};

}  // namespace advisor
