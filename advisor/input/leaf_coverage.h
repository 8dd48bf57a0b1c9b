// Which of the leaves that glibc reads a list of leaves has, for formats that
// may hold only some of a CPU's.

#ifndef ADVISOR_INPUT_LEAF_COVERAGE_H_
#define ADVISOR_INPUT_LEAF_COVERAGE_H_

#include "advisor/cpu/cpuid_source.h"
#include "advisor/input/machine_input.h"

namespace advisor {

// Sets has_features, has_cache_leaves and adds to `unknown`. Features: leaves
// 0, 1, and 7, 0xD, 0x80000001 as far as the CPU has them. Caches: 2, 4 and 0xB
// for Intel and Zhaoxin; 0x80000005, 6, 8 and 0x8000001D for AMD and Hygon
// (with leaf 4, 2 and 0xB left alone); nothing for vendors that no glibc knows.
void SetCoverage(const CpuidTable& cpu, MachineInput* input);

}  // namespace advisor

#endif  // ADVISOR_INPUT_LEAF_COVERAGE_H_
