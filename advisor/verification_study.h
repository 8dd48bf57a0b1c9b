// The measurement that proves a GLIBC_TUNABLES string: what it changes, the
// contrasts around that, and what a finished study says.

#ifndef ADVISOR_VERIFICATION_STUDY_H_
#define ADVISOR_VERIFICATION_STUDY_H_

#include <cstdint>
#include <vector>

#include "advisor/glibc/build.h"
#include "advisor/string_verification.h"
#include "kernels/measure/study.h"

namespace advisor {

// Between the sides `without` and `with`: another memmove or memset, or else
// the sizes in bytes, of a list around all thresholds, whose path is another.
bool ChangesVariant(const StringVerification& verification, bool is_memset);
std::vector<uint64_t> ChangedSizes(const GlibcBuild& build,
                                   const StringVerification& verification,
                                   bool is_memset);

// The contrasts that a study of it needs, for calls up to `largest` bytes.
std::vector<kernels::Contrast> VerifyContrasts(
    const GlibcBuild& build, const StringVerification& verification,
    uint64_t largest, int copiers);

// What a finished study says of a string that changes `without` into `with`.
// Fills in proof, outcome and summary.
void JudgeStudy(const kernels::Study& study, const GlibcBuild& build,
                StringVerification& verification);

}  // namespace advisor

#endif  // ADVISOR_VERIFICATION_STUDY_H_
