#include "glibc_patches/coverage.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace glibc_patches {
namespace {

constexpr Coverage kKernel = Coverage::kKernel;
constexpr Coverage kThreshold = Coverage::kThreshold;

// Kernel rows: what the files of //kernels:variants.bzl include in some release
// from 2.26 to 2.42; which of these a tree really has in its code is known when
// it is built. Threshold rows: where the variables that
// they read are set, and where a variant is selected.
constexpr CoverageRow kRows[] = {
    // (pattern, coverage, what)
    {"sysdeps/generic/asm-syntax.h", kKernel, "macros of assembly"},
    {"sysdeps/generic/dwarf2.h", kKernel, "included by sysdep.h"},
    {"sysdeps/generic/sysdep.h", kKernel, "macros of assembly"},
    {"sysdeps/x86/cacheinfo.c", kThreshold, "start of the thresholds, 2.32 on"},
    {"sysdeps/x86/cacheinfo.h", kThreshold, "thresholds, 2.33 on"},
    {"sysdeps/x86/cpu-features.c", kThreshold, "features of the CPU"},
    {"sysdeps/x86/cpu-features.h", kThreshold, "features of the CPU"},
    {"sysdeps/x86/cpu-tunables.c", kThreshold, "glibc.cpu.hwcaps"},
    {"sysdeps/x86/dl-cacheinfo.h", kThreshold, "thresholds, 2.33 on"},
    {"sysdeps/x86/dl-get-cpu-features.c", kThreshold, "features of the CPU"},
    {"sysdeps/x86/dl-tunables.list", kThreshold, "tunables, 2.26 on"},
    {"sysdeps/x86/include/cpu-features.h", kThreshold, "features of the CPU"},
    {"sysdeps/x86/isa-level.h", kKernel, "included by the variants, 2.33 on"},
    {"sysdeps/x86/sysdep.h", kKernel, "macros of assembly"},
    {"sysdeps/x86_64/cacheinfo.c", kThreshold, "thresholds, 2.26 to 2.31"},
    {"sysdeps/x86_64/memcpy.S", kKernel, "baseline memcpy"},
    {"sysdeps/x86_64/memcpy_chk.S", kKernel, "baseline memcpy"},
    {"sysdeps/x86_64/memmove.S", kKernel, "baseline memmove"},
    {"sysdeps/x86_64/memmove_chk.S", kKernel, "baseline memmove"},
    {"sysdeps/x86_64/mempcpy.S", kKernel, "baseline mempcpy"},
    {"sysdeps/x86_64/mempcpy_chk.S", kKernel, "baseline mempcpy"},
    {"sysdeps/x86_64/memset.S", kKernel, "baseline memset"},
    {"sysdeps/x86_64/memset_chk.S", kKernel, "baseline memset"},
    {"sysdeps/x86_64/multiarch/ifunc-avx2.h", kThreshold, "selection"},
    {"sysdeps/x86_64/multiarch/ifunc-impl-list.c", kThreshold, "selection"},
    {"sysdeps/x86_64/multiarch/ifunc-memmove.h", kThreshold, "selection"},
    {"sysdeps/x86_64/multiarch/ifunc-memset.h", kThreshold, "selection"},
    {"sysdeps/x86_64/multiarch/memcpy-*.S", kKernel, "copies, until 2.35"},
    {"sysdeps/x86_64/multiarch/memmove-*.S", kKernel, "copies"},
    {"sysdeps/x86_64/multiarch/memmove-shlib-compat.h", kKernel, "copies"},
    {"sysdeps/x86_64/multiarch/memset-*.S", kKernel, "memset"},
    {"sysdeps/x86_64/multiarch/reg-macros.h", kKernel, "registers, 2.37 on"},
    {"sysdeps/x86_64/multiarch/x86-*-vecs*.h", kKernel, "vectors, 2.37 on"},
    {"sysdeps/x86_64/multiarch/x86-avx-*.h", kKernel, "vectors, 2.37 on"},
    {"sysdeps/x86_64/multiarch/x86-evex*.h", kKernel, "vectors, 2.37 on"},
    {"sysdeps/x86_64/sysdep.h", kKernel, "macros of assembly"},
    {"sysdeps/x86_64/x86-vec*.h", kKernel, "vectors"},
};

bool Matches(absl::string_view path, absl::string_view pattern) {
  size_t at = 0;
  bool first = true;
  for (const absl::string_view part : absl::StrSplit(pattern, '*')) {
    const size_t found = path.find(part, at);
    if (found == absl::string_view::npos || (first && found != 0)) return false;
    if (path.substr(at, found - at).find('/') != absl::string_view::npos) {
      return false;
    }
    at = found + part.size();
    first = false;
  }
  return at == path.size();
}

}  // namespace

absl::Span<const CoverageRow> CoverageRows() { return kRows; }

Coverage CoverageOf(absl::string_view path) {
  for (const CoverageRow& row : kRows) {
    if (Matches(path, row.pattern)) return row.coverage;
  }
  return Coverage::kNone;
}

std::string DescribeCoverage() {
  std::string text;
  for (const CoverageRow& row : kRows) {
    constexpr size_t kColumn = 46;
    const size_t size = row.pattern.size();
    absl::StrAppend(&text, "  ", row.pattern,
                    std::string(size < kColumn ? kColumn - size : 1, ' '),
                    row.what, "\n");
  }
  return text;
}

}  // namespace glibc_patches
