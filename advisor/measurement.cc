#include "advisor/measurement.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "advisor/evidence/path_study.h"
#include "advisor/evidence/proof_study.h"
#include "advisor/glibc/installed_libc.h"
#include "advisor/glibc/merge_tunables.h"
#include "advisor/glibc/tunables.h"
#include "advisor/glibc/variant_selection.h"
#include "advisor/host/load.h"
#include "advisor/rules/back_off.h"
#include "advisor/rules/threshold_search.h"
#include "kernels/measure/pair_source.h"
#include "kernels/measure/parameters_text.h"
#include "kernels/variant.h"

namespace advisor {
namespace {

using ::kernels::KernelParameters;
using ::kernels::PairSourceFactory;
using ::kernels::Study;
using ::kernels::StudyPlan;

// What a mode may spend. Quick ends within 20 s and full within 120 s on two
// cores, the start of processes and the loader's listings included.
struct Effort {
  absl::Duration path_budget;
  absl::Duration path_limit;
  int path_max_processes;
  absl::Duration proof_budget;
  absl::Duration proof_limit;
  int proof_max_processes;
  uint64_t largest;
};

constexpr int kMinPathProcesses = 3;
constexpr int kMinProofProcesses = 4;
constexpr uint64_t kSmallestLargest = uint64_t{1} << 20;
// More copiers than this add nothing but memory.
constexpr int kMostCopiers = 8;
// rep stosb is not asked about below: 8 vectors of 64 bytes.
constexpr uint64_t kLowestRepStosb = 512;

Effort EffortOf(MeasureMode mode) {
  Effort effort;
  if (mode == MeasureMode::kFull) {
    effort.path_budget = absl::Seconds(60);
    effort.path_limit = absl::Seconds(70);
    effort.path_max_processes = 24;
    effort.proof_budget = absl::Seconds(40);
    effort.proof_limit = absl::Seconds(45);
    effort.proof_max_processes = 24;
    effort.largest = uint64_t{64} << 20;
  } else {
    effort.path_budget = absl::Seconds(8);
    effort.path_limit = absl::Seconds(9);
    effort.path_max_processes = 8;
    effort.proof_budget = absl::Seconds(9.5);
    effort.proof_limit = absl::Seconds(10);
    effort.proof_max_processes = 12;
    effort.largest = uint64_t{16} << 20;
  }
  return effort;
}

bool IsErms(absl::string_view variant) {
  return absl::StrContains(variant, "_erms");
}

// The measured thread's CPU first: the last one, for the first of a machine
// handles more interrupts than the others.
std::vector<int> MeasurementCpus() {
  std::vector<int> cpus = AllowedCpus();
  std::reverse(cpus.begin(), cpus.end());
  if (cpus.size() > kMostCopiers) cpus.resize(kMostCopiers);
  return cpus;
}

// Workers hold two pairs of buffers a copier, and there may be a worker for
// each side: together no more than a quarter of what is available.
uint64_t LargestCall(uint64_t wanted, size_t copiers, int processes,
                     const FileReader& files) {
  const std::optional<uint64_t> memory = AvailableMemory(files);
  uint64_t largest = wanted;
  while (memory.has_value() && largest > kSmallestLargest &&
         4 * largest * copiers * processes > *memory / 4) {
    largest /= 2;
  }
  return largest;
}

// The built-in tree that is the installed libc; nullptr where there is none.
const kernels::Tree* InstalledTree(const MeasuredLibc& libc) {
  for (const kernels::Tree* tree : kernels::AllTrees()) {
    if (tree->name() == "glibc" && tree->release() == libc.release &&
        !libc.revision.empty() && tree->revision() == libc.revision) {
      return tree;
    }
  }
  return nullptr;
}

bool HasVariant(const kernels::Tree& tree, absl::string_view name) {
  for (const kernels::Variant& variant : kernels::AllVariants()) {
    if (variant.tree == &tree && variant.name == name) return true;
  }
  return false;
}

void SortByName(std::vector<TunableSetting>& settings) {
  std::sort(settings.begin(), settings.end(),
            [](const TunableSetting& a, const TunableSetting& b) {
              return a.name < b.name;
            });
}

// "x86_rep_movsb_threshold=24576"
std::string NamesOf(const std::vector<TunableSetting>& settings) {
  return absl::StrJoin(
      settings, ", ", [](std::string* out, const TunableSetting& setting) {
        absl::StrAppend(out, setting.name.substr(setting.name.rfind('.') + 1),
                        "=", setting.value);
      });
}

// From 2.34 on a threshold that is too low makes copies crash: it cannot be
// compared with, so everything is measured with the repair in place.
bool WouldCrash(const MeasuredLibc& libc) {
  return !libc.repairs.empty() && libc.build.Has(Change::kPagedLargeCopy) &&
         libc.now.non_temporal_threshold.value_or(0) < kLowestNonTemporal - 1;
}

std::vector<TunableValue> ValuesOf(
    const std::vector<TunableSetting>& settings) {
  std::vector<TunableValue> values;
  for (const TunableSetting& setting : settings) {
    values.emplace_back(setting.name, absl::StrCat(setting.value));
  }
  return values;
}

MeasuredLibc WithoutCrashes(MeasuredLibc libc) {
  if (!WouldCrash(libc)) return libc;
  libc.tunables_in_environment =
      MergeTunables(libc.tunables_in_environment, ValuesOf(libc.repairs));
  EffectiveThresholds& now = libc.now;
  now.non_temporal_threshold = libc.repairs[0].value;
  if (libc.repairs.size() > 1) now.rep_movsb_threshold = libc.repairs[1].value;
  if (libc.build.Has(Change::kStopAfterTunables) && !libc.is_amd) {
    now.rep_movsb_stop_threshold = libc.repairs[0].value;
  }
  return libc;
}

class Measurement {
 public:
  Measurement(const MeasuredLibc& libc, const MeasurementDoors& doors,
              const MeasurementOptions& options)
      : original_(libc),
        libc_(WithoutCrashes(libc)),
        doors_(doors),
        options_(options),
        effort_(EffortOf(options.mode)),
        cpus_(MeasurementCpus()) {}

