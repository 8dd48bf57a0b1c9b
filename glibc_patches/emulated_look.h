// The part of a verdict on variants that this CPU cannot run.

#ifndef GLIBC_PATCHES_EMULATED_LOOK_H_
#define GLIBC_PATCHES_EMULATED_LOOK_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "advisor/host/environment.h"
#include "advisor/host/subprocess.h"
#include "glibc_patches/emulation.h"
#include "glibc_patches/verdict.h"

namespace glibc_patches {

struct LackingVariant {
  std::string name;     // "__memset_avx2_unaligned_erms"
  std::string feature;  // "AVX2"
  // Stands for others of its source file (check_plan.h).
  bool representative = true;
};

struct EmulatedLook {
  // nullopt: there is none, and all variants are skipped.
  std::optional<Emulator> emulator;
  std::string program;                    // this program
  std::string built_base, built_patched;  // folders of build_tree.sh
  uint64_t seed = 1;
  const advisor::Environment& environment;
  const advisor::Subprocess& subprocess;
  // Called before each variant, and after each check of it.
  std::function<void(const std::string&)> progress;
  std::function<void(const CheckResult&)> checked;
};

// Runs each variant under the emulator, until one is wrong, and adds to
// verdict.checks, base_failures, unmeasured, and skipped. An error only after a
// signal (Cancelled): an emulator that fails is a reason to skip.
absl::Status LookUnderEmulator(absl::Span<const LackingVariant> variants,
                               const EmulatedLook& look, Verdict& verdict);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_EMULATED_LOOK_H_
