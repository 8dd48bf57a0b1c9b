#include "advisor/verification.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "advisor/evidence/hazard.h"
#include "advisor/glibc/installed_libc.h"
#include "advisor/glibc/prediction.h"
#include "advisor/glibc/tunables.h"
#include "advisor/lint/lint.h"
#include "advisor/measurement/effort.h"
#include "advisor/verification_study.h"
#include "kernels/measure/pair_source.h"
#include "kernels/measure/study.h"

namespace advisor {
namespace {

constexpr uint64_t kSmallestLargest = uint64_t{1} << 20;
constexpr uint64_t kMostLargest = uint64_t{64} << 20;
constexpr int kMinProcesses = 4;
constexpr int kMaxProcesses = 24;

class Verifier {
 public:
  Verifier(const System& system, const std::string& string,
           const MeasurementDoors& doors, const VerifyOptions& options)
      : system_(system), doors_(doors), options_(options) {
    result_.string = string;
    result_.build = system.build.name();
  }

  absl::StatusOr<StringVerification> Run() {
    FindDropped();
    if (absl::Status status = FindSides(); !status.ok()) return status;
    if (!result_.dropped.empty()) {
      Conclude(
          VerifyOutcome::kDropped,
          absl::StrCat("not taken: ", absl::StrJoin(result_.dropped, "; ")));
    } else if (const std::string danger = Danger(); !danger.empty()) {
      Conclude(VerifyOutcome::kHarmful,
               absl::StrCat("harmful, so not tried: ", danger));
    } else if (!Changes()) {
      Conclude(VerifyOutcome::kEqual,
               "it changes nothing of memcpy, memmove and memset here");
    } else if (!options_.measure) {
      result_.summary = "taken; not measured";
    } else if (absl::Status status = Measure(); !status.ok()) {
      return status;
    }
    return std::move(result_);
  }

 private:
  void Conclude(VerifyOutcome outcome, std::string summary) {
    result_.outcome = outcome;
    result_.summary = std::move(summary);
  }

  void FindDropped() {
    LintSubject subject;
    subject.string = result_.string;
    subject.build = system_.build;
    subject.machine = LintMachine{system_.cpuid, std::nullopt};
    for (const LintAssignment& assignment : Lint(subject).assignments) {
      if (!assignment.in_force && assignment.outcome != "nothing to change") {
        result_.dropped.push_back(
            absl::StrCat(assignment.item, ": ", assignment.outcome));
      }
    }
    for (const TunableAssignment& item :
         ParseTunables(result_.string, system_.build).assignments) {
      if (item.outcome == AssignmentOutcome::kOtherTunable) {
        result_.not_measured.push_back(
            absl::StrCat(item.name, "=", item.value));
      }
    }
  }

  // The model, and over it what a fresh loader lists.
  absl::Status FindSides() {
    result_.without = {std::string(system_.prediction.memmove),
                       std::string(system_.prediction.memset),
                       system_.thresholds};
    prediction_ = Predict(system_.cpuid, system_.build, result_.string,
                          Reasoning::kOmitted);
    result_.with = {std::string(prediction_.memmove),
                    std::string(prediction_.memset), ThresholdsOf(prediction_)};
    if (!system_.build.Has(Change::kListTunables)) return absl::OkStatus();
    const absl::StatusOr<LoaderAnswer> answer =
        AskLoader(doors_.subprocess, system_.libc->loader_path,
                  Environment().With("GLIBC_TUNABLES", result_.string));
    if (!answer.ok()) return answer.status();
    ReadBack(*answer);
    const EffectiveThresholds& told = answer->thresholds;
    EffectiveThresholds& now = result_.with.thresholds;
    using E = EffectiveThresholds;
    for (const auto member :
         {&E::non_temporal_threshold, &E::memset_non_temporal_threshold,
          &E::rep_movsb_threshold, &E::rep_movsb_stop_threshold,
          &E::rep_stosb_threshold}) {
      if ((told.*member).has_value()) now.*member = told.*member;
    }
    return absl::OkStatus();
  }