  absl::StatusOr<MeasuredAdvice> Run() {
    const absl::Duration start = doors_.clock.Monotonic();
    absl::StatusOr<kernels::WorkerSetup> setup = MeasurementWorkers(doors_);
    if (!setup.ok()) return setup.status();
    if (absl::Status status = Explore(*setup); !status.ok()) return status;
    Choose();
    if (!advice_.proposed.empty()) {
      if (absl::Status status = ReadBack(advice_.proposed); !status.ok()) {
        return status;
      }
      if (absl::Status status = Prove(*setup); !status.ok()) return status;
      // What was moved back is another value.
      if (absl::Status status = ReadBack(advice_.proved); !status.ok()) {
        return status;
      }
    }
    if (WouldCrash(original_)) KeepRepairs();
    advice_.time = doors_.clock.Monotonic() - start;
    return std::move(advice_);
  }

 private:
  // One function's question, answer and settings.
  struct Part {
    ThresholdProblem problem;
    ThresholdAnswer answer;
    // Not empty where a value that is wrong on the face of it is repaired.
    std::string repair_reason;
    std::vector<TunableSetting> settings;

    EffectiveThresholds after() const {
      return WithThresholds(problem, answer.rep_string, answer.non_temporal);
    }
  };

  // 2.35 as tagged sends sizes between rep_movsb_threshold and a stop that is
  // too low into the paged copy.
  bool RepMovsbWouldCrash() const {
    return libc_.build.Has(Change::kMovsbStopEntersLargeCopy) &&
           !libc_.build.Has(Change::kLargeCopyChecksNonTemporal) &&
           libc_.now.rep_movsb_stop_threshold.value_or(0) < kLowestNonTemporal;
  }

