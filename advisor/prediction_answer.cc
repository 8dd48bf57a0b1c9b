#include "advisor/prediction_answer.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "advisor/glibc/installed_libc.h"
#include "advisor/glibc/replay_comparison.h"
#include "advisor/host/load.h"
#include "advisor/machine_texts.h"
#include "advisor/system.h"

namespace advisor {
namespace {

HazardFacts FactsOf(const PredictionSubject& subject, const GlibcBuild& build,
                    const Prediction& prediction,
                    absl::string_view glibc_tunables) {
  return {subject.cpuid, subject.cpu,    build,
          prediction,    glibc_tunables, subject.cpus};
}

std::vector<Hazard> HazardsOf(const HazardFacts& facts, bool whole) {
  if (whole) return DescribeHazards(facts);
  std::vector<Hazard> hazards;
  for (const HazardRow* row : ApplicableHazards(facts)) {
    Hazard hazard;
    hazard.id = std::string(row->id);
    hazard.consequence = row->consequence;
    hazard.title = row->title(facts);
    hazards.push_back(std::move(hazard));
  }
  return hazards;
}

PredictionAnswer EmptyAnswer(const PredictionSubject& subject) {
  PredictionAnswer answer;
  answer.dump = subject.dump;
  answer.path = subject.path;
  answer.core = subject.core;
  answer.is_guest = subject.cpu.is_guest();
  return answer;
}

bool IsWhole(const PredictionSubject& subject) {
  return subject.has_cache_leaves && subject.has_features;
}

// Those that follow from the features alone.
void TakeKnownThresholds(const PredictionSubject& subject,
                         const GlibcBuild& build, const Prediction& prediction,
                         PredictionAnswer& answer) {
  const EffectiveThresholds all = ThresholdsOf(prediction);
  const bool movsb_known =
      subject.has_features && !(build.Has(Change::kAmdMovsbIsNonTemporal) &&
                                prediction.features.kind == CpuKind::kAmd);
  const bool stosb_known =
      subject.has_features &&
      !(build.Has(Change::kAvoidStosb) &&
        prediction.features.flags.Contains(Flag::kAvoidStosb));
  for (const ThresholdColumn& column : ThresholdColumns()) {
    const bool known = (column.name == "rep_movsb_threshold" && movsb_known) ||
                       (column.name == "rep_stosb_threshold" && stosb_known);
    if (known) {
      answer.thresholds.*column.value = all.*column.value;
    } else if ((all.*column.value).has_value()) {
      answer.unknown_values.emplace_back(column.name);
    }
  }
}

void TakeSteps(const PredictionSubject& subject, std::vector<Step> steps,
               PredictionAnswer& answer) {
  // In order of start-up: what stands before the cache sizes, and the
  // selection, rest on features.
  for (Step& step : steps) {
    const bool of_features = absl::c_linear_search(
        std::vector<absl::string_view>{"vendor kind", "family, model, stepping",
                                       "preferred flags", "mask", "memmove",
                                       "memset"},
        step.name);
    if (IsWhole(subject) || (of_features && subject.has_features)) {
      answer.steps.push_back(std::move(step));
    }
  }
}

void TakePrediction(const PredictionSubject& subject, const GlibcBuild& build,
                    Prediction prediction, absl::string_view glibc_tunables,
                    AnswerDetail detail, PredictionAnswer& answer) {
  if (subject.has_features) {
    answer.memmove = std::string(prediction.memmove);
    answer.memset = std::string(prediction.memset);
  } else {
    answer.unknown_values = {"memmove", "memset"};
  }
  if (IsWhole(subject)) {
    answer.hangs = prediction.hangs;
    if (!answer.hangs) answer.thresholds = ThresholdsOf(prediction);
    answer.hazards_known = true;
    const HazardFacts facts =
        FactsOf(subject, build, prediction, glibc_tunables);
    answer.hazards = HazardsOf(facts, detail.whole_hazards);
    if (detail.whole_hazards) {
      answer.known_issues = ApplicableKnownIssues(facts);
    }
  } else {
    TakeKnownThresholds(subject, build, prediction, answer);
  }
  if (detail.steps) TakeSteps(subject, std::move(prediction.steps), answer);
}

// The variables that kernels read, of the listed values.
std::optional<uint64_t> AsKernelsRead(std::optional<uint64_t> listed,
                                      bool keep_default,
                                      uint64_t default_bytes) {
  if (!listed.has_value()) return std::nullopt;
  const uint64_t rounded = *listed & ~uint64_t{255};
  if (keep_default && static_cast<int64_t>(rounded) <= 0) return default_bytes;
  return rounded;
}

EffectiveThresholds Listed(const TunablesListing& tunables,
                           const std::optional<DiagnosticsListing>& more) {
  EffectiveThresholds thresholds = ThresholdsOf(tunables);
  if (!more.has_value()) return thresholds;
  const EffectiveThresholds other = ThresholdsOf(*more);
  const auto prefer = [](std::optional<uint64_t>& value,
                         const std::optional<uint64_t>& better) {
    if (better.has_value()) value = better;
  };
  prefer(thresholds.data_cache_size, other.data_cache_size);
  prefer(thresholds.shared_cache_size, other.shared_cache_size);
  prefer(thresholds.non_temporal_threshold, other.non_temporal_threshold);
  prefer(thresholds.memset_non_temporal_threshold,
         other.memset_non_temporal_threshold);
  prefer(thresholds.rep_movsb_threshold, other.rep_movsb_threshold);
  prefer(thresholds.rep_movsb_stop_threshold, other.rep_movsb_stop_threshold);
  prefer(thresholds.rep_stosb_threshold, other.rep_stosb_threshold);
  return thresholds;
}

// What a replay that did not end well says of the loader on that CPU; false:
// nothing.
bool TakeFailure(const absl::Status& failure, PredictionAnswer& answer) {
  Hazard hazard;
  if (absl::IsDeadlineExceeded(failure)) {
    hazard.id = "loader_hangs";
    hazard.consequence = Consequence::kHangs;
    hazard.title = "this loader's start-up never ends with this CPUID";
    answer.hangs = true;
  } else if (absl::IsAborted(failure)) {
    hazard.id = "loader_crashes";
    hazard.consequence = Consequence::kCrashes;
    hazard.title = "this loader crashes at start-up with this CPUID";
    for (const ThresholdColumn& column : ThresholdColumns()) {
      answer.unknown_values.emplace_back(column.name);
    }
    answer.unknown_values.insert(answer.unknown_values.end(),
                                 {"memmove", "memset"});
  } else {
    return false;
  }
  hazard.cause.text = std::string(failure.message());
  hazard.reference = "the loader itself, run under ptrace";
  answer.hazards.push_back(std::move(hazard));
  answer.hazards_known = true;
  return true;
}

std::string Agreement(const ReplayComparison& comparison,
                      const GlibcBuild& build) {
  if (comparison.differences.empty()) {
    return absl::StrCat("the model of ", build.name(), " agrees on all ",
                        comparison.compared, " values that both tell");
  }
  std::vector<std::string> parts;
  for (const ReplayDifference& difference : comparison.differences) {
    parts.push_back(absl::StrCat(difference.name, " ", difference.predicted));
  }
  return absl::StrCat(
      "the model of ", build.name(),
      " differs, the loader is right: ", absl::StrJoin(parts, ", "));
}

}  // namespace

PredictionSubject ThisMachine() {
  PredictionSubject subject;
  subject.dump = subject.path = "this machine";
  subject.cpuid = ReadNativeCpuid();
  subject.cpu = DecodeCpuModel(subject.cpuid);
  subject.cpus = OnlineCpus();
  return subject;
}

absl::StatusOr<std::vector<PredictionSubject>> SubjectsOf(
    const MachineInput& input) {
  if (input.cores.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        input.name, ": expected a CPU's leaves, found ", input.format,
        ", which tells none",
        input.cpu_template.has_value() ? " (give the host's CPUID with --cpuid)"
                                       : ""));
  }
  int cpus = 0;
  for (const CoreKind& core : input.cores) {
    cpus += static_cast<int>(core.cpus.size());
  }
  std::vector<PredictionSubject> subjects;
  for (const CoreKind& core : input.cores) {
    PredictionSubject subject;
    subject.dump = DumpName(input.name);
    subject.path = input.name;
    if (input.cores.size() > 1) subject.core = core.name;
    subject.cpuid = core.cpuid;
    subject.cpu = DecodeCpuModel(core.cpuid);
    if (cpus > 1) subject.cpus = cpus;
    subject.has_cache_leaves = input.has_cache_leaves;
    subject.has_features = input.has_features;
    subject.unknown = input.unknown;
    subject.warnings = input.warnings;
    subjects.push_back(std::move(subject));
  }
  return subjects;
}

