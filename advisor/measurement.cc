#include "advisor/measurement.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "advisor/evidence/path_study.h"
#include "advisor/evidence/proof_study.h"
#include "advisor/evidence/time_curves.h"
#include "advisor/glibc/installed_libc.h"
#include "advisor/glibc/merge_tunables.h"
#include "advisor/host/load.h"
#include "advisor/measurement/conclusion.h"
#include "advisor/measurement/part.h"
#include "advisor/measurement/path_plan.h"
#include "advisor/measurement/workload_result.h"

namespace advisor {
namespace {

using ::kernels::PairSourceFactory;
using ::kernels::Study;
using ::kernels::StudyPlan;

constexpr int kMinPathProcesses = 3;
constexpr int kMinProofProcesses = 4;
constexpr uint64_t kLargestProved = uint64_t{32} << 20;
// One process is one placement of buffers: no ground for a proposal.
constexpr int kLeastPathProcesses = 2;

constexpr char kTooBusy[] =
    "Cannot tell: this machine was too busy to measure enough in time; try "
    "again, or --measure=full.";

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
  absl::Status Explore(const kernels::WorkerSetup& setup) {
    PathPlan path =
        MakePathPlan(libc_, setup,
                     {options_.mode, options_.through_libc, options_.control,
                      options_.workload != nullptr},
                     doors_.files);
    advice_.method = std::move(path.method);
    questions_ = path.questions;
    StudyPlan plan;
    plan.contrasts = PathContrasts(questions_);
    plan.min_processes = kMinPathProcesses;
    plan.max_processes = effort_.path_max_processes;
    plan.budget = effort_.path_budget;
    plan.hard_limit = effort_.path_limit;
    plan.seed = options_.seed;
    absl::StatusOr<Study> study =
        RunMeasuredStudy(*path.factory, std::move(path.sides), plan,
                         "measuring memcpy and memset", doors_);
    if (!study.ok()) return study.status();
    advice_.path_study = *std::move(study);
    advice_.curves = TimeCurves(advice_.path_study);
    return absl::OkStatus();
  }

  void Choose() {
    if (advice_.path_study.processes < kLeastPathProcesses) {
      advice_.reason = kTooBusy;
      // A mix without times: nothing is claimed of it.
      wholes_ = WholeParts(libc_, questions_, {}, options_.workload);
      AddWorkload({}, nullptr);
      return;
    }
    wholes_ =
        WholeParts(libc_, questions_, advice_.path_study, options_.workload);
    parts_ = ProposeParts(libc_, wholes_, /*repair=*/!WouldCrash(original_));
    for (const Part& part : parts_) {
      advice_.proposed.insert(advice_.proposed.end(), part.settings.begin(),
                              part.settings.end());
    }
    if (!parts_.empty()) return;
    advice_.reason =
        options_.workload != nullptr
            ? WhyNothingForWorkload(*options_.workload, questions_)
            : "No other threshold is measurably better here, by more than 5 % "
              "over an octave of sizes.";
    AddWorkload({}, nullptr);
  }

  // `held`: indexes of the parts that are recommended.
  void AddWorkload(const std::vector<size_t>& held, const Study* proof) {
    if (options_.workload == nullptr) return;
    advice_.workload =
        SummariseWorkload(*options_.workload, wholes_[0].problem.mix,
                          SubjectsOf(wholes_, parts_, held), proof);
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

  absl::Status Prove(const kernels::WorkerSetup& setup) {
    const std::string without = libc_.tunables_in_environment;
    const std::string with =
        options_.control ? without : StringWith(advice_.proposed);
    const std::vector<std::string> sides = {without, with, without, without};
    ProofPlan proof_plan;
    for (const Part& part : parts_) {
      proof_plan.subjects.push_back(part.Subject());
    }
    // A workload's own calls are proved, not only those as large as the
    // study's.
    uint64_t largest = effort_.largest;
    for (const ProofSubject& subject : proof_plan.subjects) {
      for (const uint64_t size : subject.sizes) {
        largest = std::max(largest, std::min(size, kLargestProved));
      }
    }
    proof_plan.largest = LargestCall(
        largest, cpus_.size(), static_cast<int>(sides.size()), doors_.files);
    proof_plan.copiers = static_cast<int>(cpus_.size());
    StudyPlan plan;
    plan.contrasts = ProofContrasts(proof_plan);
    plan.min_processes = kMinProofProcesses;
    plan.max_processes = effort_.proof_max_processes;
    plan.budget = effort_.proof_budget;
    plan.hard_limit = effort_.proof_limit;
    plan.seed = options_.seed + 1;
    const kernels::LibcPairSourceFactory factory(setup, sides);
    absl::StatusOr<Study> study = RunMeasuredStudy(
        factory, sides, plan, "proving on the real libc", doors_);
    if (!study.ok()) return study.status();
    Conclusion conclusion = Conclude(*study, parts_);
    advice_.proved = std::move(conclusion.proved);
    advice_.proof = std::move(conclusion.proof);
    advice_.findings = std::move(conclusion.findings);
    advice_.reason = std::move(conclusion.reason);
    if (!advice_.proved.empty()) advice_.string = StringWith(advice_.proved);
    AddWorkload(conclusion.held, &*study);
    return absl::OkStatus();
  }

  const MeasuredLibc& original_;
  const MeasuredLibc libc_;
  const MeasurementDoors& doors_;
  const MeasurementOptions& options_;
  const Effort effort_;
  const std::vector<int> cpus_;
  PathQuestions questions_;
  // memmove's and memset's question, and the proposals.
  std::vector<Part> wholes_;
  std::vector<Part> parts_;
  MeasuredAdvice advice_;
};

}  // namespace

absl::StatusOr<kernels::WorkerSetup> MeasurementWorkers(
    const MeasurementDoors& doors) {
  absl::StatusOr<std::string> self = doors.files.Resolve("/proc/self/exe");
  if (!self.ok()) return self.status();
  Command command;
  command.argv = {*std::move(self), kMeasurementWorker};
  command.environment = doors.environment.ForChild();
  command.time_limit = absl::Seconds(30);
  return kernels::WorkerSetup{&doors.dialogues, std::move(command),
                              MeasurementCpus()};
}

absl::StatusOr<Study> RunMeasuredStudy(const PairSourceFactory& factory,
                                       std::vector<std::string> sides,
                                       const StudyPlan& plan,
                                       absl::string_view what,
                                       const MeasurementDoors& doors) {
  const std::optional<CpuTimes> before = ReadCpuTimes(doors.files);
  absl::StatusOr<Study> study =
      kernels::RunStudy(factory, std::move(sides), plan, doors.clock,
                        [&](double share) { doors.progress(what, share); });
  if (study.ok()) study->steal = StealShare(before, ReadCpuTimes(doors.files));
  return study;
}

absl::StatusOr<MeasuredAdvice> MeasureAndAdvise(
    const MeasuredLibc& libc, const MeasurementDoors& doors,
    const MeasurementOptions& options) {
  return Measurement(libc, doors, options).Run();
}

}  // namespace advisor
