// Which files of glibc a patch can be judged on.

#ifndef GLIBC_PATCHES_COVERAGE_H_
#define GLIBC_PATCHES_COVERAGE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace glibc_patches {

enum class Coverage {
  kKernel,     // the code of the memory functions, or what it includes
  kThreshold,  // what decides about variants and thresholds
  // Others; a row of such says why a file that seems to belong here is not
  // judged.
  kNone,
};

struct CoverageRow {
  // A path in the tree; '*' stands for any characters but '/'.
  absl::string_view pattern;
  Coverage coverage;
  // The NN of the first and of the last 2.NN that has such a file; the last is
  // 0 when the newest has it.
  int first_release;
  int last_release;
  absl::string_view what;

  bool Matches(absl::string_view path) const;
};

// Sorted by pattern.
absl::Span<const CoverageRow> CoverageRows();

Coverage CoverageOf(absl::string_view path);

// "sysdeps/x86/cpu-features.h  features of the CPU, until 2.32", a line each.
std::string DescribeCoverage();

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_COVERAGE_H_
