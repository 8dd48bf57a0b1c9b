#include "glibc_patches/emulated_look.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "glibc_patches/built_tree.h"
#include "glibc_patches/speed_plan.h"

namespace glibc_patches {
namespace {

class Looker {
 public:
  Looker(const EmulatedLook& look, Verdict& verdict)
      : look_(look), verdict_(verdict) {}

  absl::Status Look(const LackingVariant& variant) {
    const std::string needs = absl::StrCat("needs ", variant.feature);
    if (!look_.emulator.has_value()) {
      Skip(variant, absl::StrCat(needs, ", and there is no qemu-x86_64"));
      return absl::OkStatus();
    }
    if (wrong_) {
      Skip(variant, needs);
      return absl::OkStatus();
    }
    const std::string emulator = look_.emulator->Describe();
    look_.progress(variant.name);
    auto results = Run(RunOf(variant));
    if (absl::IsCancelled(results.status())) return results.status();
    if (!results.ok()) {
      Skip(variant, absl::StrCat(needs, "; ", results.status().message()));
      return absl::OkStatus();
    }
    for (const CheckResult& result : *results) {
      absl::string_view lacks = result.reason;
      if (absl::ConsumePrefix(&lacks, "needs ")) {
        Skip(variant, absl::StrCat(needs, "; ", emulator, " lacks ", lacks));
        return absl::OkStatus();
      }
    }
    verdict_.unmeasured.push_back(
        {variant.name, absl::StrCat(needs, ": checked under ", emulator)});
    for (CheckResult& result : *results) {
      absl::Status status = Take(variant, std::move(result));
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  void Skip(const LackingVariant& variant, std::string reason) {
    verdict_.skipped.push_back({variant.name, std::move(reason)});
  }

  absl::StatusOr<std::vector<CheckResult>> Run(const EmulatedRun& run) const {
    auto results =
        RunEmulated(*look_.emulator, run, look_.environment, look_.subprocess);
    if (!results.ok()) return results;
    for (CheckResult& result : *results) {
      if (result.status == CheckStatus::kSkipped) continue;
      result.notes.push_back("emulated");
    }
    return results;
  }

  EmulatedRun RunOf(const LackingVariant& variant) const {
    EmulatedRun run;
    run.program = look_.program;
    run.tree_path = PlacedTree(look_.built_patched, 0);
    run.tree_name = kPatchedTree;
    run.variant = variant.name;
    run.representative = variant.representative;
    run.seed = look_.seed;
    return run;
  }

  absl::Status Take(const LackingVariant& variant, CheckResult result) {
    look_.checked(result);
    if (result.status == CheckStatus::kFailed) {
      EmulatedRun beside = RunOf(variant);
      beside.only = {result.id};
      beside.base_path = PlacedTree(look_.built_base, 0);
      auto again = Run(beside);
      if (absl::IsCancelled(again.status())) return again.status();
      if (again.ok() && !again->empty() &&
          !KeepOwnFaults(std::move(again->front()), result)) {
        verdict_.base_failures.push_back(CheckKey(result));
      } else {
        wrong_ = true;
      }
    }
    verdict_.checks.push_back(std::move(result));
    return absl::OkStatus();
  }

  const EmulatedLook& look_;
  Verdict& verdict_;
  bool wrong_ = false;
};

}  // namespace

absl::Status LookUnderEmulator(absl::Span<const LackingVariant> variants,
                               const EmulatedLook& look, Verdict& verdict) {
  Looker looker(look, verdict);
  for (const LackingVariant& variant : variants) {
    absl::Status status = looker.Look(variant);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace glibc_patches
