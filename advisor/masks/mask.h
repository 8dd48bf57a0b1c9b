// A coherent hwcaps mask for a purpose: what must not be used is not, and of
// what is left glibc selects the variants that suit the CPU.
//
// Incoherent masks are common. Examples, all by glibc's own selectors: `-AVX2`
// leaves memmove on its AVX variant; on Zen 3 `-AVX_Fast_Unaligned_Load` gets
// it the ssse3 variant that is meant for Core 2; `-RTM` on a CPU without
// AVX512VL leaves Prefer_No_VZEROUPPER set, and with it SSE2.

#ifndef ADVISOR_MASKS_MASK_H_
#define ADVISOR_MASKS_MASK_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/merge_tunables.h"
#include "advisor/masks/masked_choice.h"
#include "advisor/masks/purpose_items.h"
#include "advisor/masks/purpose_table.h"

namespace advisor {

struct MaskCpu {
  std::string name;  // "this machine", a dump's path
  CpuidTable cpuid;
};

struct MaskQuestion {
  const PurposeRow* purpose = nullptr;
  GlibcBuild build = GlibcBuild::Tag(kLastRelease);
  // The x86-64 level that libc was compiled for, 1 to 4 (ElfFile::isa_level);
  // nullopt: not known, taken for 1.
  // From level 2 on, 2.36 and later do not ask for what the level has.
  std::optional<int> isa_level;
  // At least one, and the purpose's least_cpus.
  std::vector<MaskCpu> cpus;
  // The value of GLIBC_TUNABLES that is there already; may be empty.
  std::string glibc_tunables;
};

struct MaskedCpu {
  std::string name;
  MaskedChoice before;
  MaskedChoice after;
};

struct Mask {
  // "-AVX512F,-AVX512VL": the items that this purpose needs; may be empty.
  std::string items;
  // With those that the environment's mask has beyond them.
  std::string value;
  // What is to be set, hwcaps last. Empty where nothing needs to be.
  std::vector<TunableValue> settings;
  // The whole value for GLIBC_TUNABLES.
  std::string glibc_tunables;
  // In the order of the question.
  std::vector<MaskedCpu> cpus;
  std::vector<UnhiddenFeature> unhidden;
  // Why the purpose is not reached; whole sentences. Empty: it is.
  std::vector<std::string> failures;
  // What the mask cannot do here; whole sentences.
  std::vector<std::string> limits;
  // For a purpose that pins.
  std::vector<UnpinnedRow> unpinned;

  bool reached() const { return failures.empty(); }
};

// InvalidArgument where there are too few CPUs for the purpose, or start-up
// hangs on one of them.
absl::StatusOr<Mask> ComposeMask(const MaskQuestion& question);

}  // namespace advisor

#endif  // ADVISOR_MASKS_MASK_H_
