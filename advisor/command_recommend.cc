#include "advisor/command_recommend.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "advisor/cache_measurement.h"
#include "advisor/command_doors.h"
#include "advisor/evidence/cache_truth.h"
#include "advisor/evidence/hazard.h"
#include "advisor/evidence/known_issue.h"
#include "advisor/evidence/proof_study.h"
#include "advisor/glibc/build.h"
#include "advisor/grouped_machines.h"
#include "advisor/mask_measurement.h"
#include "advisor/measured_libc.h"
#include "advisor/measurement.h"
#include "advisor/progress.h"
#include "advisor/render/deployment_renderers.h"
#include "advisor/render/renderer.h"
#include "advisor/report.h"
#include "advisor/rules/unmeasured_non_temporal_rule.h"
#include "advisor/suggestion.h"
#include "advisor/system.h"
#include "advisor/unmeasured_advice.h"
#include "advisor/validity.h"
#include "advisor/version.h"
#include "advisor/workload/named_workloads.h"
#include "advisor/workload/workload.h"

namespace advisor {
namespace {

constexpr FlagRow kFlags[] = {
    {"cpuid", "FILE", "advise for this CPUID dump, instead of this machine"},
    {"format", "FORMAT",
     "how to print: text (default), docker, env, environment.d, html, json, "
     "jsonl, kubernetes, slurm, systemd"},
    {"glibc", "BUILD",
     "advise for this glibc (2.28, 2.36+branch, 2.36-9+deb12u14)"},
    {"glibc_tunables", "STRING",
     "what the service sets already, to be kept; default: this environment's, "
     "and nothing for dumps"},
    {"measure", "off|quick|full",
     "how long to measure: not at all, 20 s (default on this machine), 120 s"},
    {"recursive", "", "with the folders in a FOLDER, too"},
    {"scope", "service|system",
     "with --format=environment.d, slurm and systemd: for one unit, user or "
     "job (default), or for every process, with what is to be known first"},
    {"seed", "NUMBER", "of the placement of buffers; default: from the clock"},
    {"source", "auto|libc",
     "what to measure: glibc's own source side by side where it is there "
     "(default), or the running libc alone"},
    {"workload", "NAME|FILE",
     "what the settings are for: compiler, database, device-staging, "
     "interpreter-tests, text-search, web-server, or a file of "
     "tools/record_sizes; default: all sizes alike"},
};

struct Options {
  MeasureMode mode;
  std::string mode_name;
  std::unique_ptr<Renderer> renderer;
  RenderOptions render;
};

absl::StatusOr<System> Inspect(const CommandContext& context,
                               const Flags& flags) {
  const std::optional<std::string> dump = flags.Get("cpuid");
  const std::optional<std::string> glibc = flags.Get("glibc");
  if (!dump.has_value() && !glibc.has_value()) {
    return InspectThisMachine(context.files, context.subprocess,
                              context.environment);
  }
  if (!glibc.has_value()) {
    return absl::InvalidArgumentError(
        "--cpuid needs --glibc: for which glibc should the advice be?");
  }
  const absl::StatusOr<GlibcBuild> build = ParseGlibcBuild(*glibc);
  if (!build.ok()) return build.status();
  if (dump.has_value()) {
    return InspectDump(context.files, *dump, *build,
                       flags.Get("glibc_tunables").value_or(""));
  }
  return InspectOtherGlibc(context.files, context.environment, *build);
}

// nullopt when it was not given.
absl::StatusOr<std::optional<uint64_t>> ReadSeed(const Flags& flags) {
  const std::optional<std::string> text = flags.Get("seed");
  if (!text.has_value()) return std::optional<uint64_t>();
  uint64_t seed;
  if (absl::SimpleAtoi(*text, &seed)) return std::optional<uint64_t>(seed);
  return absl::InvalidArgumentError(
      absl::StrCat("--seed: expected a number, found '", *text, "'"));
}

absl::StatusOr<Options> ReadOptions(const Flags& flags, bool can_measure) {
  Options options;
  // Wrong also where nothing is measured.
  if (absl::Status status = ReadSeed(flags).status(); !status.ok()) {
    return status;
  }
  const std::string format = flags.Get("format").value_or("text");
  options.renderer = MakeRenderer(format);
  if (options.renderer == nullptr) {
    std::vector<absl::string_view> names;
    for (const FormatRow& row : AllFormats()) names.push_back(row.name);
    return absl::InvalidArgumentError(
        absl::StrCat("--format: expected ", absl::StrJoin(names, ", "),
                     ", found \"", format, "\"", Suggestion(format, names)));
  }
  if (flags.Get("scope") == "system") {
    if (!FindFormat(format)->has_system_scope) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--scope=system: expected --format=environment.d, slurm or systemd, "
          "found ",
          format));
    }
    options.render.scope = Scope::kSystem;
  }
  options.mode_name =
      flags.Get("measure").value_or(can_measure ? "quick" : "off");
  options.mode = options.mode_name == "off"     ? MeasureMode::kOff
                 : options.mode_name == "quick" ? MeasureMode::kQuick
                                                : MeasureMode::kFull;
  return options;
}

