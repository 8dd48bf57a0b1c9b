// What glibc's start-up code reads from CPUID before it selects anything:
// vendor kind, family and model, feature bits, and the preferred flags that
// each release derives from them.
//
// Source: sysdeps/x86/cpu-features.c of each release.

#ifndef ADVISOR_GLIBC_CPU_FEATURES_H_
#define ADVISOR_GLIBC_CPU_FEATURES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/step.h"

namespace advisor {

enum class CpuKind { kIntel, kAmd, kZhaoxin, kHygon, kOther };

// "Intel", ..., "other".
absl::string_view CpuKindName(CpuKind kind);

// glibc's number for `kind`, as --list-diagnostics prints it.
int CpuKindNumber(CpuKind kind, const GlibcBuild& build);

// The CPUID bits that selectors, thresholds or the hwcaps mask name.
enum class Feature {
  kCx8,
  kCmov,
  kSse2,
  kHtt,
  kSsse3,
  kFma,
  kSse4_1,
  kSse4_2,
  kMovbe,
  kPopcnt,
  kXsave,
  kOsxsave,
  kAvx,
  kBmi1,
  kAvx2,
  kBmi2,
  kErms,
  kRtm,
  kAvx512f,
  kAvx512dq,
  kAvx512pf,
  kAvx512er,
  kAvx512cd,
  kAvx512bw,
  kAvx512vl,
  kShstk,
  kFsrm,
  kRtmAlwaysAbort,
  kIbt,
  kAvxVnni,
  kXsavec,
  kLzcnt,
  kFma4,
};
inline constexpr int kFeatureCount = static_cast<int>(Feature::kFma4) + 1;

// glibc's name: "AVX512VL".
absl::string_view FeatureName(Feature feature);
// "7:0:EBX[31]".
std::string FeatureSource(Feature feature);
// By glibc's name; nullopt for one that is not in the table.
std::optional<Feature> FeatureByName(absl::string_view name);

// glibc's preferred (or arch) flags.
enum class Flag {
  kI586,
  kI686,
  kSlowBsf,
  kSlowSse42,
  kFastRepString,
  kFastUnalignedLoad,
  kFastUnalignedCopy,
  kFastCopyBackward,
  kPreferPminubForStringop,
  kAvxFastUnalignedLoad,
  kPreferNoVzeroupper,
  kPreferNoAvx512,
  kMathVecPreferNoAvx512,
  kPreferErms,
  kPreferFsrm,
  kPreferAvx2Strcmp,
  kPreferMap32BitExec,
  kAvoidShortDistanceRepMovsb,
  kAvoidNonTemporalMemset,
  kAvoidStosb,
};
inline constexpr int kFlagCount = static_cast<int>(Flag::kAvoidStosb) + 1;

absl::string_view FlagName(Flag flag);
std::optional<Flag> FlagByName(absl::string_view name);

// A small set of an enumeration's values.
template <typename Enum>
class EnumSet {
 public:
  bool Contains(Enum value) const { return (bits_ >> Index(value)) & 1; }
  void Set(Enum value, bool on = true) {
    const uint64_t bit = uint64_t{1} << Index(value);
    bits_ = on ? bits_ | bit : bits_ & ~bit;
  }
  void Clear(Enum value) { Set(value, false); }
  bool operator==(const EnumSet& other) const { return bits_ == other.bits_; }

 private:
  static int Index(Enum value) { return static_cast<int>(value); }
  uint64_t bits_ = 0;
};

struct CpuFeatures {
  CpuKind kind = CpuKind::kOther;
  uint32_t family = 0;  // 0, like model, for CpuKind::kOther.
  uint32_t model = 0;
  uint32_t stepping = 0;
  uint32_t max_leaf = 0;
  // CPUID.1:EBX[23:16]; 0 for CpuKind::kOther, which never reads leaf 1.
  uint32_t logical_processor_count = 0;

  EnumSet<Feature> cpuid;
  // What the operating system lets programs use, too.
  EnumSet<Feature> usable;
  EnumSet<Flag> flags;

  // glibc's name of the micro-architecture; empty for all but Intel's.
  absl::string_view microarch;
  // cachesize_non_temporal_divisor, in builds that have it.
  uint32_t non_temporal_divisor = 4;

  // Which set answers a selector's question: from Change::kUsableBits on the
  // usable one; before, that one only for features that need the operating
  // system.
  bool one_usable_bit = false;
  bool Active(Feature feature) const;
  // Clears the bit that Active reads (and, in the older builds, `-AVX2` in a
  // mask clears the CPUID bit instead: see hwcaps_mask).
  void Deactivate(Feature feature);
};

// The state before the hwcaps mask is applied.
CpuFeatures DetectCpuFeatures(const CpuidSource& cpu, const GlibcBuild& build,
                              const StepRecorder& steps);

// What start-up does after the mask, in builds with Change::kXsaveDependents:
// without OSXSAVE, or XSAVE and XSAVEC, the features that need it are cleared.
void ClearXsaveDependents(const GlibcBuild& build, CpuFeatures& features);

}  // namespace advisor

#endif  // ADVISOR_GLIBC_CPU_FEATURES_H_
