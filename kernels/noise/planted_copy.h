// A copy with a known flaw: after it, the core does nothing for a number of its
// cycles. A tree of its own ("planted"), so that the engine can set one side's
// number against another's; the number is in the tree's only variable,
// rep_movsb_threshold, which has no other meaning there.

#ifndef KERNELS_NOISE_PLANTED_COPY_H_
#define KERNELS_NOISE_PLANTED_COPY_H_

#include "absl/strings/string_view.h"

namespace kernels {

inline constexpr absl::string_view kPlantedTree = "planted";
// By the name of the variant whose requirements it has: none.
inline constexpr absl::string_view kPlantedCopy = "__memmove_sse2_unaligned";

}  // namespace kernels

#endif  // KERNELS_NOISE_PLANTED_COPY_H_
