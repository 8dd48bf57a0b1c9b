// Which variant of memmove (and memcpy and mempcpy, which choose alike) and of
// memset a build selects: the ordered tests of its IFUNC resolvers.
//
// Source: sysdeps/x86_64/multiarch/ifunc-memmove.h and ifunc-memset.h, for a
// libc built for the x86-64 baseline.

#ifndef ADVISOR_GLIBC_VARIANT_SELECTION_H_
#define ADVISOR_GLIBC_VARIANT_SELECTION_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/cpu_features.h"
#include "advisor/glibc/step.h"

namespace advisor {

// What follows "__memmove_" or "__memset_" in glibc's symbol:
// "evex_unaligned_erms". `features` as they are after the mask.
absl::string_view SelectMemmove(const GlibcBuild& build,
                                const CpuFeatures& features,
                                const StepRecorder& steps);
absl::string_view SelectMemset(const GlibcBuild& build,
                               const CpuFeatures& features,
                               const StepRecorder& steps);

// That variant has a rep movsb (rep stosb) zone between thresholds:
// "evex_unaligned_erms", "avx_unaligned_erms_rtm". ("erms" is nothing but that,
// whatever the thresholds.)
bool VariantIsErms(absl::string_view variant);

// Bytes of a vector register in that variant: 16, 32, 64; 0 for "erms".
int VariantVectorSize(absl::string_view variant);

}  // namespace advisor

#endif  // ADVISOR_GLIBC_VARIANT_SELECTION_H_