  // What the model thinks is taken must be listed.
  void ReadBack(const LoaderAnswer& answer) {
    const ParsedTunables parsed = ParseTunables(result_.string, system_.build);
    for (const TunableAssignment& item : parsed.assignments) {
      if (item.outcome != AssignmentOutcome::kSet || item.second_look ||
          TunableRowOf(*item.tunable).type != TunableType::kSizeT ||
          parsed.Number(*item.tunable) != item.number) {
        continue;
      }
      const std::optional<uint64_t> listed = answer.tunables.Size(item.name);
      const std::string text = absl::StrCat(item.name, "=", item.value);
      const bool known =
          std::any_of(result_.dropped.begin(), result_.dropped.end(),
                      [&](const std::string& line) {
                        return absl::StartsWith(line, text + ": ");
                      });
      if (listed != item.number && !known) {
        result_.dropped.push_back(
            absl::StrCat(text, ": the loader lists ",
                         listed.has_value() ? absl::StrCat(*listed)
                                            : std::string("no such tunable")));
      }
    }
  }

  // A crash is not measured.
  std::string Danger() const {
    for (const Hazard& hazard :
         DescribeHazards({system_.cpuid, system_.cpu, system_.build,
                          prediction_, result_.string, std::nullopt})) {
      if (hazard.consequence >= Consequence::kCrashes) return hazard.title;
    }
    return "";
  }

  bool Changes() const {
    for (const bool is_memset : {false, true}) {
      if (ChangesVariant(result_, is_memset) ||
          !ChangedSizes(system_.build, result_, is_memset).empty()) {
        return true;
      }
    }
    return false;
  }

  // Twice the largest threshold that moves, within reason and memory.
  uint64_t Largest(size_t copiers) const {
    uint64_t wanted = kSmallestLargest;
    for (const bool is_memset : {false, true}) {
      for (const uint64_t size :
           ChangedSizes(system_.build, result_, is_memset)) {
        wanted = std::max(wanted, std::min(size, kMostLargest / 2) * 2);
      }
    }
    return LargestCall(std::min(wanted, kMostLargest), copiers, 4,
                       doors_.files);
  }

  absl::Status Measure() {
    const absl::StatusOr<kernels::WorkerSetup> setup =
        MeasurementWorkers(doors_);
    if (!setup.ok()) return setup.status();
    const std::vector<std::string> sides = {"", result_.string, "", ""};
    kernels::StudyPlan plan;
    plan.contrasts =
        VerifyContrasts(system_.build, result_, Largest(setup->cpus.size()),
                        static_cast<int>(setup->cpus.size()));
    if (plan.contrasts.empty()) {
      Conclude(VerifyOutcome::kCannotTell,
               "cannot tell: what it changes is larger than what can be "
               "measured here");
      return absl::OkStatus();
    }
    plan.min_processes = kMinProcesses;
    plan.max_processes = kMaxProcesses;
    plan.budget = options_.budget;
    plan.hard_limit = options_.budget * 1.25;
    plan.seed = options_.seed;
    const kernels::LibcPairSourceFactory factory(*setup, sides);
    const absl::StatusOr<kernels::Study> study =
        RunMeasuredStudy(factory, sides, plan, "verifying", doors_);
    if (!study.ok()) return study.status();
    JudgeStudy(*study, system_.build, result_);
    return absl::OkStatus();
  }

  const System& system_;
  const MeasurementDoors& doors_;
  const VerifyOptions& options_;
  Prediction prediction_;
  StringVerification result_;
};

}  // namespace

absl::StatusOr<StringVerification> VerifyString(const System& system,
                                                const std::string& string,
                                                const MeasurementDoors& doors,
                                                const VerifyOptions& options) {
  return Verifier(system, string, doors, options).Run();
}

}  // namespace advisor
