#include "glibc_patches/validation.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/prediction.h"
#include "advisor/host/interrupt.h"
#include "advisor/host/load.h"
#include "advisor/program_end.h"
#include "glibc_patches/built_tree.h"
#include "glibc_patches/check_plan.h"
#include "glibc_patches/checks/runner.h"
#include "glibc_patches/emulated_look.h"
#include "glibc_patches/emulation.h"
#include "glibc_patches/loaded_trees.h"
#include "glibc_patches/speed_plan.h"
#include "glibc_patches/speed_run.h"
#include "glibc_patches/tree_release.h"
#include "kernels/variant.h"

namespace glibc_patches {
namespace {

using ::kernels::KernelParameters;
using ::kernels::Variant;

SpeedOptions OptionsOf(const ValidationInput& input) {
  SpeedOptions options;
  options.seed = input.seed;
  if (input.effort == ValidationEffort::kThorough) {
    options.first_processes = 16;
    options.second_processes = 32;
    options.first_budget = absl::Seconds(60);
    options.second_budget = absl::Seconds(120);
    options.alone_first_budget = options.alone_second_budget = absl::Minutes(1);
    options.alone_patience = std::numeric_limits<double>::infinity();
  } else if (input.effort == ValidationEffort::kNormal) {
    options.first_budget = absl::Seconds(14);
    options.second_budget = absl::Seconds(14);
  }
  return options;
}

// Checks that run nothing.
std::vector<PlannedCheck> ReadingOnly(const Variant& variant) {
  std::vector<PlannedCheck> plan;
  for (const PlannedCheck& check : FirstLook(variant, true)) {
    if (check.row->attempt == nullptr) plan.push_back(check);
  }
  return plan;
}

// Of the second look; the first one goes through all variants in any case.
constexpr absl::Duration kCheckBudget = absl::Seconds(20);

class Validation {
 public:
  Validation(const ValidationInput& input, const ValidationDoors& doors,
             Verdict& verdict)
      : input_(input), doors_(doors), verdict_(verdict) {}

