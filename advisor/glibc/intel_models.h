// Intel's family 6 models, as far as glibc's start-up code tells them apart.
//
// Source: init_cpu_features and intel_get_fam6_microarch in
// sysdeps/x86/cpu-features.c, 2.26 to 2.42 and their branches.

#ifndef ADVISOR_GLIBC_INTEL_MODELS_H_
#define ADVISOR_GLIBC_INTEL_MODELS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/change.h"

namespace advisor {

// What a model gets.
enum class IntelTuning {
  kBonnell,     // Slow_BSF, nothing else.
  kSilvermont,  // Fast_Unaligned_* and Slow_SSE4_2.
  kTremont,     // As Silvermont, and Fast_Rep_String.
  kNehalem,     // Fast_*; the threshold is 1/8 of the cache.
  kOlderCore,   // Fast_* if AVX; 1/8.
  kNewerCore,   // Fast_* if AVX; 1/2.
  kSkylakeSp,   // As kNewerCore, and no non-temporal memset.
  kDefault,     // Fast_* if AVX; 1/4.
};

struct IntelModelRow {
  uint32_t model;
  absl::string_view microarch;
  IntelTuning tuning;
  // The change that brought the row; before it the model is kDefault.
  bool always;
  Change since;
};

// Sorted by model.
absl::Span<const IntelModelRow> AllIntelModels();

struct IntelModel {
  absl::string_view microarch;  // "unknown" where there is no row.
  IntelTuning tuning;
};

// `model` with its extension added.
IntelModel FindIntelModel(uint32_t family, uint32_t model,
                          const GlibcBuild& build);

}  // namespace advisor

#endif  // ADVISOR_GLIBC_INTEL_MODELS_H_
