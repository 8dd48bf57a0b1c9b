#include "advisor/verification.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "advisor/evidence/hazard.h"
#include "advisor/evidence/proof_study.h"
#include "advisor/evidence/variant_study.h"
#include "advisor/glibc/installed_libc.h"
#include "advisor/glibc/prediction.h"
#include "advisor/glibc/tunables.h"
#include "advisor/lint/lint.h"
#include "advisor/measurement/effort.h"
#include "kernels/measure/pair_source.h"
#include "kernels/measure/statistics.h"

namespace advisor {
namespace {

using ::kernels::Cell;
using ::kernels::Contrast;
using ::kernels::ContrastResult;
using ::kernels::Study;

constexpr uint64_t kLargestOfMasks = (uint64_t{1} << 20) + 1;
constexpr uint64_t kSmallestLargest = uint64_t{1} << 20;
constexpr uint64_t kMostLargest = uint64_t{64} << 20;
constexpr int kPairsOfMasks = 4;
constexpr int kMinProcesses = 4;
constexpr int kMaxProcesses = 24;

const std::string& VariantOf(const VerifySide& side, bool is_memset) {
  return is_memset ? side.memset : side.memmove;
}

CopyPath PathIn(const GlibcBuild& build, const VerifySide& side, bool is_memset,
                uint64_t size) {
  return PathOfVariant(build, VariantOf(side, is_memset), is_memset,
                       side.thresholds, size);
}

ProofSubject SubjectOf(const GlibcBuild& build,
                       const StringVerification& verification, bool is_memset) {
  const auto path = [&build, is_memset](const VerifySide& side) {
    return [&build, &side, is_memset](uint64_t size) {
      return PathIn(build, side, is_memset, size);
    };
  };
  ProofSubject subject;
  subject.is_memset = is_memset;
  subject.before = path(verification.without);
  subject.after = path(verification.with);
  return subject;
}

bool ChangesVariant(const StringVerification& verification, bool is_memset) {
  return VariantOf(verification.without, is_memset) !=
         VariantOf(verification.with, is_memset);
}

VariantCandidate CandidateOf(const StringVerification& verification) {
  return {verification.string, ChangesVariant(verification, false),
          ChangesVariant(verification, true)};
}

// Every threshold with its neighbours, and powers of two between them.
std::vector<uint64_t> SizesToTry(const StringVerification& verification) {
  std::vector<uint64_t> sizes;
  for (uint64_t size = 16; size < (uint64_t{1} << 40); size *= 2) {
    sizes.push_back(size);
  }
  using E = EffectiveThresholds;
  for (const VerifySide* side : {&verification.without, &verification.with}) {
    for (const auto member :
         {&E::non_temporal_threshold, &E::memset_non_temporal_threshold,
          &E::rep_movsb_threshold, &E::rep_movsb_stop_threshold,
          &E::rep_stosb_threshold}) {
      const std::optional<uint64_t> value = side->thresholds.*member;
      if (!value.has_value() || *value == 0) continue;
      for (const uint64_t size : {*value - 1, *value, *value + 1}) {
        if (size > 0 && size < (uint64_t{1} << 62)) sizes.push_back(size);
      }
    }
  }
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

// Sizes, of those above, whose path changes; empty: none does.
std::vector<uint64_t> ChangedSizes(const GlibcBuild& build,
                                   const StringVerification& verification,
                                   bool is_memset) {
  std::vector<uint64_t> changed;
  for (const uint64_t size : SizesToTry(verification)) {
    if (PathIn(build, verification.without, is_memset, size) !=
        PathIn(build, verification.with, is_memset, size)) {
      changed.push_back(size);
    }
  }
  return changed;
}

// One function's results.
Study Only(const Study& study, bool is_memset) {
  Study part = study;
  part.results.clear();
  for (const ContrastResult& result : study.results) {
    if (result.contrast.cell.is_memset == is_memset) {
      part.results.push_back(result);
    }
  }
  return part;
}

struct FunctionVerdict {
  CellVerdict verdict = CellVerdict::kCannotTell;
  Proof proof;
};

// The mean over the cells whose path changes.
CellVerdict MeanVerdict(const Study& study, const ProofSubject& subject) {
  std::vector<const ContrastResult*> touched;
  for (const ContrastResult& result : study.results) {
    const uint64_t size = result.contrast.cell.size;
    if (result.contrast.candidate == kWithSide &&
        subject.before(size) != subject.after(size)) {
      touched.push_back(&result);
    }
  }
  if (touched.empty() || study.processes < 2) return CellVerdict::kCannotTell;
  const double noise =
      kernels::NoiseFloor(study, kControlSide, kControlAgainSide);
  const CellVerdict verdict =
      VerdictOf(kernels::MeanInterval(MeanByProcess(touched), 0.95), noise);
  // Faster, but not by the stricter rule of a proof.
  return verdict == CellVerdict::kFaster ? CellVerdict::kCannotTell : verdict;
}

FunctionVerdict JudgeFunction(const Study& whole, const GlibcBuild& build,
                              const StringVerification& verification,
                              bool is_memset) {
  const Study study = Only(whole, is_memset);
  FunctionVerdict result;
  if (ChangesVariant(verification, is_memset)) {
    VariantCandidate candidate = CandidateOf(verification);
    (is_memset ? candidate.changes_memmove : candidate.changes_memset) = false;
    result.proof = JudgeVariantProof(study, candidate, 1);
    result.verdict = result.proof.holds
                         ? CellVerdict::kFaster
                         : JudgeVariant(study, 0, 1, 0.95).verdict;
    if (!result.proof.holds && result.verdict == CellVerdict::kFaster) {
      result.verdict = CellVerdict::kCannotTell;
    }
  } else {
    const ProofSubject subject = SubjectOf(build, verification, is_memset);
    uint64_t harmed = 0;
    result.proof = JudgeProof(study, subject, &harmed);
    result.verdict = result.proof.holds ? CellVerdict::kFaster
                     : harmed != 0      ? CellVerdict::kSlower
                                        : MeanVerdict(study, subject);
  }
  if (absl::StartsWith(result.proof.summary, "harmful")) {
    result.verdict = CellVerdict::kSlower;
  } else if (absl::StartsWith(result.proof.summary, "cannot tell")) {
    result.verdict = CellVerdict::kCannotTell;
  }
  return result;
}

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
    const absl::StatusOr<Study> study =
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

absl::string_view VerifyOutcomeName(VerifyOutcome outcome) {
  switch (outcome) {
    case VerifyOutcome::kHolds:
      return "holds";
    case VerifyOutcome::kEqual:
      return "equal";
    case VerifyOutcome::kHarmful:
      return "harmful";
    case VerifyOutcome::kDropped:
      return "dropped";
    case VerifyOutcome::kCannotTell:
      return "cannot_tell";
  }
  return "";
}

std::vector<Contrast> VerifyContrasts(const GlibcBuild& build,
                                      const StringVerification& verification,
                                      uint64_t largest, int copiers) {
  const VariantCandidate candidate = CandidateOf(verification);
  std::vector<Contrast> contrasts;
  if (candidate.changes_memmove || candidate.changes_memset) {
    contrasts = VariantContrasts(
        {candidate}, std::min(largest, kLargestOfMasks), kPairsOfMasks);
  }
  ProofPlan plan;
  plan.largest = largest;
  plan.copiers = copiers;
  for (const bool is_memset : {false, true}) {
    if (ChangesVariant(verification, is_memset) ||
        ChangedSizes(build, verification, is_memset).empty()) {
      continue;
    }
    plan.subjects.push_back(SubjectOf(build, verification, is_memset));
  }
  const std::vector<Contrast> of_thresholds = ProofContrasts(plan);
  contrasts.insert(contrasts.end(), of_thresholds.begin(), of_thresholds.end());
  return contrasts;
}

void JudgeStudy(const Study& study, const GlibcBuild& build,
                StringVerification& verification) {
  std::vector<Proof> proofs;
  std::vector<CellVerdict> verdicts;
  for (const bool is_memset : {false, true}) {
    if (!ChangesVariant(verification, is_memset) &&
        ChangedSizes(build, verification, is_memset).empty()) {
      continue;
    }
    FunctionVerdict function =
        JudgeFunction(study, build, verification, is_memset);
    function.proof.summary = absl::StrCat(is_memset ? "memset: " : "memcpy: ",
                                          function.proof.summary);
    proofs.push_back(std::move(function.proof));
    verdicts.push_back(function.verdict);
  }
  const auto any = [&verdicts](CellVerdict verdict) {
    return std::find(verdicts.begin(), verdicts.end(), verdict) !=
           verdicts.end();
  };
  std::vector<std::string> summaries;
  for (const Proof& proof : proofs) summaries.push_back(proof.summary);
  verification.proof = JoinProofs(proofs);
  verification.summary = absl::StrJoin(summaries, "; ");
  verification.outcome = any(CellVerdict::kSlower) ? VerifyOutcome::kHarmful
                         : verdicts.empty() || any(CellVerdict::kCannotTell)
                             ? VerifyOutcome::kCannotTell
                         : any(CellVerdict::kFaster) ? VerifyOutcome::kHolds
                                                     : VerifyOutcome::kEqual;
}

absl::StatusOr<StringVerification> VerifyString(const System& system,
                                                const std::string& string,
                                                const MeasurementDoors& doors,
                                                const VerifyOptions& options) {
  return Verifier(system, string, doors, options).Run();
}

}  // namespace advisor
