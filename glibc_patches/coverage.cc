#include "glibc_patches/coverage.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "advisor/glibc/build.h"

namespace glibc_patches {
namespace {

constexpr Coverage kKernel = Coverage::kKernel;
constexpr Coverage kThreshold = Coverage::kThreshold;
// No release is known to lack it.
constexpr int kStill = 0;

// Kernel rows: what the files of //kernels:variants.bzl include; which of these
// a tree really has in its code is known when it is built. Threshold rows:
// where the variables that they read are set, and where a variant is selected.
// Source of the releases: the files under each tag, which
// coverage_history_test reads.
constexpr CoverageRow kRows[] = {
    // (pattern, coverage, first release, last release, what)
    {"sysdeps/generic/asm-syntax.h", kKernel, 26, kStill, "macros of assembly"},
    {"sysdeps/generic/dwarf2.h", kKernel, 26, kStill, "included by sysdep.h"},
    {"sysdeps/generic/sysdep.h", kKernel, 26, kStill, "macros of assembly"},
    {"sysdeps/x86/bits/platform/x86.h", kThreshold, 33, kStill,
     "names of CPU features"},
    {"sysdeps/x86/cacheinfo.c", kThreshold, 26, kStill,
     "thresholds; from 2.33 on, their start"},
    {"sysdeps/x86/cacheinfo.h", kThreshold, 33, kStill,
     "start of the thresholds"},
    {"sysdeps/x86/cpu-features.c", kThreshold, 26, kStill,
     "features of the CPU"},
    {"sysdeps/x86/cpu-features.h", kThreshold, 26, 32, "features of the CPU"},
    {"sysdeps/x86/cpu-tunables.c", kThreshold, 26, kStill, "glibc.cpu.hwcaps"},
    {"sysdeps/x86/dl-cacheinfo.h", kThreshold, 33, kStill, "thresholds"},
    {"sysdeps/x86/dl-get-cpu-features.c", kThreshold, 26, kStill,
     "features of the CPU"},
    {"sysdeps/x86/dl-tunables.list", kThreshold, 26, kStill, "tunables"},
    {"sysdeps/x86/include/cpu-features*", kThreshold, 33, kStill,
     "features of the CPU"},
    {"sysdeps/x86/init-arch.h", kThreshold, 26, kStill, "selection"},
    {"sysdeps/x86/isa-level.h", kKernel, 36, kStill,
     "included by the variants"},
    {"sysdeps/x86/sys/platform/x86.h", kThreshold, 33, kStill,
     "names of CPU features"},
    {"sysdeps/x86/sysdep.h", kKernel, 27, kStill, "macros of assembly"},
    {"sysdeps/x86_64/memcpy.S", kKernel, 26, kStill, "baseline memcpy"},
    {"sysdeps/x86_64/memcpy_chk.S", kKernel, 26, kStill, "baseline memcpy"},
    {"sysdeps/x86_64/memmove.S", kKernel, 26, kStill, "baseline memmove"},
    {"sysdeps/x86_64/memmove_chk.S", kKernel, 26, kStill, "baseline memmove"},
    {"sysdeps/x86_64/mempcpy.S", kKernel, 26, kStill, "baseline mempcpy"},
    {"sysdeps/x86_64/mempcpy_chk.S", kKernel, 26, kStill, "baseline mempcpy"},
    {"sysdeps/x86_64/memset.S", kKernel, 26, kStill, "baseline memset"},
    {"sysdeps/x86_64/memset_chk.S", kKernel, 26, kStill, "baseline memset"},
    {"sysdeps/x86_64/multiarch/ifunc-avx2.h", kThreshold, 26, kStill,
     "selection"},
    {"sysdeps/x86_64/multiarch/ifunc-impl-list.c", Coverage::kNone, 26, kStill,
     "not judged: a list for glibc's own tests and benchmarks, which selects "
     "nothing"},
    {"sysdeps/x86_64/multiarch/ifunc-memmove.h", kThreshold, 26, kStill,
     "selection"},
    {"sysdeps/x86_64/multiarch/ifunc-memset.h", kThreshold, 26, kStill,
     "selection"},
    {"sysdeps/x86_64/multiarch/memcpy-*.S", kKernel, 26, 35, "copies"},
    {"sysdeps/x86_64/multiarch/memcpy.c", kThreshold, 26, kStill, "selection"},
    {"sysdeps/x86_64/multiarch/memcpy_chk.c", kThreshold, 26, kStill,
     "selection"},
    {"sysdeps/x86_64/multiarch/memmove-*.S", kKernel, 26, kStill, "copies"},
    {"sysdeps/x86_64/multiarch/memmove-shlib-compat.h", kKernel, 36, kStill,
     "copies"},
    {"sysdeps/x86_64/multiarch/memmove.c", kThreshold, 26, kStill, "selection"},
    {"sysdeps/x86_64/multiarch/memmove_chk.c", kThreshold, 26, kStill,
     "selection"},
    {"sysdeps/x86_64/multiarch/mempcpy.c", kThreshold, 26, kStill, "selection"},
    {"sysdeps/x86_64/multiarch/mempcpy_chk.c", kThreshold, 26, kStill,
     "selection"},
    {"sysdeps/x86_64/multiarch/memset-*.S", kKernel, 26, kStill, "memset"},
    {"sysdeps/x86_64/multiarch/memset.c", kThreshold, 26, kStill, "selection"},
    {"sysdeps/x86_64/multiarch/memset_chk.c", kThreshold, 26, kStill,
     "selection"},
    {"sysdeps/x86_64/multiarch/reg-macros.h", kKernel, 37, kStill,
     "names of registers"},
    {"sysdeps/x86_64/multiarch/x86-*-vecs*.h", kKernel, 37, kStill, "vectors"},
    {"sysdeps/x86_64/multiarch/x86-vec-macros.h", kKernel, 37, kStill,
     "vectors"},
    {"sysdeps/x86_64/sysdep.h", kKernel, 26, kStill, "macros of assembly"},
    {"sysdeps/x86_64/x86-lp_size.h", kKernel, 37, kStill, "sizes of pointers"},
};

// "2.33 on", "until 2.35"; empty for every release.
std::string ReleasesOf(const CoverageRow& row) {
  const bool from_the_first = row.first_release == advisor::kFirstRelease;
  if (row.last_release == kStill) {
    return from_the_first ? "" : absl::StrCat("2.", row.first_release, " on");
  }
  return from_the_first ? absl::StrCat("until 2.", row.last_release)
                        : absl::StrCat("2.", row.first_release, " to 2.",
                                       row.last_release);
}

bool Matches(absl::string_view path, absl::string_view pattern) {
  const std::vector<absl::string_view> parts = absl::StrSplit(pattern, '*');
  if (parts.size() == 1) return path == pattern;
  if (!absl::ConsumePrefix(&path, parts.front()) ||
      !absl::ConsumeSuffix(&path, parts.back())) {
    return false;
  }
  for (size_t i = 1; i + 1 < parts.size(); ++i) {
    const size_t found = path.find(parts[i]);
    if (found == absl::string_view::npos ||
        absl::StrContains(path.substr(0, found), '/')) {
      return false;
    }
    path.remove_prefix(found + parts[i].size());
  }
  return !absl::StrContains(path, '/');
}

}  // namespace

absl::Span<const CoverageRow> CoverageRows() { return kRows; }

bool CoverageRow::Matches(absl::string_view path) const {
  return glibc_patches::Matches(path, pattern);
}

Coverage CoverageOf(absl::string_view path) {
  for (const CoverageRow& row : kRows) {
    if (row.Matches(path)) return row.coverage;
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
                    row.what);
    const std::string releases = ReleasesOf(row);
    if (!releases.empty()) absl::StrAppend(&text, ", ", releases);
    text += '\n';
  }
  return text;
}

}  // namespace glibc_patches