absl::StatusOr<std::optional<Workload>> ReadWorkload(const FileReader& files,
                                                     const Flags& flags,
                                                     MeasureMode mode) {
  const std::optional<std::string> name = flags.Get("workload");
  if (!name.has_value()) return std::optional<Workload>();
  if (mode == MeasureMode::kOff) {
    return absl::InvalidArgumentError(
        "--workload: expected a measurement (--measure=quick or full, on this "
        "machine), found --measure=off");
  }
  absl::StatusOr<Workload> workload = LoadWorkload(files, *name);
  if (!workload.ok()) return workload.status();
  return std::optional<Workload>(*std::move(workload));
}

// In place of settings of the same names.
void AddSettings(std::vector<TunableSetting> settings,
                 Recommendation& recommendation) {
  recommendation.verdict = Verdict::kSet;
  std::vector<TunableSetting>& all = recommendation.tunables;
  for (TunableSetting& setting : settings) {
    const auto same = std::find_if(
        all.begin(), all.end(),
        [&](const TunableSetting& old) { return old.name == setting.name; });
    if (same == all.end()) {
      all.push_back(std::move(setting));
    } else {
      *same = std::move(setting);
    }
  }
  std::sort(all.begin(), all.end(),
            [](const TunableSetting& a, const TunableSetting& b) {
              return a.name < b.name;
            });
}

// Masks, with the thresholds that are recommended so far in place.
absl::Status AdviseMask(const System& system, const MeasurementDoors& doors,
                        const MeasurementOptions& options, Report& report) {
  Recommendation& recommendation = report.recommendation;
  const absl::Duration start = doors.clock.Monotonic();
  const MaskWeighing weighing = {
      system.cpuid, system.build, system.libc->isa_level,
      system.libc->loader_path, recommendation.string};
  absl::StatusOr<MaskAdvice> advice = WeighMasks(weighing, doors, options);
  if (!advice.ok()) return advice.status();
  report.measuring_time += doors.clock.Monotonic() - start;
  report.masks = std::move(advice->trials);
  if (!advice->reason.empty()) {
    absl::StrAppend(&recommendation.reason,
                    recommendation.reason.empty() ? "" : " ", advice->reason);
  }
  if (advice->settings.empty()) return absl::OkStatus();
  AddSettings(std::move(advice->settings), recommendation);
  recommendation.string = std::move(advice->string);
  // A proof of thresholds that did not hold says nothing of the mask.
  const bool joins = report.proof.has_value() && report.proof->holds;
  report.proof = joins ? JoinProofs({*report.proof, *advice->proof})
                       : std::move(advice->proof);
  return absl::OkStatus();
}

