// Verdicts for tests.

#ifndef GLIBC_PATCHES_VERDICT_SAMPLES_H_
#define GLIBC_PATCHES_VERDICT_SAMPLES_H_

#include <map>
#include <string>

#include "glibc_patches/verdict.h"

namespace glibc_patches {

// Not decided yet.
Verdict SampleAccept();
Verdict SampleWrong();
Verdict SampleSlower();
// The same cell is slower, but the workload makes no such calls.
Verdict SampleSlowerWithoutWeight();
// A patch to a variant and to threshold code: on one CPU the latter is at
// fault.
Verdict SampleThresholdFault();

// By the names of golden files.
std::map<std::string, Verdict> SampleVerdicts();

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_VERDICT_SAMPLES_H_
