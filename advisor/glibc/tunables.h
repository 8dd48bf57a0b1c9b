// The tunables of the x86-64 memory functions, and how each release reads the
// GLIBC_TUNABLES string.
//
// Source: elf/dl-tunables.c, sysdeps/x86/dl-tunables.list and the other lists,
// 2.26 to 2.42; _dl_strtoul in elf/dl-misc.c.

#ifndef ADVISOR_GLIBC_TUNABLES_H_
#define ADVISOR_GLIBC_TUNABLES_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/change.h"

namespace advisor {

enum class Tunable {
  kHwcaps,
  kX86DataCacheSize,
  kX86SharedCacheSize,
  kX86NonTemporalThreshold,
  kX86RepMovsbThreshold,
  kX86RepStosbThreshold,
  kX86MemsetNonTemporalThreshold,
  kX86Ibt,
  kX86Shstk,
  kPreferMap32BitExec,
  kPltRewrite,
  kHwcapMask,
};
inline constexpr int kTunableCount = static_cast<int>(Tunable::kHwcapMask) + 1;

enum class TunableType { kString, kSizeT, kUint64, kInt32 };

struct TunableRow {
  Tunable tunable;
  // The last component: "x86_non_temporal_threshold".
  absl::string_view name;
  TunableType type;
  // Of the list, before start-up narrows them. Bytes for sizes.
  uint64_t list_default;
  uint64_t minimum;
  uint64_t maximum;
  std::optional<Change> since;  // nullopt: in every build covered.
  std::optional<Change> until;  // Gone with this change.
};

// In the order of the enumeration.
absl::Span<const TunableRow> AllTunables();
const TunableRow& TunableRowOf(Tunable tunable);

bool HasTunable(const GlibcBuild& build, Tunable tunable);
// "glibc.cpu.x86_non_temporal_threshold", as the build spells it.
std::string TunableName(const GlibcBuild& build, Tunable tunable);
// What the list holds before anything is set.
uint64_t TunableListDefault(const GlibcBuild& build, Tunable tunable);

// A tunable of another part of glibc.
struct OtherTunableRow {
  absl::string_view name;  // In full: "glibc.malloc.arena_max".
  int first_release;       // The NN of 2.NN.
};
// Sorted by name.
absl::Span<const OtherTunableRow> AllOtherTunables();

// A stable branch that took such a tunable, or its bounds, from a later
// release.
struct OtherTunableBackport {
  absl::string_view name;
  int release;  // The NN of release/2.NN/master.
  absl::string_view date;
  absl::string_view commit;
};
// Sorted by name, then release.
absl::Span<const OtherTunableBackport> AllOtherTunableBackports();
// nullptr: the build has none for that name.
const OtherTunableBackport* FindOtherTunableBackport(const GlibcBuild& build,
                                                     absl::string_view name);

// What became of one item of the string.
enum class AssignmentOutcome {
  kSet,           // Taken into the tunable's record.
  kOtherTunable,  // A tunable of another part of glibc.
  kUnknownName,   // Skipped without a word.
  kNoValue,       // No '=' in it; skipped without a word.
  kOutOfRange,    // Outside the list's bounds; skipped without a word.
  kNotANumber,    // Skipped, with a warning on standard error.
  kSuperseded,    // A later item of the same name is looked at instead.
  kRejected,      // The whole string is ill-formed.
  kSecureOnly,    // glibc.rtld.enable_secure=1 switches the others off.
};

struct TunableAssignment {
  std::string name;
  std::string value;
  std::optional<Tunable> tunable;
  AssignmentOutcome outcome;
  uint64_t number = 0;  // As parsed, for numeric tunables.
  // The number ended before the value did ("100k" read as 100).
  bool trailing_garbage = false;
  // Read by mistake, from inside another item's value (CVE-2023-4911).
  bool second_look = false;
};

struct ParsedTunables {
  std::vector<TunableAssignment> assignments;
  // What ld.so prints on standard error.
  std::vector<std::string> warnings;

  // The numbers in the records; meaningless for strings.
  std::array<uint64_t, kTunableCount> numbers{};
  std::array<bool, kTunableCount> is_set{};
  std::optional<std::string> hwcaps;
  // What an old mask parser goes on to read behind the mask: the rest of the
  // variable, with NUL where the loader cut it. What follows in the environment
  // is not known here.
  std::string behind_hwcaps;

  bool IsSet(Tunable tunable) const {
    return is_set[static_cast<int>(tunable)];
  }
  uint64_t Number(Tunable tunable) const {
    return numbers[static_cast<int>(tunable)];
  }
};

// `text` is the value of the variable, as given to a program that is not
// AT_SECURE.
ParsedTunables ParseTunables(absl::string_view text, const GlibcBuild& build);

// glibc's strtoul: blanks, a sign, then 0x hexadecimal, leading-0 octal or
// decimal; no suffixes.
struct ParsedNumber {
  uint64_t value;
  size_t length;  // Characters read; on overflow, up to the digit too many.
};
ParsedNumber ParseTunableNumber(absl::string_view text);

}  // namespace advisor

#endif  // ADVISOR_GLIBC_TUNABLES_H_