absl::Status AdviseByMeasuring(const CommandContext& context,
                               const Flags& flags, const System& system,
                               MeasureMode mode, const Workload* workload,
                               Report& report) {
  MeasurementOptions options;
  options.mode = mode;
  options.workload = workload;
  const absl::StatusOr<std::optional<uint64_t>> seed = ReadSeed(flags);
  if (!seed.ok()) return seed.status();
  options.seed = seed->value_or(absl::ToUnixNanos(context.clock.Wall()));
  options.through_libc = flags.Get("source") == "libc";
  ProgressLine progress(context.err, context.terminal);
  const MeasurementDoors doors =
      DoorsOf(context, context.environment, progress);
  absl::StatusOr<CacheTruth> caches =
      MeasureCaches(doors, options, report.machine.caches);
  if (!caches.ok()) return caches.status();
  for (Finding& finding : CacheFindings(*caches)) {
    report.findings.push_back(std::move(finding));
  }
  MeasuredLibc libc = LibcToMeasure(system);
  libc.repairs = AdviseNonTemporalThreshold(
                     system.cpuid, system.build, system.prediction.memmove,
                     system.thresholds, LastLevelInsteadOfClaim(*caches))
                     .settings;
  report.caches = *std::move(caches);
  absl::StatusOr<MeasuredAdvice> advice =
      MeasureAndAdvise(libc, doors, options);
  if (!advice.ok()) return advice.status();
  report.method = std::move(advice->method);
  report.workload = std::move(advice->workload);
  report.curves = std::move(advice->curves);
  report.measuring_time = advice->time;
  report.proof = std::move(advice->proof);
  report.findings.insert(report.findings.end(), advice->findings.begin(),
                         advice->findings.end());
  Recommendation& recommendation = report.recommendation;
  recommendation.reason = std::move(advice->reason);
  recommendation.string = system.glibc_tunables;
  if (!advice->proved.empty()) {
    recommendation.verdict = Verdict::kSet;
    recommendation.tunables = std::move(advice->proved);
    recommendation.string = std::move(advice->string);
  }
  return AdviseMask(system, doors, options, report);
}

void AddDisagreements(const System& system, Report& report) {
  for (const WitnessDisagreement& disagreement : system.disagreements) {
    Finding finding;
    finding.id = "cpuid-and-sysfs-disagree";
    finding.severity = Severity::kInformation;
    finding.title = disagreement.Describe();
    report.findings.push_back(std::move(finding));
  }
}

void AddNotes(const System& system, Report& report) {
  for (const std::string& note : system.notes) {
    Finding finding;
    finding.id = "input";
    finding.title = note;
    report.findings.push_back(std::move(finding));
  }
}

// The rows judge what the model computed; where the loader says otherwise, the
// loader is right.
bool ModelAgreesWithLoader(const System& system) {
  const EffectiveThresholds predicted = ThresholdsOf(system.prediction);
  return system.thresholds.non_temporal_threshold ==
             predicted.non_temporal_threshold &&
         system.thresholds.rep_movsb_threshold == predicted.rep_movsb_threshold;
}

void AddKnownProblems(const System& system, Report& report) {
  std::optional<int> cpus;
  if (system.is_this_machine) cpus = report.machine.cpus;
  const HazardFacts facts = {system.cpuid,          system.cpu,
                             system.build,          system.prediction,
                             system.glibc_tunables, cpus};
  if (ModelAgreesWithLoader(system)) {
    for (const Hazard& hazard : DescribeHazards(facts)) {
      report.findings.push_back(HazardFinding(hazard, system.cpu.is_guest()));
    }
  }
  for (const KnownIssue& issue : ApplicableKnownIssues(facts)) {
    report.findings.push_back(KnownIssueFinding(issue));
  }
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [](const Finding& a, const Finding& b) {
                     return a.severity > b.severity;
                   });
}

