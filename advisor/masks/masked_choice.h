// What a libc selects on a CPU, and what it takes for granted there because it
// was compiled for an x86-64 level.

#ifndef ADVISOR_MASKS_MASKED_CHOICE_H_
#define ADVISOR_MASKS_MASKED_CHOICE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/cpu_features.h"
#include "advisor/glibc/thresholds.h"

namespace advisor {

// What glibc does on one CPU.
struct MaskedChoice {
  // What follows "__memmove_" (memcpy and mempcpy choose alike) and "__memset_"
  // in the selected symbol.
  std::string memmove;
  std::string memset;
  Thresholds thresholds;

  bool SameVariants(const MaskedChoice& other) const {
    return memmove == other.memmove && memset == other.memset;
  }
};

// Do the selectors of the build leave out what libc's level has? From 2.36 on.
bool KnowsIsaLevels(const GlibcBuild& build);

// A libc of that level does not ask for the feature, so that no mask hides it.
bool IsFixedByIsa(Feature feature, const GlibcBuild& build, int isa_level);

// The variants that a libc of that level selects by what start-up left of the
// features; thresholds are not looked at.
MaskedChoice VariantsOf(CpuFeatures features, const GlibcBuild& build,
                        int isa_level);

// What a libc of that level selects under a value of GLIBC_TUNABLES.
// `isa_level` 1 is what Predict assumes.
MaskedChoice ChoiceUnder(const CpuidSource& cpu, const GlibcBuild& build,
                         int isa_level, absl::string_view glibc_tunables);

}  // namespace advisor

#endif  // ADVISOR_MASKS_MASKED_CHOICE_H_
