// How well the variant that a mask leads to suits the CPU: what a mask is
// chosen by.

#ifndef ADVISOR_MASKS_COHERENCE_H_
#define ADVISOR_MASKS_COHERENCE_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/cpu_features.h"

namespace advisor {

// What the selected variant needs of what is to be hidden. From 2.41 on the
// erms form of memset says nothing: without ERMS, too, it is selected for its
// non-temporal stores, and its threshold keeps it from `rep stosb`.
std::vector<Feature> ForbiddenNeeds(absl::string_view variant, bool is_memset,
                                    absl::Span<const Feature> hidden,
                                    const GlibcBuild& build);

// What one selector does on a CPU before any mask.
struct CpuSelection {
  const CpuFeatures& features;
  bool is_memset;
  absl::string_view before;  // The variant.
};

// What is wrong with `variant` after a mask that is to hide `hidden`, to be
// summed over CPUs and functions; 0: it suits the CPU as well as the one
// before. To use what is to be hidden counts most.
int Incoherence(const CpuSelection& cpu, absl::string_view variant,
                absl::Span<const Feature> hidden, const GlibcBuild& build);

// In the same measure: not the same variants on all CPUs, where it must be.
inline constexpr int kDiffers = 1000;

}  // namespace advisor

#endif  // ADVISOR_MASKS_COHERENCE_H_
