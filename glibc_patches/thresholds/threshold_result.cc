#include "glibc_patches/thresholds/threshold_result.h"

#include <set>

namespace glibc_patches {

int ChangedCpus(const ThresholdResult& result) {
  std::set<std::string> cpus;
  for (const ThresholdRow& row : result.rows) {
    if (row.tunables.empty()) cpus.insert(row.cpus.begin(), row.cpus.end());
  }
  return static_cast<int>(cpus.size());
}

}  // namespace glibc_patches