  PathQuestions Questions(int processes) const {
    PathQuestions questions;
    questions.full = options_.mode == MeasureMode::kFull;
    questions.largest =
        LargestCall(effort_.largest, cpus_.size(), processes, doors_.files);
    questions.copiers = static_cast<int>(cpus_.size());
    questions.non_temporal_copy = VariantVectorSize(libc_.memmove_variant) != 0;
    if (IsErms(libc_.memmove_variant) && !RepMovsbWouldCrash()) {
      questions.rep_movsb_from = libc_.lowest_rep_movsb;
    }
    if (IsErms(libc_.memset_variant) &&
        HasTunable(libc_.build, Tunable::kX86RepStosbThreshold)) {
      questions.rep_stosb_from = kLowestRepStosb;
      questions.non_temporal_set =
          HasTunable(libc_.build, Tunable::kX86MemsetNonTemporalThreshold);
    }
    return questions;
  }

  // The sides of the path study, and what to call them.
  std::unique_ptr<PairSourceFactory> Factory(const kernels::WorkerSetup& setup,
                                             std::vector<std::string>& sides) {
    const std::string copy = absl::StrCat("__memmove_", libc_.memmove_variant);
    const std::string set = absl::StrCat("__memset_", libc_.memset_variant);
    const kernels::Tree* const tree = InstalledTree(libc_);
    if (tree != nullptr && !options_.through_libc && HasVariant(*tree, copy) &&
        HasVariant(*tree, set)) {
      advice_.method = absl::StrCat("variants of the source ", libc_.revision,
                                    " side by side");
      questions_ = Questions(/*processes=*/1);
      std::vector<KernelParameters> parameters = PathParameters(questions_);
      for (KernelParameters& side : parameters) {
        if (options_.control) side = parameters[kVectorsSide];
        side.string_control = libc_.string_control;
        side.data_cache_size = libc_.now.data_cache_size;
        side.shared_cache_size = libc_.now.shared_cache_size;
        sides.push_back(kernels::FormatParameters(side));
      }
      return std::make_unique<kernels::VariantPairSourceFactory>(
          setup, std::string(tree->name()), copy, set, std::move(parameters));
    }
    advice_.method = "the running libc through child processes";
    questions_ = Questions(/*processes=*/kPathSides);
    sides =
        PathTunables(questions_, libc_.build, libc_.tunables_in_environment);
    if (options_.control) sides.assign(sides.size(), sides[kVectorsSide]);
    return std::make_unique<kernels::LibcPairSourceFactory>(setup, sides);
  }

  absl::StatusOr<Study> RunOne(const PairSourceFactory& factory,
                               std::vector<std::string> sides,
                               const StudyPlan& plan, absl::string_view what) {
    const std::optional<CpuTimes> before = ReadCpuTimes(doors_.files);
    absl::StatusOr<Study> study =
        kernels::RunStudy(factory, std::move(sides), plan, doors_.clock,
                          [&](double share) { doors_.progress(what, share); });
    if (study.ok()) {
      study->steal = StealShare(before, ReadCpuTimes(doors_.files));
    }
    return study;
  }

  absl::Status Explore(const kernels::WorkerSetup& setup) {
    std::vector<std::string> sides;
    const std::unique_ptr<PairSourceFactory> factory = Factory(setup, sides);
    StudyPlan plan;
    plan.contrasts = PathContrasts(questions_);
    plan.min_processes = kMinPathProcesses;
    plan.max_processes = effort_.path_max_processes;
    plan.budget = effort_.path_budget;
    plan.hard_limit = effort_.path_limit;
    plan.seed = options_.seed;
    absl::StatusOr<Study> study =
        RunOne(*factory, std::move(sides), plan, "measuring memcpy and memset");
    if (!study.ok()) return study.status();
    advice_.path_study = *std::move(study);
    return absl::OkStatus();
  }

  Part MakePart(bool is_memset) const {
    const std::string& variant =
        is_memset ? libc_.memset_variant : libc_.memmove_variant;
    Part part = {
        {{libc_.build, IsErms(variant), VariantVectorSize(variant)},
         is_memset,
         libc_.is_amd,
         libc_.now,
         CurveOf(advice_.path_study, is_memset),
         is_memset ? questions_.rep_stosb_from : questions_.rep_movsb_from,
         std::nullopt},
        {},
        {},
        {}};
    if (is_memset ? questions_.non_temporal_set
                  : questions_.non_temporal_copy) {
      part.problem.lowest_non_temporal = kLowestNonTemporal;
    }
    part.answer = SearchThresholds(part.problem);
    return part;
  }

