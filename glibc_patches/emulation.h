// Checks of variants that this CPU lacks, under an emulator of a CPU that has
// them.

#ifndef GLIBC_PATCHES_EMULATION_H_
#define GLIBC_PATCHES_EMULATION_H_

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/host/environment.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/subprocess.h"
#include "glibc_patches/checks/check.h"

namespace glibc_patches {

// The first argument of the process that the emulator runs: this program.
inline constexpr char kEmulatedChecks[] = "--emulated-checks";

struct Emulator {
  std::string program;  // its path
  std::string model;    // "max"

  // "qemu-x86_64 -cpu max"
  std::string Describe() const;
};

// QEMU's user-mode emulator in $PATH (package qemu-user), with all that it can
// emulate; nullopt where there is none.
std::optional<Emulator> FindEmulator(const advisor::Environment& environment,
                                     const advisor::FileReader& files);

struct EmulatedRun {
  std::string program;    // this program
  std::string tree_path;  // for LoadTree()
  std::string tree_name;
  std::string variant;
  // Stands for others of its source file (check_plan.h).
  bool representative = true;
  uint64_t seed = 1;
  // Ids; empty: all that an emulator can tell about.
  std::vector<std::string> only;
  // Another tree, by the name `base`, for CheckContext::base; empty: none.
  std::string base_path;
};

// Runs the checks of FirstLook() (check_plan.h) that run the variant; the
// others need no emulator. Those that an emulator cannot tell about are skipped
// with the reason. Each that needs the CPU is skipped with "needs AVX512VL"
// when the emulated one lacks it too. An error says why there is no answer;
// Cancelled after a signal.
absl::StatusOr<std::vector<CheckResult>> RunEmulated(
    const Emulator& emulator, const EmulatedRun& run,
    const advisor::Environment& environment,
    const advisor::Subprocess& subprocess);

// Why this check is not made under an emulator; nullopt: it is.
std::optional<std::string> WhyNotEmulated(absl::string_view check_id);

// main() of the process that the emulator runs; `words` follow kEmulatedChecks.
// Loads the tree and writes the results as RunEmulated() reads them.
int ServeEmulatedChecks(absl::Span<const std::string> words,
                        std::ostream& output);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_EMULATION_H_
