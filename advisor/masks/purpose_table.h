// What masks are for: which CPU features each purpose hides from glibc, and
// what a mask cannot do for it.

#ifndef ADVISOR_MASKS_PURPOSE_TABLE_H_
#define ADVISOR_MASKS_PURPOSE_TABLE_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/glibc/cpu_features.h"

namespace advisor {

struct PurposeRow {
  // As in --for=NAME.
  absl::string_view name;
  // What it is for: lower case, no full stop.
  absl::string_view summary;
  // Hidden on every CPU.
  absl::Span<const Feature> hides;
  // Hidden, too: what not all of the CPUs have. With a single CPU the others
  // are unknown: all above x86-64's baseline.
  bool hides_what_differs;
  // The same variants and thresholds on all CPUs.
  bool pins;
  // CPUs without which there is no answer.
  size_t least_cpus;
  // What the mask cannot do; whole sentences.
  absl::Span<const absl::string_view> limits;
  // Public: reports of people who need it.
  absl::string_view reference;
};

// Sorted by name.
absl::Span<const PurposeRow> AllPurposes();

// nullptr: there is none of that name.
const PurposeRow* FindPurpose(absl::string_view name);

// What programs may not rely on below each x86-64 level (psABI), of what glibc
// has a word for; with the extensions outside of the levels that depend on the
// same registers.
absl::Span<const Feature> AboveBaseline();
absl::Span<const Feature> Avx512Features();
// Those of AVX-512 included.
absl::Span<const Feature> AvxFeatures();

// A value that glibc computes from the CPU and that no mask and no tunable
// fixes.
struct UnpinnedRow {
  absl::string_view name;
  // Whole sentences.
  absl::string_view why;
};
absl::Span<const UnpinnedRow> AllUnpinned();

// True of every mask; whole sentences.
absl::Span<const absl::string_view> LimitsOfMasks();

}  // namespace advisor

#endif  // ADVISOR_MASKS_PURPOSE_TABLE_H_
