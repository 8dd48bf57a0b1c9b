// A threshold result as text.

#ifndef GLIBC_PATCHES_THRESHOLDS_DESCRIBE_H_
#define GLIBC_PATCHES_THRESHOLDS_DESCRIBE_H_

#include <string>
#include <vector>

#include "glibc_patches/thresholds/threshold_result.h"

namespace glibc_patches {

// "67 CPUs, 1204 runs of each tree: 9 CPUs change".
std::string SummarizeThresholds(const ThresholdResult& result);

// "zen_guest, seed_guest and 3 more".
std::string DescribeCpus(const std::vector<std::string>& cpus);

// The table, in lines of at most 80 columns: which CPUs change what from what
// to what. Ends with what was left out, if anything.
std::string ThresholdTable(const ThresholdResult& result);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_THRESHOLDS_DESCRIBE_H_
