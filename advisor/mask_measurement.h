// What masks cost or gain on this machine: the real libc in fresh processes,
// with a mask against without.

#ifndef ADVISOR_MASK_MEASUREMENT_H_
#define ADVISOR_MASK_MEASUREMENT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/evidence/variant_study.h"
#include "advisor/glibc/build.h"
#include "advisor/masks/mask.h"
#include "advisor/measurement.h"
#include "advisor/report.h"

namespace advisor {

// A mask is proposed only if calls then take less than this of their time, for
// it reaches further than memcpy and memset.
inline constexpr double kMaskWorth = 0.97;

// What masks are weighed for.
struct MaskWeighing {
  const CpuidTable& cpuid;
  GlibcBuild build;
  // Of the installed libc (ElfFile::isa_level).
  std::optional<int> isa_level;
  std::string loader_path;
  // GLIBC_TUNABLES with the thresholds that are recommended; may be empty.
  std::string glibc_tunables;
};

// A coherent mask under which other variants are selected here.
struct MaskCandidate {
  Mask mask;
  VariantCandidate variants;
};

// Those worth a trial: without AVX-512, without ERMS, with and without
// Prefer_No_AVX512, without AVX_Fast_Unaligned_Load where the vendor is one for
// which later releases clear it. No two select the same variants.
std::vector<MaskCandidate> MaskCandidates(const MaskWeighing& weighing);

struct MaskAdvice {
  // All candidates.
  std::vector<MaskTrial> trials;
  // What is to be set, as Report's; empty where no mask is proved.
  std::vector<TunableSetting> settings;
  // GLIBC_TUNABLES with it.
  std::string string;
  // nullopt where nothing was promising.
  std::optional<Proof> proof;
  // Empty where nothing was promising.
  std::string reason;
};

// All candidates in one short study; the best of them, if it is promising, in
// another with fresh processes. Quick takes 2.5 s, and 3 s more for the proof.
// Errors as MeasureAndAdvise's.
absl::StatusOr<MaskAdvice> WeighMasks(const MaskWeighing& weighing,
                                      const MeasurementDoors& doors,
                                      const MeasurementOptions& options);

// What the mask of `candidate` costs against `base`, in about 3 s.
struct MaskCosts {
  std::vector<VariantCost> costs;
  int processes = 0;
  // As Proof's.
  double noise_floor = 0;
  double steal = 0;
};
absl::StatusOr<MaskCosts> MeasureMaskCosts(const std::string& base,
                                           const VariantCandidate& candidate,
                                           const MeasurementDoors& doors,
                                           uint64_t seed);

}  // namespace advisor

#endif  // ADVISOR_MASK_MEASUREMENT_H_
