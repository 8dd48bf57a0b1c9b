// Which states of memory and CPUs a plan measures code in, and which it does
// not.

#ifndef GLIBC_PATCHES_SPEED_REGIMES_H_
#define GLIBC_PATCHES_SPEED_REGIMES_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/types/span.h"
#include "glibc_patches/speed_plan.h"

namespace glibc_patches {

struct CandidateCell {
  SpeedCell cell;
  // From which size on its variant's stores are non-temporal; nullopt: never.
  std::optional<uint64_t> non_temporal;
  // Why it is not measured; empty where it is.
  std::string why_not;
};

// Bytes that a cell's calls go through.
uint64_t SetBytes(const kernels::Cell& cell);

// The plan's regimes, and what none of its cells is in though some variant has
// it. Which cache a set of buffers is in is told by its size alone.
void AddRegimes(absl::Span<const CandidateCell> candidates,
                const SpeedMachine& machine, SpeedPlan& plan);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_SPEED_REGIMES_H_
