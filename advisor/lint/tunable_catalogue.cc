#include "advisor/lint/tunable_catalogue.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "advisor/glibc/build.h"

namespace advisor {
namespace {

constexpr uint64_t kMaxU64 = std::numeric_limits<uint64_t>::max();
constexpr int64_t kMinI32 = std::numeric_limits<int32_t>::min();
constexpr uint64_t kMaxI32 = std::numeric_limits<int32_t>::max();

using T = TunableType;

// Of what is still there.
constexpr int kLast = kLastRelease;

// {name, type, minimum, maximum, list default, first release, last release,
// architecture}
constexpr CatalogueRow kRows[] = {
    {"glibc.cpu.aarch64_gcs", T::kUint64, 0, 3, 0, 41, kLast, "AArch64"},
    {"glibc.cpu.cached_memopt", T::kInt32, 0, 1, 0, 29, kLast, "PowerPC"},
    {"glibc.cpu.hwcap_mask", T::kUint64, 0, kMaxU64, {}, 29, 39, ""},
    {"glibc.cpu.hwcaps", T::kString, 0, 0, {}, 29, kLast, ""},
    {"glibc.cpu.name", T::kString, 0, 0, {}, 29, kLast, "AArch64"},
    {"glibc.cpu.plt_rewrite", T::kInt32, 0, 2, {}, 39, kLast, ""},
    {"glibc.cpu.prefer_map_32bit_exec", T::kInt32, 0, 1, {}, 38, kLast, ""},
    {"glibc.cpu.x86_data_cache_size", T::kSizeT, 0, kMaxU64, {}, 29, kLast, ""},
    {"glibc.cpu.x86_ibt", T::kString, 0, 0, {}, 29, kLast, ""},
    {"glibc.cpu.x86_memset_non_temporal_threshold",
     T::kSizeT,
     0,
     kMaxU64,
     {},
     40,
     kLast,
     ""},
    {"glibc.cpu.x86_non_temporal_threshold",
     T::kSizeT,
     0,
     kMaxU64,
     {},
     29,
     kLast,
     ""},
    {"glibc.cpu.x86_rep_movsb_threshold", T::kSizeT, 1, kMaxU64, 2048, 32, 32,
     ""},
    {"glibc.cpu.x86_rep_movsb_threshold",
     T::kSizeT,
     1,
     kMaxU64,
     {},
     33,
     kLast,
     ""},
    {"glibc.cpu.x86_rep_stosb_threshold", T::kSizeT, 1, kMaxU64, 2048, 32,
     kLast, ""},
    {"glibc.cpu.x86_shared_cache_size",
     T::kSizeT,
     0,
     kMaxU64,
     {},
     29,
     kLast,
     ""},
    {"glibc.cpu.x86_shstk", T::kString, 0, 0, {}, 29, kLast, ""},
    {"glibc.elision.enable", T::kInt32, 0, 1, {}, 27, kLast, ""},
    {"glibc.elision.skip_lock_after_retries", T::kInt32, kMinI32, kMaxI32, 3,
     27, 33, ""},
    {"glibc.elision.skip_lock_after_retries", T::kInt32, 0, kMaxI32, 3, 34,
     kLast, ""},
    {"glibc.elision.skip_lock_busy", T::kInt32, kMinI32, kMaxI32, 3, 27, 33,
     ""},
    {"glibc.elision.skip_lock_busy", T::kInt32, 0, kMaxI32, 3, 34, kLast, ""},
    {"glibc.elision.skip_lock_internal_abort", T::kInt32, kMinI32, kMaxI32, 3,
     27, 33, ""},
    {"glibc.elision.skip_lock_internal_abort", T::kInt32, 0, kMaxI32, 3, 34,
     kLast, ""},
    {"glibc.elision.skip_trylock_internal_abort", T::kInt32, kMinI32, kMaxI32,
     3, 27, 33, ""},
    {"glibc.elision.skip_trylock_internal_abort", T::kInt32, 0, kMaxI32, 3, 34,
     kLast, ""},
    {"glibc.elision.tries", T::kInt32, kMinI32, kMaxI32, 3, 27, 33, ""},
    {"glibc.elision.tries", T::kInt32, 0, kMaxI32, 3, 34, kLast, ""},
    {"glibc.gmon.maxarcs", T::kInt32, 50, kMaxI32, 1048576, 38, kLast, ""},
    {"glibc.gmon.minarcs", T::kInt32, 50, kMaxI32, 50, 38, kLast, ""},
    {"glibc.malloc.arena_max", T::kSizeT, 1, kMaxU64, {}, 26, kLast, ""},
    {"glibc.malloc.arena_test", T::kSizeT, 1, kMaxU64, {}, 26, kLast, ""},
    {"glibc.malloc.check", T::kInt32, 0, 3, {}, 26, kLast, ""},
    {"glibc.malloc.hugetlb", T::kSizeT, 0, kMaxU64, {}, 35, kLast, ""},
    {"glibc.malloc.mmap_max", T::kInt32, kMinI32, kMaxI32, {}, 26, 33, ""},
    {"glibc.malloc.mmap_max", T::kInt32, 0, kMaxI32, {}, 34, kLast, ""},
    {"glibc.malloc.mmap_threshold", T::kSizeT, 0, kMaxU64, {}, 26, kLast, ""},
    {"glibc.malloc.mxfast", T::kSizeT, 0, kMaxU64, {}, 31, kLast, ""},
    {"glibc.malloc.perturb", T::kInt32, 0, 255, {}, 26, kLast, ""},
    {"glibc.malloc.tcache_count", T::kSizeT, 0, kMaxU64, {}, 26, kLast, ""},
    {"glibc.malloc.tcache_max", T::kSizeT, 0, kMaxU64, {}, 26, kLast, ""},
    {"glibc.malloc.tcache_unsorted_limit",
     T::kSizeT,
     0,
     kMaxU64,
     {},
     26,
     kLast,
     ""},
    {"glibc.malloc.top_pad", T::kSizeT, 0, kMaxU64, {}, 26, 36, ""},
    {"glibc.malloc.top_pad", T::kSizeT, 0, kMaxU64, 131072, 37, kLast, ""},
    {"glibc.malloc.trim_threshold", T::kSizeT, 0, kMaxU64, {}, 26, kLast, ""},
    {"glibc.mem.decorate_maps", T::kInt32, 0, 1, {}, 39, kLast, ""},
    {"glibc.mem.tagging", T::kInt32, 0, 255, {}, 33, kLast, ""},
    {"glibc.pthread.mutex_spin_count", T::kInt32, 0, 32767, 100, 29, kLast, ""},
    {"glibc.pthread.rseq", T::kInt32, 0, 1, 1, 35, kLast, ""},
    {"glibc.pthread.stack_cache_size", T::kSizeT, 0, kMaxU64, 41943040, 34,
     kLast, ""},
    {"glibc.pthread.stack_hugetlb", T::kInt32, 0, 1, 1, 38, kLast, ""},
    {"glibc.rtld.dynamic_sort", T::kInt32, 1, 2, 2, 35, kLast, ""},
    {"glibc.rtld.enable_secure", T::kInt32, 0, 1, 0, 40, kLast, ""},
    {"glibc.rtld.execstack", T::kInt32, 0, 1, 1, 41, 41, ""},
    {"glibc.rtld.execstack", T::kInt32, 0, 2, 1, 42, kLast, ""},
    {"glibc.rtld.nns", T::kSizeT, 1, 16, 4, 32, kLast, ""},
    {"glibc.rtld.optional_static_tls", T::kSizeT, 0, kMaxU64, 512, 32, kLast,
     ""},
    {"glibc.tune.cached_memopt", T::kInt32, 0, 1, 0, 27, 28, "PowerPC"},
    {"glibc.tune.cpu", T::kString, 0, 0, {}, 26, 28, "AArch64"},
    {"glibc.tune.hwcap_mask", T::kUint64, 0, kMaxU64, {}, 26, 28, ""},
    {"glibc.tune.hwcaps", T::kString, 0, 0, {}, 26, 28, ""},
    {"glibc.tune.x86_data_cache_size", T::kSizeT, 0, kMaxU64, {}, 26, 28, ""},
    {"glibc.tune.x86_ibt", T::kString, 0, 0, {}, 28, 28, ""},
    {"glibc.tune.x86_non_temporal_threshold",
     T::kSizeT,
     0,
     kMaxU64,
     {},
     26,
     28,
     ""},
    {"glibc.tune.x86_shared_cache_size", T::kSizeT, 0, kMaxU64, {}, 26, 28, ""},
    {"glibc.tune.x86_shstk", T::kString, 0, 0, {}, 28, 28, ""},
};

}  // namespace

absl::Span<const CatalogueRow> AllCatalogueRows() { return kRows; }

const CatalogueRow* FindCatalogueRow(absl::string_view name,
                                     const GlibcBuild& build) {
  const bool is_later = FindOtherTunableBackport(build, name) != nullptr;
  for (const CatalogueRow& row : kRows) {
    if (row.name != name || !row.architecture.empty()) continue;
    if (is_later ? row.first_release > build.release()
                 : row.first_release <= build.release() &&
                       build.release() <= row.last_release) {
      return &row;
    }
  }
  // Of the memory functions: the parser's table tells the builds.
  for (const TunableRow& row : AllTunables()) {
    if (TunableName(build, row.tunable) == name &&
        HasTunable(build, row.tunable)) {
      return CatalogueRowsOf(name).back();
    }
  }
  return nullptr;
}

std::vector<const CatalogueRow*> CatalogueRowsOf(absl::string_view name) {
  std::vector<const CatalogueRow*> rows;
  for (const CatalogueRow& row : kRows) {
    if (row.name == name) rows.push_back(&row);
  }
  return rows;
}

std::vector<absl::string_view> CatalogueNames(const GlibcBuild& build) {
  std::vector<absl::string_view> names;
  for (const CatalogueRow& row : kRows) {
    if (FindCatalogueRow(row.name, build) == &row) names.push_back(row.name);
  }
  return names;
}

std::string BoundsOf(const CatalogueRow& row) {
  if (row.type == T::kInt32) {
    if (row.minimum == kMinI32) return "any number of 32 bits";
    if (row.maximum == kMaxI32) return absl::StrCat("at least ", row.minimum);
  } else if (row.maximum == kMaxU64) {
    return row.minimum == 0 ? std::string("any number")
                            : absl::StrCat("at least ", row.minimum);
  }
  return absl::StrCat(row.minimum, " to ", row.maximum);
}

bool IsInBounds(const CatalogueRow& row, uint64_t number) {
  if (row.type == T::kString) return true;
  if (row.type == T::kInt32) {
    const int64_t value = static_cast<int64_t>(number);
    return value >= row.minimum && value <= static_cast<int64_t>(row.maximum);
  }
  return number >= static_cast<uint64_t>(row.minimum) && number <= row.maximum;
}

}  // namespace advisor
