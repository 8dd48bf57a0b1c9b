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
  kNone,
};

struct CoverageRow {
  // A path in the tree; '*' stands for any characters but '/'.
  absl::string_view pattern;
  Coverage coverage;
  // Releases that have such files, and what they are.
  absl::string_view what;
};

// Sorted by pattern.
absl::Span<const CoverageRow> CoverageRows();

Coverage CoverageOf(absl::string_view path);

// "sysdeps/x86_64/multiarch/memmove-*.S  copy variants", a line each.
std::string DescribeCoverage();

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_COVERAGE_H_