  static ThresholdProblem WithNow(ThresholdProblem problem,
                                  const EffectiveThresholds& now) {
    problem.now = now;
    return problem;
  }

  // The part with only one of its two settings.
  Part OnlyRepString(Part part) const {
    part.answer.non_temporal = std::nullopt;
    return part;
  }
  Part OnlyNonTemporal(Part part) const {
    part.answer.rep_string = std::nullopt;
    return part;
  }

  // Two settings of one function are proved apart, but for AMD from 2.40 on,
  // where one without the other opens the rep movsb zone.
  std::vector<Part> Split(Part part) const {
    const ThresholdAnswer& answer = part.answer;
    if (!answer.proposes()) return {};
    const bool inseparable =
        libc_.is_amd && libc_.build.Has(Change::kAmdMovsbIsNonTemporal);
    if (!answer.rep_string.has_value() || !answer.non_temporal.has_value() ||
        inseparable) {
      return {std::move(part)};
    }
    return {OnlyRepString(part), OnlyNonTemporal(part)};
  }

  // What is wrong on the face of it is repaired even where the search found
  // nothing better than that.
  void AddRepair(std::vector<Part>& parts) const {
    if (libc_.repairs.empty() || WouldCrash(original_)) return;
    for (const Part& part : parts) {
      if (part.answer.non_temporal.has_value()) return;
    }
    Part part = MakePart(false);
    part.answer = {};
    part.answer.non_temporal = libc_.repairs[0].value;
    part.repair_reason = libc_.repairs[0].reason;
    parts.push_back(std::move(part));
  }

  static std::string ReasonOf(const Part& part) {
    if (!part.repair_reason.empty()) return part.repair_reason;
    return absl::StrFormat(
        "By the measured curve as good as %.0f %% on an octave of sizes.",
        100 * GainOctaves(part.problem, part.answer.rep_string,
                          part.answer.non_temporal));
  }

  void AddSettings(Part& part) const {
    const EffectiveThresholds& now = libc_.now;
    const bool is_memset = part.problem.is_memset;
    const ThresholdAnswer& answer = part.answer;
    if (answer.rep_string.has_value()) {
      part.settings.push_back(
          {TunableName(libc_.build, is_memset ? Tunable::kX86RepStosbThreshold
                                              : Tunable::kX86RepMovsbThreshold),
           *answer.rep_string,
           is_memset ? now.rep_stosb_threshold : now.rep_movsb_threshold,
           ReasonOf(part)});
    }
    if (answer.non_temporal.has_value()) {
      part.settings.push_back(
          {TunableName(libc_.build,
                       is_memset ? Tunable::kX86MemsetNonTemporalThreshold
                                 : Tunable::kX86NonTemporalThreshold),
           *answer.non_temporal,
           is_memset ? now.memset_non_temporal_threshold
                     : now.non_temporal_threshold,
           ReasonOf(part)});
    }
  }

  void Choose() {
    for (const bool is_memset : {false, true}) {
      std::vector<Part> parts = Split(MakePart(is_memset));
      if (!is_memset) AddRepair(parts);
      proposed_[is_memset] = libc_.now;
      for (Part& part : parts) {
        proposed_[is_memset] =
            WithThresholds(WithNow(part.problem, proposed_[is_memset]),
                           part.answer.rep_string, part.answer.non_temporal);
        AddSettings(part);
        advice_.proposed.insert(advice_.proposed.end(), part.settings.begin(),
                                part.settings.end());
        parts_.push_back(std::move(part));
      }
    }
    if (parts_.empty()) {
      advice_.reason =
          "No other threshold is measurably better here, by more than 5 % over "
          "an octave of sizes.";
    }
  }

  std::string StringWith(const std::vector<TunableSetting>& settings) const {
    return MergeTunables(libc_.tunables_in_environment, ValuesOf(settings));
  }

