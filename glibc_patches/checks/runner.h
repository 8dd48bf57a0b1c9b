// Runs checks in child processes.

#ifndef GLIBC_PATCHES_CHECKS_RUNNER_H_
#define GLIBC_PATCHES_CHECKS_RUNNER_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "glibc_patches/checks/check.h"
#include "kernels/variant.h"

namespace glibc_patches {

struct RunLimits {
  // Wall clock of one check's child; past it the child is killed and its last
  // call reported.
  absl::Duration time = absl::Minutes(5);
  // Wall clock for making a finding's call smaller; 0: it is left as it is.
  absl::Duration shrinking = absl::Seconds(3);
  // Wall clock of a check after which no other call at which the child died is
  // made in CheckContext::base; the check ends there.
  absl::Duration deaths = absl::Seconds(20);
  // Bytes of address space that a child may map beyond what it starts with.
  // The world of calls (world.h) needs none of it.
  uint64_t memory = uint64_t{1} << 30;
};

// Never ends the process, prints nothing, leaves no child behind, and changes
// neither thresholds nor code of this process. Skips what skip_reason says and
// what this CPU cannot execute ("needs AVX512VL"). Safe to call from several
// threads once World::Get() was called.
CheckResult RunCheck(const CheckRow& row, const CheckContext& context,
                     const RunLimits& limits = {});

struct RunOptions {
  Effort effort = Effort::kNormal;
  uint64_t seed = 1;
  // Children at a time.
  int jobs = 1;
  // Ids; empty: all checks.
  std::vector<std::string> only;
  RunLimits limits;
  // Called after each check, in the order of the result; may be empty.
  std::function<void(const CheckResult&)> progress;
  // Says after a check that no other shall begin; may be empty.
  std::function<bool(const CheckResult&)> stop;
};

struct PlannedCheck {
  const kernels::Variant* variant;
  const CheckRow* row;
  Effort effort = Effort::kNormal;
  int one_in = 1;                          // as in CheckContext
  const kernels::Variant* base = nullptr;  // as well
};

// Every check of every variant, in the order of variants and then of ids. A
// variant whose code is another's under a second name (memcpy, mostly) is
// skipped with that name.
std::vector<CheckResult> RunChecks(
    absl::Span<const kernels::Variant* const> variants,
    const RunOptions& options);

// The same for checks in an order of the caller's; `effort` and `only` of the
// options do not count. Checks that did not begin are not in the result.
std::vector<CheckResult> RunPlan(absl::Span<const PlannedCheck> plan,
                                 const RunOptions& options);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_CHECKS_RUNNER_H_
