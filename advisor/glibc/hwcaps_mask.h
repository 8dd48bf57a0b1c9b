// The mask tunable (glibc.tune.hwcaps, glibc.cpu.hwcaps): which names each
// release accepts and what they change.
//
// Source: TUNABLE_CALLBACK (set_hwcaps) in sysdeps/x86/cpu-tunables.c.

#ifndef ADVISOR_GLIBC_HWCAPS_MASK_H_
#define ADVISOR_GLIBC_HWCAPS_MASK_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/change.h"
#include "advisor/glibc/cpu_features.h"
#include "advisor/glibc/tunables.h"

namespace advisor {

enum class MaskAction {
  kClearFeature,     // "-AVX2": the bit that start-up looked at.
  kClearUsable,      // "-AVX2_Usable".
  kSetClearFeature,  // "SHSTK", set only if CPUID has it.
  kClearFlag,        // "-I686".
  kSetClearFlag,     // "Prefer_ERMS", "-Prefer_ERMS".
  kNothing,          // Accepted; no effect on the memory functions.
};

struct MaskNameRow {
  absl::string_view name;
  MaskAction action;
  std::optional<Feature> feature;
  std::optional<Flag> flag;
  // Setting the flag needs this feature.
  std::optional<Feature> needs;
  std::optional<Change> since;  // nullopt: in every build covered.
  std::optional<Change> until;  // Gone with this change.
};

// Sorted by name, then age.
absl::Span<const MaskNameRow> AllMaskNames();

// nullptr: the build ignores the name.
const MaskNameRow* FindMaskName(absl::string_view name,
                                const GlibcBuild& build);

struct MaskItem {
  std::string text;  // "-AVX2"
  // The build knows the name, and that name can be set or cleared so.
  bool accepted = false;
  // It changed a bit or a flag.
  bool effective = false;
  // Read from behind the mask's end by an old parser.
  bool behind_end = false;
};

// Applies `mask` to `features`. `behind` is what follows it in memory
// (ParsedTunables::behind_hwcaps), for the builds whose parser goes on there.
std::vector<MaskItem> ApplyHwcapsMask(absl::string_view mask,
                                      absl::string_view behind,
                                      const GlibcBuild& build,
                                      CpuFeatures& features);

}  // namespace advisor

#endif  // ADVISOR_GLIBC_HWCAPS_MASK_H_