  // A loader drops what it does not accept without a word.
  absl::Status ReadBack(const std::vector<TunableSetting>& settings) const {
    // Before 2.33 a loader lists nothing.
    if (!libc_.build.Has(Change::kListTunables)) return absl::OkStatus();
    const absl::StatusOr<LoaderAnswer> answer =
        AskLoader(doors_.subprocess, libc_.loader_path,
                  Environment().With("GLIBC_TUNABLES", StringWith(settings)));
    if (!answer.ok()) return answer.status();
    for (const TunableSetting& setting : settings) {
      const std::optional<uint64_t> value = answer->tunables.Size(setting.name);
      if (value != setting.value) {
        return absl::InternalError(absl::StrCat(
            libc_.loader_path, ": did not take ", setting.name, "=",
            setting.value, ", it has ",
            value.has_value() ? absl::StrCat(*value) : "no such tunable"));
      }
    }
    return absl::OkStatus();
  }

  // The repairs were in place all the time: they stay, unless a better value
  // for the same tunable was proved.
  void KeepRepairs() {
    for (const TunableSetting& repair : libc_.repairs) {
      const bool replaced =
          std::any_of(advice_.proved.begin(), advice_.proved.end(),
                      [&](const TunableSetting& setting) {
                        return setting.name == repair.name;
                      });
      if (!replaced) advice_.proved.push_back(repair);
    }
    SortByName(advice_.proved);
    advice_.string = StringWith(advice_.proved);
    advice_.reason = absl::StrCat(
        libc_.repairs[0].reason,
        ". Without it copies crash, so it was in place while the rest was "
        "measured. ",
        advice_.reason);
  }

  ProofSubject SubjectOf(const Part& part) const {
    const ThresholdProblem& problem = part.problem;
    const auto path_with = [&problem](EffectiveThresholds thresholds) {
      return [&problem, thresholds](uint64_t size) {
        return PathOf(problem, thresholds, size);
      };
    };
    return {problem.is_memset, path_with(problem.now), path_with(part.after()),
            path_with(proposed_[problem.is_memset])};
  }

  absl::Status Prove(const kernels::WorkerSetup& setup) {
    const std::string without = libc_.tunables_in_environment;
    const std::string with =
        options_.control ? without : StringWith(advice_.proposed);
    const std::vector<std::string> sides = {without, with, without, without};
    ProofPlan proof_plan;
    for (const Part& part : parts_) {
      proof_plan.subjects.push_back(SubjectOf(part));
    }
    proof_plan.largest =
        LargestCall(effort_.largest, cpus_.size(),
                    static_cast<int>(sides.size()), doors_.files);
    proof_plan.copiers = static_cast<int>(cpus_.size());
    StudyPlan plan;
    plan.contrasts = ProofContrasts(proof_plan);
    plan.min_processes = kMinProofProcesses;
    plan.max_processes = effort_.proof_max_processes;
    plan.budget = effort_.proof_budget;
    plan.hard_limit = effort_.proof_limit;
    plan.seed = options_.seed + 1;
    const kernels::LibcPairSourceFactory factory(setup, sides);
    absl::StatusOr<Study> study =
        RunOne(factory, sides, plan, "proving on the real libc");
    if (!study.ok()) return study.status();
    Conclude(*study);
    return absl::OkStatus();
  }

  // The sizes of a function that the proof has tested, ascending.
  static std::vector<uint64_t> TestedSizes(const Study& study, bool is_memset) {
    std::set<uint64_t> sizes;
    for (const kernels::ContrastResult& result : study.results) {
      const kernels::Cell& cell = result.contrast.cell;
      if (cell.is_memset == is_memset) sizes.insert(cell.size);
    }
    return {sizes.begin(), sizes.end()};
  }

  // Moves the only setting of `part` back so that it leaves `harmed` alone.
  // False where that cannot be.
  bool MoveBack(Part& part, uint64_t harmed,
                const std::vector<uint64_t>& tested) const {
    if (part.settings.size() != 1) return false;
    TunableSetting& setting = part.settings[0];
    if (!setting.value_before.has_value()) return false;
    const std::optional<uint64_t> value =
        BackOff(*setting.value_before, setting.value, harmed, tested);
    if (!value.has_value()) return false;
    setting.value = *value;
    std::optional<uint64_t>& answer = part.answer.rep_string.has_value()
                                          ? part.answer.rep_string
                                          : part.answer.non_temporal;
    answer = *value;
    return true;
  }

