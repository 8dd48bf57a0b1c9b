// What a dynamic loader of glibc says of itself: the text of
// `ld.so --list-tunables` (2.33 and later) and `ld.so --list-diagnostics`
// (2.34 and later).
//
// Source of the formats: glibc, elf/dl-tunables.c (commit 86f65dffc239),
// elf/dl-diagnostics.c (commit 851f32cf7bf7) and
// sysdeps/x86/dl-diagnostics-cpu.c (commit 01a5746b6c8a).
//
// Both parsers take part of a listing too (a `grep x86` of it, say): what it
// lacks is nullopt. Blank lines and lines that start with '#' are skipped. A
// last line without its end is used only if it cannot have been cut short.
// Errors are InvalidArgument "NAME:LINE: expected ..., found ...".

#ifndef ADVISOR_GLIBC_LOADER_LISTING_H_
#define ADVISOR_GLIBC_LOADER_LISTING_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advisor/cpu/cpuid_source.h"

namespace advisor {

// INT_32, printed in decimal.
struct IntTunable {
  int64_t value;
  int64_t min;
  int64_t max;
};

// UINT_64 and SIZE_T, printed in hexadecimal.
struct SizeTunable {
  uint64_t value;
  uint64_t min;
  uint64_t max;
};

// STRING. nullopt: not set ("NAME:"), another fact than set to "" ("NAME: ").
struct StringTunable {
  std::optional<std::string> value;
};

using ListedTunable = std::variant<IntTunable, SizeTunable, StringTunable>;

struct TunablesListing {
  std::map<std::string, ListedTunable> tunables;
  // Lines "WARNING: ld.so: ..." (2.39 and later, when stderr was mixed in).
  std::vector<std::string> warnings;
  // The last line, if it was left out for having no end.
  std::optional<std::string> cut_line;

  // The value of a size ("glibc.cpu.x86_non_temporal_threshold"); nullopt if
  // it is not listed or of another type.
  std::optional<uint64_t> Size(absl::string_view name) const;
};

// A "features[0xINDEX]" group, EAX to EDX. `active` is what glibc uses of
// `cpuid` (before 2.34 was released it was called "usable").
struct FeatureWords {
  std::array<std::optional<uint32_t>, 4> cpuid;
  std::array<std::optional<uint32_t>, 4> active;
};

// The raw CPUID dump of one CPU (2.40 and later).
struct ListedProcessor {
  // The loader's count, from 0, and the kernel's number of the CPU that it
  // asked for and of the one that it ran on.
  uint32_t index = 0;
  std::optional<uint32_t> requested;
  std::optional<uint32_t> observed;
  std::optional<uint32_t> observed_node;
  // Whether all records that the loader announced are there. Only then is a
  // leaf or subleaf without a record known to be zero, and in `cpuid` as such.
  bool complete = false;
  CpuidTable cpuid;
};

struct DiagnosticsListing {
  // x86.cpu_features.basic. kind: 1 Intel, 2 AMD, 3 Zhaoxin; 4 is other up to
  // 2.40 and Hygon from 2.41, where 5 is other.
  std::optional<uint32_t> kind;
  std::optional<uint32_t> max_cpuid;
  std::optional<uint32_t> family;
  std::optional<uint32_t> model;
  std::optional<uint32_t> stepping;
  // By index of glibc's <sys/platform/x86.h>: 0 leaf 1, 1 leaf 7, ...
  std::map<uint32_t, FeatureWords> features;
  // "Prefer_No_VZEROUPPER" -> set or not.
  std::map<std::string, bool> preferred;
  // All other lines of x86.cpu_features by their name there: sizes and
  // thresholds in bytes ("data_cache_size", not rounded to 256 yet),
  // "level3_cache_assoc", "isa_1", "xsave_state_size", ...
  std::map<std::string, uint64_t> x86;
  std::vector<ListedProcessor> processors;
  // Every line that is not of x86: "version.version" -> "2.36". Bytes that are
  // not printable ASCII are lost: glibc (seen in 2.36) prints the first octal
  // digit of the escape twice and leaves the second out.
  std::map<std::string, std::variant<uint64_t, std::string>> other;
  std::vector<std::string> warnings;
  std::optional<std::string> cut_line;

  std::optional<uint64_t> X86(absl::string_view name) const;
  // nullopt for a number, too.
  std::optional<std::string> Text(absl::string_view key) const;
};

absl::StatusOr<TunablesListing> ParseTunablesListing(absl::string_view text,
                                                     absl::string_view name);
absl::StatusOr<DiagnosticsListing> ParseDiagnosticsListing(
    absl::string_view text, absl::string_view name);

// The values in force in a process that this loader starts, in bytes.
// data_cache_size and shared_cache_size are as listed: libc rounds them down to
// a multiple of 256 and, where that is not above 0 as a signed number, keeps
// its built-in 32 KiB and 1 MiB (2.33 and later, sysdeps/x86/cacheinfo.h).
struct EffectiveThresholds {
  std::optional<uint64_t> data_cache_size;
  std::optional<uint64_t> shared_cache_size;
  std::optional<uint64_t> non_temporal_threshold;
  std::optional<uint64_t> memset_non_temporal_threshold;  // 2.40 and later
  std::optional<uint64_t> rep_movsb_threshold;
  std::optional<uint64_t> rep_movsb_stop_threshold;  // no tunable: diagnostics
  std::optional<uint64_t> rep_stosb_threshold;

  bool operator==(const EffectiveThresholds& other) const;
  bool operator!=(const EffectiveThresholds& other) const {
    return !(*this == other);
  }
};

EffectiveThresholds ThresholdsOf(const TunablesListing& listing);
EffectiveThresholds ThresholdsOf(const DiagnosticsListing& listing);

// Diagnostics first, for they show the variables that libc copies; the list of
// tunables fills in what they lack. The two differ where a tunable does not fit
// its variable (2.33 to 2.40: rep_movsb_threshold has 32 bits).
EffectiveThresholds ThresholdsOf(const DiagnosticsListing& diagnostics,
                                 const TunablesListing& tunables);

}  // namespace advisor

#endif  // ADVISOR_GLIBC_LOADER_LISTING_H_