absl::StatusOr<ExitStatus> Recommend(const CommandContext& context,
                                     const Flags& flags) {
  absl::StatusOr<System> system = Inspect(context, flags);
  if (!system.ok()) return system.status();
  const bool can_measure = system->libc.has_value();
  absl::StatusOr<Options> options = ReadOptions(flags, can_measure);
  if (!options.ok()) return options.status();
  if (options->mode != MeasureMode::kOff && !can_measure) {
    return absl::InvalidArgumentError(
        "--measure: only this machine's own glibc can be measured");
  }
  const absl::StatusOr<std::optional<Workload>> workload =
      ReadWorkload(context.files, flags, options->mode);
  if (!workload.ok()) return workload.status();
  Report report;
  report.date = context.clock.Wall();
  report.tool_version = std::string(kVersion);
  report.measure = options->mode_name;
  report.machine = SummariseMachine(*system);
  report.glibc = SummariseGlibc(*system);
  AddNotes(*system, report);
  AddDisagreements(*system, report);
  AddKnownProblems(*system, report);
  if (options->mode == MeasureMode::kOff) {
    report.recommendation = RecommendUnmeasured(
        system->cpuid, system->build, system->prediction.memmove,
        system->thresholds, system->glibc_tunables);
  } else if (absl::Status status = AdviseByMeasuring(
                 context, flags, *system, options->mode,
                 workload->has_value() ? &**workload : nullptr, report);
             !status.ok()) {
    return status;
  }
  report.recommendation.validity.releases =
      ReleasesWithNames(report.recommendation.tunables);
  const std::string& string = report.recommendation.string;
  if (flags.Get("format") == "env" && ShellWord(string) != string) {
    return absl::InvalidArgumentError(
        "--format=env: the GLIBC_TUNABLES that is there holds characters that "
        "a shell takes apart; mend it, then ask again");
  }
  options->render.columns = context.columns;
  context.out << options->renderer->Render(report, options->render);
  return ExitStatus::kAnswered;
}

// For what the arguments name: many machines, none of which is measured.
absl::StatusOr<ExitStatus> RecommendForMany(const CommandContext& context,
                                            const Flags& flags) {
  const std::string format = flags.Get("format").value_or("text");
  const std::optional<std::string> glibc = flags.Get("glibc");
  if (flags.Has("cpuid") || flags.Get("measure").value_or("off") != "off") {
    return absl::InvalidArgumentError(
        absl::StrCat(flags.arguments()[0],
                     ": expected --measure=off and no --cpuid with it; what "
                     "machines measured is for advisor merge"));
  }
  for (const absl::string_view name : {"scope", "seed", "source", "workload"}) {
    if (flags.Has(name)) {
      return absl::InvalidArgumentError(absl::StrCat(
          flags.arguments()[0], ": expected no --", name,
          " with it, which is for this machine's own recommendation"));
    }
  }
  if (format != "text" && format != "json") {
    return absl::InvalidArgumentError(absl::StrCat(
        "--format: expected text or json for many machines, found ", format));
  }
  if (!glibc.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat(flags.arguments()[0],
                     " needs --glibc: for which glibc should the advice be?"));
  }
  absl::StatusOr<GlibcBuild> build = ParseGlibcBuild(*glibc);
  if (!build.ok()) return build.status();
  GroupedRequest request;
  request.paths = flags.arguments();
  request.recursive = flags.Has("recursive");
  request.builds = {*std::move(build)};
  request.glibc_tunables = flags.Get("glibc_tunables").value_or("");
  request.as_json = format == "json";
  return PrintGroups(context, request);
}

absl::StatusOr<ExitStatus> Run(const CommandContext& context,
                               const Flags& flags) {
  if (!flags.arguments().empty()) return RecommendForMany(context, flags);
  const std::optional<std::string> there = flags.Get("glibc_tunables");
  if (!there.has_value()) return Recommend(context, flags);
  const Environment environment =
      context.environment.With("GLIBC_TUNABLES", *there);
  return Recommend({context.files, context.subprocess, context.dialogues,
                    environment, context.clock, context.out, context.err,
                    context.terminal, context.columns, context.commands},
                   flags);
}

}  // namespace

const CommandRow kRecommendCommand = {
    "recommend",
    "what to set in GLIBC_TUNABLES here, and why",
    "[FILE|FOLDER|ARCHIVE|-]...",
    0,
    kAnyNumber,
    "Detects this host or guest and its glibc, measures where `rep movsb`,\n"
    "`rep stosb` and non-temporal stores pay, and recommends thresholds that\n"
    "prove to be better on the real libc, or that nothing be set: also where "
    "the\n"
    "machine is too noisy to prove anything, which is exit status 0; 3 is a\n"
    "measurement that broke off. With --cpuid\n"
    "and --glibc it advises for a recorded machine, without measuring; with "
    "FILE\n"
    "arguments, as of `predict`, for each in it, and puts those for which the\n"
    "answer is the same into one group.\n",
    kFlags,
    &Run,
};

}  // namespace advisor
