#include "advisor/command_inspect.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "advisor/command_inspect_facts.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/installed_libc.h"
#include "advisor/glibc/loader_listing.h"
#include "advisor/host/process_door.h"
#include "advisor/input/machine_input.h"
#include "advisor/render/inspection_json.h"
#include "advisor/render/inspection_report.h"
#include "advisor/render/inspection_text.h"
#include "advisor/render/running_report.h"
#include "advisor/running/running_process.h"
#include "advisor/system.h"
#include "advisor/version.h"

namespace advisor {
namespace {

constexpr FlagRow kFlags[] = {
    {"cpuid", "FILE",
     "inspect this dump, listing or folder, instead of this machine"},
    {"format", "text|json", "how to print; text is the default"},
    {"glibc", "BUILD",
     "predict for this glibc (2.28, 2.36+branch, 2.36-9+deb12u14), instead of "
     "the one here"},
    {"pid", "N",
     "inspect this running process: the tunables that it got and the values in "
     "its memory"},
    {"run-its-loader", "",
     "with --pid: run the process's loader and libc to find its values, even "
     "if they are not this system's (a container's)"},
};

GlibcInspection AskedFor(const GlibcBuild& build) {
  GlibcInspection glibc;
  glibc.build = build.name();
  glibc.note = build.note();
  return glibc;
}

void AddLoader(const LoaderAnswer& loader, Inspection& inspection) {
  inspection.glibc->is_listed = true;
  inspection.glibc->loader_warnings = loader.warnings;
  AddListed(loader.thresholds, inspection.cores[0].thresholds);
}

void AddThisMachine(const System& system, Inspection& inspection) {
  inspection.origin = system.origin;
  inspection.sysfs = system.sysfs;
  inspection.disagreements = system.disagreements;
  inspection.cores = {InspectCore("", system.cpuid)};
}

// A libc that is not there, or that the model does not cover, leaves all the
// rest to be told.
absl::Status InspectWithoutBuild(const CommandContext& context,
                                 const absl::Status& why,
                                 Inspection& inspection) {
  const absl::StatusOr<System> system = InspectOtherGlibc(
      context.files, context.environment, GlibcBuild::Tag(kLastRelease));
  if (!system.ok()) return system.status();
  AddThisMachine(*system, inspection);
  GlibcInspection& glibc = inspection.glibc.emplace();
  glibc.problems.push_back(std::string(why.message()));
  absl::StatusOr<InstalledLibc> libc =
      FindInstalledLibc(context.files, context.environment);
  if (!libc.ok()) return absl::OkStatus();
  glibc.libc = *std::move(libc);
  const absl::StatusOr<LoaderAnswer> loader = AskLoader(
      context.subprocess, glibc.libc->loader_path, context.environment);
  if (loader.ok()) {
    AddLoader(*loader, inspection);
  } else {
    glibc.problems.push_back(std::string(loader.status().message()));
  }
  return absl::OkStatus();
}

absl::Status InspectHere(const CommandContext& context,
                         const std::optional<GlibcBuild>& build,
                         Inspection& inspection) {
  const absl::StatusOr<System> system =
      build.has_value()
          ? InspectOtherGlibc(context.files, context.environment, *build)
          : InspectThisMachine(context.files, context.subprocess,
                               context.environment);
  if (!system.ok()) {
    if (build.has_value()) return system.status();
    return InspectWithoutBuild(context, system.status(), inspection);
  }
  AddThisMachine(*system, inspection);
  inspection.glibc = AskedFor(system->build);
  GlibcInspection& glibc = *inspection.glibc;
  glibc.libc = system->libc;
  if (!system->loader_problem.empty()) {
    glibc.problems.push_back(system->loader_problem);
  }
  const bool lists_tunables_only =
      system->loader.has_value() && !system->loader->diagnostics.has_value();
  AddPrediction(system->cpuid, system->build, system->glibc_tunables,
                lists_tunables_only, inspection.cores[0]);
  if (system->loader.has_value()) AddLoader(*system->loader, inspection);
  return absl::OkStatus();
}

std::vector<std::string> NotesOf(const MachineInput& input) {
  std::vector<std::string> notes = input.notes;
  for (const UnknownFact& unknown : input.unknown) {
    notes.push_back(absl::StrCat("not told: ", unknown.what, "; `",
                                 unknown.command, "` would"));
  }
  for (const std::string& warning : input.warnings) {
    notes.push_back(absl::StrCat("WARNING: ", warning));
  }
  for (const InputFile& file : input.files) {
    notes.push_back(absl::StrCat(file.path, " (", file.format, ")",
                                 file.used ? "" : ", not used"));
  }
  // Paths in a folder need not repeat the folder's.
  for (std::string& note : notes) {
    note = absl::StrReplaceAll(note, {{absl::StrCat(input.name, "/"), ""}});
  }
  return notes;
}

EffectiveThresholds ListedIn(const MachineInput& input) {
  const TunablesListing tunables = input.tunables.value_or(TunablesListing{});
  return input.diagnostics.has_value()
             ? ThresholdsOf(*input.diagnostics, tunables)
             : ThresholdsOf(tunables);
}

// The one place where a recorded machine comes in.
absl::Status InspectFile(const CommandContext& context, const std::string& path,
                         const std::optional<GlibcBuild>& build,
                         Inspection& inspection) {
  const absl::StatusOr<MachineInput> input =
      ReadMachineInput(context.files, path);
  if (!input.ok()) return input.status();
  inspection.origin = path;
  inspection.format = input->format;
  inspection.notes = NotesOf(*input);
  inspection.caches_told = input->has_cache_leaves;
  const bool lists =
      input->tunables.has_value() || input->diagnostics.has_value();
  if (build.has_value()) {
    inspection.glibc = AskedFor(*build);
  } else if (lists) {
    inspection.glibc.emplace();
  }
  for (const CoreKind& kind : input->cores) {
    CoreInspection core = InspectCore(kind.name, kind.cpuid);
    if (build.has_value() && input->has_features) {
      AddPrediction(kind.cpuid, *build, "",
                    lists && !input->diagnostics.has_value(), core);
      if (!input->has_cache_leaves) core.thresholds.clear();
    }
    if (lists) AddListed(ListedIn(*input), core.thresholds);
    inspection.cores.push_back(std::move(core));
  }
  if (!lists) return absl::OkStatus();
  inspection.glibc->is_listed = true;
  if (input->cores.empty()) {
    AddListed(ListedIn(*input), inspection.glibc->thresholds);
  }
  return absl::OkStatus();
}

absl::StatusOr<ExitStatus> RunForProcess(const CommandContext& context,
                                         const Flags& flags) {
  if (flags.Has("cpuid") || flags.Has("glibc")) {
    return absl::InvalidArgumentError(
        "--pid excludes --cpuid and --glibc: a process has its own");
  }
  const std::string text = *flags.Get("pid");
  int pid = 0;
  if (!absl::SimpleAtoi(text, &pid) || pid <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--pid: expected a process number, found ", text));
  }
  const RealProcessDoor processes;
  const RunningDoors doors = {context.files, context.subprocess, processes};
  const absl::StatusOr<RunningProcess> process =
      InspectProcess(doors, pid, flags.Has("run-its-loader"));
  if (!process.ok()) return process.status();
  context.out << (flags.Get("format") == "json"
                      ? RenderRunningJson(*process, kVersion)
                      : RenderRunningText(*process, context.columns));
  return ExitStatus::kAnswered;
}

absl::StatusOr<ExitStatus> Run(const CommandContext& context,
                               const Flags& flags) {
  if (flags.Has("pid")) return RunForProcess(context, flags);
  if (flags.Has("run-its-loader")) {
    return absl::InvalidArgumentError(
        "--run-its-loader: expected --pid with it, whose loader it is");
  }
  std::optional<GlibcBuild> build;
  if (const std::optional<std::string> glibc = flags.Get("glibc")) {
    absl::StatusOr<GlibcBuild> parsed = ParseGlibcBuild(*glibc);
    if (!parsed.ok()) return parsed.status();
    build = *std::move(parsed);
  }
  Inspection inspection;
  inspection.tool_version = std::string(kVersion);
  const std::optional<std::string> file = flags.Get("cpuid");
  const absl::Status status =
      file.has_value() ? InspectFile(context, *file, build, inspection)
                       : InspectHere(context, build, inspection);
  if (!status.ok()) return status;
  if (!file.has_value()) {
    inspection.glibc->tunables = context.environment.Get("GLIBC_TUNABLES");
  }
  context.out << (flags.Get("format") == "json"
                      ? RenderInspectionJson(inspection)
                      : RenderInspectionText(inspection, context.columns));
  return ExitStatus::kAnswered;
}

}  // namespace

const CommandRow kInspectCommand = {
    "inspect",
    "what is detected here: CPU, guest, caches, glibc, values in force",
    "",
    0,
    0,
    "Prints what this host or guest tells of itself: CPU and features,\n"
    "hypervisor, caches and topology by every source (CPUID leaves, sysfs) "
    "and\n"
    "where they contradict each other, the glibc here, what it makes of\n"
    "GLIBC_TUNABLES, and its thresholds as its loader lists them and as they\n"
    "are predicted. With --cpuid the same of a recorded machine; --glibc adds\n"
    "what that glibc would do there. With --pid, of a running process: what "
    "it\n"
    "got in GLIBC_TUNABLES, who dropped it on the way, and the values that "
    "its\n"
    "libc works with, beside those that its loader lists.\n",
    kFlags,
    &Run,
};

}  // namespace advisor