absl::StatusOr<std::vector<PredictionSubject>> SubjectsOf(
    absl::StatusOr<MachineInput> input,
    const std::optional<MachineInput>& base) {
  if (!input.ok()) return input.status();
  if (!base.has_value()) return SubjectsOf(*input);
  if (!input->cpu_template.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat(input->name,
                     ": expected a CPU template for the machine of --cpuid, "
                     "found ",
                     input->format));
  }
  MachineInput guest = ApplyCpuTemplate(*base, *input->cpu_template);
  guest.name = input->name;
  return SubjectsOf(guest);
}

absl::Span<const ThresholdColumn> ThresholdColumns() {
  static constexpr ThresholdColumn kColumns[] = {
      {"data_cache_size", &EffectiveThresholds::data_cache_size},
      {"shared_cache_size", &EffectiveThresholds::shared_cache_size},
      {"non_temporal_threshold", &EffectiveThresholds::non_temporal_threshold},
      {"rep_movsb_threshold", &EffectiveThresholds::rep_movsb_threshold},
      {"rep_movsb_stop_threshold",
       &EffectiveThresholds::rep_movsb_stop_threshold},
      {"rep_stosb_threshold", &EffectiveThresholds::rep_stosb_threshold},
      {"memset_non_temporal_threshold",
       &EffectiveThresholds::memset_non_temporal_threshold},
  };
  return kColumns;
}

