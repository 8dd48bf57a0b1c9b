// The answer about a patch, and all that it rests on.

#ifndef GLIBC_PATCHES_VERDICT_H_
#define GLIBC_PATCHES_VERDICT_H_

#include <optional>
#include <string>
#include <vector>

#include "glibc_patches/checks/check.h"
#include "glibc_patches/patched_source.h"
#include "glibc_patches/speed.h"
#include "glibc_patches/speed_weights.h"
#include "glibc_patches/thresholds/threshold_result.h"

namespace glibc_patches {

// What whoever sends the patch says of thresholds and selection.
enum class Claim { kNone, kChange, kNoChange };

enum class Decision { kAccept, kReject, kInconclusive };

// "accept", ...
absl::string_view DecisionName(Decision decision);

struct SkippedVariant {
  std::string name;
  // "needs AVX512VL"; "needs AVX2: checked under qemu-x86_64 -cpu max"
  std::string reason;
};

struct Verdict {
  // What Decide() adds: the answer, and why, the weightiest reason first. One
  // sentence each, no full stop.
  Decision decision = Decision::kInconclusive;
  std::vector<std::string> reasons;
  // Findings and slow cells, for a person to look at; empty when accepted.
  std::vector<std::string> evidence;
  // Cells that are slower by more than is tolerated, but do not matter for the
  // workload; added by Decide(), too.
  std::vector<std::string> slower_without_weight;

  std::vector<std::string> patches;
  std::string base;     // folder or tarball
  std::string release;  // "2.36"
  PatchPlan files;
  // Of files.kernel_files, those that no variant of this release includes.
  std::vector<std::string> unused_files;
  // Variants whose code the patch changes or adds, and those that it removes.
  std::vector<std::string> changed;
  std::vector<std::string> removed;
  std::vector<SkippedVariant> skipped;
  // Of `changed`: checked, but this CPU cannot run them as they are.
  std::vector<SkippedVariant> unmeasured;
  // What a reader should know about the run.
  std::vector<std::string> notes;
  // Functions of the patched tree that //kernels:variants.bzl does not list.
  std::vector<std::string> unlisted;

  // Of changed variants. A check that fails only where the base does too (at
  // the same calls, and in no more places of the code) stands in
  // `base_failures` by id and variant, and is no fault of the patch.
  std::vector<CheckResult> checks;
  std::vector<std::string> base_failures;
  // nullopt: not measured, since the code is wrong or is the same.
  std::optional<SpeedResult> speed;
  // What broke the measurement off; empty: nothing did.
  std::string speed_failure;
  // Of its cells.
  WeighedSpeed weighed;
  // States of memory and CPUs that it was measured in, and others.
  std::vector<std::string> regimes;
  std::vector<RegimeGap> regime_gaps;
  // nullopt: the patch touches no threshold code.
  std::optional<ThresholdResult> thresholds;
  Claim claim = Claim::kNone;
  SpeedOptions speed_options;

  double build_seconds = 0;
  double check_seconds = 0;
  double speed_seconds = 0;
};

// Reject: a check found something that the base's code does not do, its speed
// says so (speed_opinion.h), on some CPU a threshold or selection is one that
// the memory functions cannot work with while the base's is not, or the claim
// is wrong. Inconclusive: something that the patch changes was not judged
// (compiled threshold code that differs, but shows no effect, and nobody claims
// that it has none; speed). Accept: everything else.
void Decide(Verdict& verdict);

// "patched: __memset_erms" of check "content".
std::string CheckKey(const CheckResult& check);

// Takes the faults of the base out of `failed`, given the same check made again
// with CheckContext::base: what is left in `failed` is the patch's own. False
// when nothing is left; then `failed` stays as it is, with a note.
bool KeepOwnFaults(CheckResult beside_base, CheckResult& failed);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_VERDICT_H_
