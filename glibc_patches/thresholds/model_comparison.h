// The model of advisor/glibc against a probe: every value that both have.

#ifndef GLIBC_PATCHES_THRESHOLDS_MODEL_COMPARISON_H_
#define GLIBC_PATCHES_THRESHOLDS_MODEL_COMPARISON_H_

#include <string>
#include <vector>

#include "advisor/glibc/build.h"
#include "advisor/glibc/prediction.h"
#include "glibc_patches/thresholds/probe.h"

namespace glibc_patches {

struct ModelComparison {
  int compared = 0;
  // "non_temporal_threshold: predicted 0, probed 786432".
  std::vector<std::string> differences;
};

// `prediction` is for `build`, and for the CPUID and tunables of `run`.
ModelComparison CompareWithModel(const advisor::GlibcBuild& build,
                                 const advisor::Prediction& prediction,
                                 const ProbeRun& run);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_THRESHOLDS_MODEL_COMPARISON_H_