PredictionAnswer AnswerByModel(const PredictionSubject& subject,
                               const GlibcBuild& build,
                               absl::string_view glibc_tunables,
                               AnswerDetail detail) {
  PredictionAnswer answer = EmptyAnswer(subject);
  answer.build = build.name();
  answer.build_note = build.note();
  TakePrediction(
      subject, build,
      Predict(subject.cpuid, build, glibc_tunables,
              detail.steps ? Reasoning::kRecorded : Reasoning::kOmitted),
      glibc_tunables, detail, answer);
  return answer;
}

absl::StatusOr<ReplayedLoader> OpenLoader(const FileReader& files,
                                          absl::string_view path) {
  absl::StatusOr<LoaderReplay> replay = LoaderReplay::Create(files, path);
  if (!replay.ok()) return replay.status();
  const absl::StatusOr<std::string> content = files.Read(path);
  if (!content.ok()) return content.status();
  std::optional<GlibcBuild> known;
  if (const std::optional<LibcBanner> banner = FindLibcBanner(*content)) {
    absl::StatusOr<GlibcBuild> build =
        ParseGlibcBuild(banner->revision.value_or(banner->release));
    if (!build.ok()) build = ParseGlibcBuild(banner->release);
    if (build.ok()) known = *std::move(build);
  }
  return ReplayedLoader{std::string(path), *std::move(replay), known};
}