  // A setting that harms the sizes next to its new place is moved back. The
  // sizes that are still touched take the path that was measured, so the study
  // stays good for them; each must still be proved.
  Proof JudgePart(const Study& study, Part& part) const {
    const std::vector<uint64_t> tested =
        TestedSizes(study, part.problem.is_memset);
    while (true) {
      uint64_t harmed = 0;
      Proof proof = JudgeProof(study, SubjectOf(part), &harmed);
      if (harmed == 0 || !MoveBack(part, harmed, tested)) return proof;
    }
  }

  // Each part stands or falls alone.
  void Conclude(const Study& study) {
    std::vector<Proof> held, failed;
    std::vector<std::string> failures;
    for (Part& part : parts_) {
      Proof proof = JudgePart(study, part);
      if (!proof.holds) {
        failures.push_back(
            absl::StrCat(NamesOf(part.settings), ": ", proof.summary));
        failed.push_back(std::move(proof));
        continue;
      }
      AddFindings(part, proof);
      advice_.proved.insert(advice_.proved.end(), part.settings.begin(),
                            part.settings.end());
      held.push_back(std::move(proof));
    }
    SortByName(advice_.proved);
    advice_.proof = JoinProofs(held.empty() ? failed : held);
    if (study.processes < 2) {
      advice_.reason =
          "Cannot tell: this machine was too busy to prove anything in time; "
          "try again, or --measure=full.";
      return;
    }
    if (held.empty()) {
      advice_.reason = absl::StrCat("What looked better did not prove to be (",
                                    absl::StrJoin(failures, "; "), ").");
      return;
    }
    advice_.string = StringWith(advice_.proved);
    advice_.reason = absl::StrFormat(
        "Proved on the real libc: the sizes that it touches take %.2f of the "
        "time they took, in the mean.",
        advice_.proof->touched_ratio);
    if (!failures.empty()) {
      absl::StrAppend(&advice_.reason,
                      " Left out, for it did not prove to be better: ",
                      absl::StrJoin(failures, "; "), ".");
    }
  }

  void AddFindings(const Part& part, const Proof& proof) {
    for (const TunableSetting& setting : part.settings) {
      const bool lower = setting.value < setting.value_before.value_or(0);
      const absl::string_view short_name =
          absl::string_view(setting.name).substr(setting.name.rfind('.') + 1);
      Finding finding;
      finding.id = absl::StrCat("measured-", short_name,
                                lower ? "-too-high" : "-too-low");
      std::replace(finding.id.begin(), finding.id.end(), '_', '-');
      finding.severity = Severity::kWarning;
      finding.title = absl::StrCat(
          short_name, " is too ", lower ? "high" : "low", " here: ",
          setting.value_before.has_value()
              ? absl::StrCat(*setting.value_before)
              : std::string("the constant of this release"),
          ", measured best about ", setting.value, ".");
      finding.evidence = {proof.summary};
      advice_.findings.push_back(std::move(finding));
    }
  }

  const MeasuredLibc& original_;
  const MeasuredLibc libc_;
  const MeasurementDoors& doors_;
  const MeasurementOptions& options_;
  const Effort effort_;
  const std::vector<int> cpus_;
  PathQuestions questions_;
  std::vector<Part> parts_;
  // What all proposals together set, for memmove and for memset.
  EffectiveThresholds proposed_[2];
  MeasuredAdvice advice_;
};

}  // namespace

absl::StatusOr<kernels::WorkerSetup> MeasurementWorkers(
    const MeasurementDoors& doors) {
  absl::StatusOr<std::string> self = doors.files.Resolve("/proc/self/exe");
  if (!self.ok()) return self.status();
  Command command;
  command.argv = {*std::move(self), kMeasurementWorker};
  command.environment = doors.environment.Without("GLIBC_TUNABLES");
  command.time_limit = absl::Seconds(30);
  return kernels::WorkerSetup{&doors.dialogues, std::move(command),
                              MeasurementCpus()};
}

absl::StatusOr<MeasuredAdvice> MeasureAndAdvise(
    const MeasuredLibc& libc, const MeasurementDoors& doors,
    const MeasurementOptions& options) {
  return Measurement(libc, doors, options).Run();
}

}  // namespace advisor
