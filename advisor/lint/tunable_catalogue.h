// Every tunable of glibc, in every release from 2.26 to 2.42, with the bounds
// of its list. What the x86-64 memory functions make of their own ones is in
// advisor/glibc/tunables.h; this is the rest of what a GLIBC_TUNABLES may hold.
//
// Source: elf/dl-tunables.list, sysdeps/nptl/dl-tunables.list and the lists of
// the architectures, as of each release's tag.

#ifndef ADVISOR_LINT_TUNABLE_CATALOGUE_H_
#define ADVISOR_LINT_TUNABLE_CATALOGUE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/glibc/tunables.h"

namespace advisor {

struct CatalogueRow {
  absl::string_view name;  // In full: "glibc.malloc.arena_max".
  TunableType type;
  // Both included; 0 for strings.
  int64_t minimum;
  uint64_t maximum;
  // nullopt: the list gives none (that is 0 for numbers, unset for strings).
  std::optional<int64_t> list_default;
  // The NN of the first and the last 2.NN with just this row.
  int first_release;
  int last_release;
  // The only architecture that has it; empty for x86-64 and for all.
  absl::string_view architecture;
};

// Sorted by name, then release. A name has one row for each set of bounds.
absl::Span<const CatalogueRow> AllCatalogueRows();

// nullptr: the build has no such tunable, on x86-64. What a stable branch took
// from a later release has that one's row.
const CatalogueRow* FindCatalogueRow(absl::string_view name,
                                     const GlibcBuild& build);

// Every row of that name; empty: no release has it.
std::vector<const CatalogueRow*> CatalogueRowsOf(absl::string_view name);

// All names on x86-64 in that build, sorted.
std::vector<absl::string_view> CatalogueNames(const GlibcBuild& build);

// "0 to 1", "at least 50", "any number".
std::string BoundsOf(const CatalogueRow& row);

// Whether the list of the row takes the number, as glibc compares: 32-bit
// tunables as signed.
bool IsInBounds(const CatalogueRow& row, uint64_t number);

}  // namespace advisor

#endif  // ADVISOR_LINT_TUNABLE_CATALOGUE_H_