absl::StatusOr<PredictionAnswer> AnswerByReplay(
    const PredictionSubject& subject, const ReplayedLoader& loader,
    absl::string_view glibc_tunables, AnswerDetail detail) {
  PredictionAnswer answer = EmptyAnswer(subject);
  answer.build = loader.path;
  answer.engine = "replay";
  if (!IsWhole(subject)) {
    return absl::InvalidArgumentError(absl::StrCat(
        subject.path,
        ": expected every leaf that a loader reads (cpuid -r), found only ",
        subject.has_features ? "features" : "some"));
  }
  ReplayOptions options;
  if (!glibc_tunables.empty()) {
    options.glibc_tunables = std::string(glibc_tunables);
  }
  const absl::StatusOr<ReplayResult> result =
      loader.replay.Run(subject.cpuid, options);
  answer.build_note =
      "by replay: this very loader, run under ptrace with the CPUID above";
  if (!result.ok()) {
    if (TakeFailure(result.status(), answer)) return answer;
    return result.status();
  }
  const absl::StatusOr<TunablesListing> tunables =
      ParseTunablesListing(result->tunables, loader.path);
  if (!tunables.ok()) return tunables.status();
  std::optional<DiagnosticsListing> diagnostics;
  if (result->diagnostics.has_value()) {
    absl::StatusOr<DiagnosticsListing> parsed =
        ParseDiagnosticsListing(*result->diagnostics, loader.path);
    if (!parsed.ok()) return parsed.status();
    diagnostics = *std::move(parsed);
  }
  EffectiveThresholds thresholds = Listed(*tunables, diagnostics);
  if (!loader.build.has_value()) {
    answer.thresholds = thresholds;
    answer.unknown_values = {"memmove", "memset"};
    absl::StrAppend(&answer.build_note,
                    "; its banner names no release that the model knows, so "
                    "the variants are not told");
    return answer;
  }
  const GlibcBuild& build = *loader.build;
  const bool keep = build.Has(Change::kKeepDefaultSizes);
  thresholds.data_cache_size =
      AsKernelsRead(thresholds.data_cache_size, keep, 32 * 1024);
  thresholds.shared_cache_size =
      AsKernelsRead(thresholds.shared_cache_size, keep, 1024 * 1024);
  Prediction prediction =
      Predict(subject.cpuid, build, glibc_tunables,
              detail.steps ? Reasoning::kRecorded : Reasoning::kOmitted);
  const ReplayComparison comparison = CompareWithListings(
      build, prediction, diagnostics.value_or(DiagnosticsListing()), *tunables);
  absl::StrAppend(&answer.build_note, "; variants and chain by the model; ",
                  Agreement(comparison, build));
  TakePrediction(subject, build, std::move(prediction), glibc_tunables, detail,
                 answer);
  if (!comparison.differences.empty()) {
    // The reasons are those of other numbers.
    answer.steps.clear();
    answer.hazards.clear();
    answer.known_issues.clear();
    answer.hazards_known = false;
  }
  answer.thresholds = thresholds;
  return answer;
}

std::string BuildRanges(const std::vector<std::string>& names) {
  const absl::Span<const GlibcBuild> builds = UpstreamBuilds();
  const size_t tags = builds.size() / 2;
  std::vector<std::string> parts;
  for (size_t first = 0; first < builds.size(); ++first) {
    if (!absl::c_linear_search(names, builds[first].name())) continue;
    size_t last = first;
    while (last + 1 < builds.size() && last + 1 != tags &&
           absl::c_linear_search(names, builds[last + 1].name())) {
      ++last;
    }
    parts.push_back(first == last ? builds[first].name()
                                  : absl::StrCat(builds[first].name(), " to ",
                                                 builds[last].name()));
    first = last;
  }
  for (const std::string& name : names) {
    if (!absl::c_any_of(builds, [&](const GlibcBuild& build) {
          return build.name() == name;
        })) {
      parts.push_back(name);
    }
  }
  return absl::StrJoin(parts, ", ");
}

}  // namespace advisor