  absl::Status Run() {
    absl::Status status = FindChanges();
    if (!status.ok()) return status;
    Predict();
    SortOut();
    status = Check();
    if (!status.ok()) return status;
    verdict_.speed_options = OptionsOf(input_);
    Decide(verdict_);
    if (verdict_.decision != Decision::kReject &&
        to_run_.size() > unmeasured_.size()) {
      status = Measure();
      if (!status.ok()) return status;
      Decide(verdict_);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status FindChanges() {
    const auto difference =
        CompareTrees(input_.built_base, input_.built_patched, doors_.files);
    if (!difference.ok()) return difference.status();
    changed_ = difference->changed;
    changed_.insert(difference->added.begin(), difference->added.end());
    std::set<std::string> used;
    for (const std::string& built : {input_.built_base, input_.built_patched}) {
      const auto files = FilesOf(built, doors_.files);
      if (!files.ok()) return files.status();
      used.insert(files->begin(), files->end());
    }
    for (const std::string& file : verdict_.files.kernel_files) {
      if (used.count(file) == 0) verdict_.unused_files.push_back(file);
    }
    for (const auto& [name, built] :
         {std::make_pair(kBaseTree, &input_.built_base),
          std::make_pair(kPatchedTree, &input_.built_patched)}) {
      absl::Status status = LoadTree(PlacedTree(*built, 0), name);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // The thresholds and variants of this release on this machine.
  void Predict() {
    cpu_ = advisor::ReadNativeCpuid();
    const std::optional<int> release = ModelledRelease(verdict_.release);
    if (!release.has_value()) {
      verdict_.notes.push_back(
          absl::StrCat("the thresholds of glibc ", verdict_.release,
                       " on this machine are not known: those of before its "
                       "start are used"));
      return;
    }
    const auto build = advisor::GlibcBuild::Tag(*release);
    if (build.name() != verdict_.release) {
      verdict_.notes.push_back(
          absl::StrCat("thresholds of this machine: those of glibc ",
                       build.name(), ", for a tree of ", verdict_.release));
    }
    const advisor::Prediction prediction =
        advisor::Predict(cpu_, build, "", advisor::Reasoning::kOmitted);
    if (prediction.hangs) return;
    const advisor::Thresholds& thresholds = prediction.thresholds;
    machine_.non_temporal_threshold = thresholds.non_temporal_threshold;
    machine_.rep_movsb_threshold = thresholds.rep_movsb_threshold;
    machine_.rep_movsb_stop_threshold = thresholds.rep_movsb_stop_threshold;
    machine_.rep_stosb_threshold = thresholds.rep_stosb_threshold;
    machine_.memset_non_temporal_threshold =
        thresholds.memset_non_temporal_threshold;
    machine_.data_cache_size = thresholds.data_cache_size;
    machine_.shared_cache_size = thresholds.shared_cache_size;
    if (thresholds.string_control.has_value()) {
      machine_.string_control = *thresholds.string_control;
    }
    selected_ = {absl::StrCat("_", prediction.memmove),
                 absl::StrCat("_", prediction.memset)};
  }

  // What glibc would call here comes first: its faults matter most.
  bool IsSelected(const Variant& variant) const {
    return absl::EndsWith(
        variant.name,
        absl::StrCat("_", FunctionName(variant.function),
                     variant.function == kernels::Function::kMemset
                         ? selected_.second
                         : selected_.first));
  }

  bool IsRepresentative(const Variant* variant) const {
    return std::count(representatives_.begin(), representatives_.end(),
                      variant) > 0;
  }

  void SortOut() {
    std::set<absl::string_view> base_names, patched_names;
    for (const Variant& variant : kernels::AllVariants()) {
      if (variant.tree->name() == kBaseTree) {
        base_names.insert(variant.name);
        continue;
      }
      patched_names.insert(variant.name);
      if (changed_.count(std::string(variant.source)) == 0) continue;
      verdict_.changed.push_back(std::string(variant.name));
      const std::optional<std::string> missing = Missing(variant);
      if (!missing.has_value()) {
        to_run_.push_back(&variant);
      } else if (*missing == "RTM") {
        // The checks answer `xtest` (checks/child.h); a measurement does not.
        to_run_.push_back(&variant);
        unmeasured_.insert(&variant);
        verdict_.unmeasured.push_back({std::string(variant.name), "needs RTM"});
      } else {
        lacking_pointers_.push_back(&variant);
        lacking_.push_back({std::string(variant.name), *missing, false});
      }
    }
    for (const absl::string_view name : base_names) {
      if (patched_names.count(name) == 0) {
        verdict_.removed.push_back(std::string(name));
      }
    }
    const std::vector<const Variant*> best = Representatives(lacking_pointers_);
    for (size_t i = 0; i < lacking_.size(); ++i) {
      lacking_[i].representative =
          std::count(best.begin(), best.end(), lacking_pointers_[i]) > 0;
    }
    representatives_ = Representatives(to_run_);
    const auto rank = [&](const Variant* variant) {
      return IsSelected(*variant) ? 0 : IsRepresentative(variant) ? 1 : 2;
    };
    std::stable_sort(
        to_run_.begin(), to_run_.end(),
        [&](const Variant* a, const Variant* b) { return rank(a) < rank(b); });
    std::set<std::string> known;
    std::vector<std::string> patched;
    for (const std::string& symbol : kernels::UnlistedSymbols()) {
      absl::string_view name = symbol;
      if (absl::ConsumePrefix(&name, absl::StrCat(kBaseTree, ": "))) {
        known.insert(std::string(name));
      } else if (absl::ConsumePrefix(&name, absl::StrCat(kPatchedTree, ": "))) {
        patched.push_back(std::string(name));
      }
    }
    for (std::string& name : patched) {
      if (known.count(name) == 0) {
        verdict_.unlisted.push_back(std::move(name));
      }
    }
  }

  // The first feature that this CPU lacks, or is to do without.
  std::optional<std::string> Missing(const Variant& variant) const {
    for (const absl::string_view feature : variant.required_features) {
      if (std::count(input_.without.begin(), input_.without.end(), feature) >
          0) {
        return std::string(feature);
      }
    }
    return kernels::MissingFeature(variant, cpu_);
  }

  RunOptions CheckOptions() const {
    RunOptions options;
    options.seed = input_.seed;
    options.jobs =
        static_cast<int>(std::min<size_t>(advisor::AllowedCpus().size(), 4));
    options.progress = doors_.checked;
    return options;
  }

  absl::Status Check() {
    const absl::Duration start = doors_.clock.Monotonic();
    if (input_.effort == ValidationEffort::kThorough) {
      right_ = Look(to_run_, absl::InfiniteDuration(), ThoroughLook);
    } else {
      right_ =
          Look(to_run_, absl::InfiniteDuration(), [&](const Variant& variant) {
            return FirstLook(variant, IsRepresentative(&variant));
          });
      if (right_ && input_.effort == ValidationEffort::kNormal) {
        right_ = Look(representatives_, start + kCheckBudget, SecondLook);
      }
    }
    // Of what this CPU cannot run, the code can be read.
    if (right_) {
      right_ = Look(lacking_pointers_, absl::InfiniteDuration(), ReadingOnly);
    }
    if (advisor::Interrupted()) return absl::CancelledError("interrupted");
    absl::Status status = CheckLacking();
    verdict_.check_seconds =
        absl::ToDoubleSeconds(doors_.clock.Monotonic() - start);
    return status;
  }

  // What this CPU cannot run; once something is wrong, without an emulator.
  absl::Status CheckLacking() {
    if (!right_) {
      for (const LackingVariant& variant : lacking_) {
        verdict_.skipped.push_back(
            {variant.name, absl::StrCat("needs ", variant.feature)});
      }
      return absl::OkStatus();
    }
    const auto self = doors_.files.Resolve("/proc/self/exe");
    if (!self.ok()) return self.status();
    const EmulatedLook look{FindEmulator(doors_.environment, doors_.files),
                            *self,
                            input_.built_base,
                            input_.built_patched,
                            input_.seed,
                            doors_.environment,
                            doors_.subprocess,
                            [&](const std::string& name) {
                              doors_.progress(absl::StrCat("emulating ", name),
                                              0);
                            },
                            doors_.checked};
    return LookUnderEmulator(lacking_, look, verdict_);
  }

  // Variant by variant, until one is wrong (more would tell nothing new) or
  // `end` has come. False when one is wrong.
  bool Look(const std::vector<const Variant*>& variants, absl::Duration end,
            absl::FunctionRef<std::vector<PlannedCheck>(const Variant&)> plan) {
    size_t done = 0;
    for (const Variant* variant : variants) {
      doors_.progress(
          absl::StrCat("checking ", variant->name),
          static_cast<double>(done) / static_cast<double>(variants.size()));
      if (advisor::Interrupted()) return true;
      if (doors_.clock.Monotonic() >= end) {
        verdict_.notes.push_back(absl::StrCat(
            "the second look at variants ended after ", done, " of ",
            variants.size(), ", for want of time; --thorough has no limit"));
        return true;
      }
      ++done;
      bool wrong = false;
      const std::vector<PlannedCheck> checks = plan(*variant);
      for (CheckResult& result : RunPlan(checks, CheckOptions())) {
        const bool own_fault =
            result.status == CheckStatus::kFailed && IsOwnFault(checks, result);
        wrong = wrong || own_fault;
        Keep(std::move(result), own_fault);
      }
      if (wrong) return false;
    }
    return true;
  }

  // Whether the failed check of `plan` tells of more than faults of the base.
  bool IsOwnFault(const std::vector<PlannedCheck>& plan,
                  CheckResult& failed) const {
    const auto planned = std::find_if(
        plan.begin(), plan.end(),
        [&](const PlannedCheck& check) { return check.row->id == failed.id; });
    PlannedCheck beside = *planned;
    beside.base = kernels::FindVariant(kBaseTree, planned->variant->name);
    if (beside.base == nullptr) return true;
    RunOptions options = CheckOptions();
    options.progress = nullptr;
    return KeepOwnFaults(RunPlan({beside}, options).front(), failed);
  }

  // A second look takes the place of the first, unless that found more.
  void Keep(CheckResult result, bool own_fault) {
    const std::string key = CheckKey(result);
    const auto other = std::find_if(
        verdict_.checks.begin(), verdict_.checks.end(),
        [&](const CheckResult& check) { return CheckKey(check) == key; });
    const bool is_first = other == verdict_.checks.end();
    if (!is_first && other->status == CheckStatus::kFailed && !own_fault) {
      return;
    }
    std::vector<std::string>& in_base = verdict_.base_failures;
    in_base.erase(std::remove(in_base.begin(), in_base.end(), key),
                  in_base.end());
    if (result.status == CheckStatus::kFailed && !own_fault) {
      in_base.push_back(key);
    }
    if (is_first) {
      verdict_.checks.push_back(std::move(result));
    } else {
      *other = std::move(result);
    }
  }

  absl::Status Measure() {
    const absl::Duration start = doors_.clock.Monotonic();
    // Only what both trees have can be compared.
    std::vector<const Variant*> both;
    for (const Variant* variant : to_run_) {
      if (kernels::FindVariant(kBaseTree, variant->name) != nullptr &&
          unmeasured_.count(variant) == 0) {
        both.push_back(variant);
      }
    }
    const absl::Status status =
        MeasurePatch(both, machine_, cpu_, input_, doors_, verdict_);
    verdict_.speed_seconds =
        absl::ToDoubleSeconds(doors_.clock.Monotonic() - start);
    // What the checks said stands.
    if (advisor::ExitStatusOf(status) == advisor::ExitStatus::kInconclusive) {
      verdict_.speed_failure = std::string(status.message());
      return absl::OkStatus();
    }
    return status;
  }

  const ValidationInput& input_;
  const ValidationDoors& doors_;
  Verdict& verdict_;
  std::set<std::string> changed_;  // source files of variants
  advisor::CpuidTable cpu_;
  KernelParameters machine_;
  // What follows "__memmove" and "__memset" in the selected variants.
  std::pair<std::string, std::string> selected_;
  std::vector<const Variant*> to_run_;
  std::set<const Variant*> unmeasured_;  // some of to_run_
  // What this CPU cannot run, twice in the same order.
  std::vector<LackingVariant> lacking_;
  std::vector<const Variant*> lacking_pointers_;
  std::vector<const Variant*> representatives_;
  // No check of what this CPU runs found a fault of the patch.
  bool right_ = true;
};

}  // namespace

absl::Status Validate(const ValidationInput& input,
                      const ValidationDoors& doors, Verdict& verdict) {
  return Validation(input, doors, verdict).Run();
}

}  // namespace glibc_patches
