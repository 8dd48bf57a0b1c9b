// Judges a built patched tree against a built base.

#ifndef GLIBC_PATCHES_VALIDATION_H_
#define GLIBC_PATCHES_VALIDATION_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "advisor/host/clock.h"
#include "advisor/host/dialogue.h"
#include "advisor/host/environment.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/subprocess.h"
#include "glibc_patches/speed_weights.h"
#include "glibc_patches/verdict.h"

namespace glibc_patches {

// The first argument of the process that measures; the others are NAME=PATH for
// LoadTree() (loaded_trees.h). This program starts itself.
inline constexpr char kMeasurementWorker[] = "--measurement-worker";

enum class ValidationEffort { kQuick, kNormal, kThorough };

struct ValidationDoors {
  const advisor::FileReader& files;
  const advisor::DialogueStarter& dialogues;
  const advisor::Subprocess& subprocess;
  const advisor::Environment& environment;
  const advisor::Clock& clock;
  // A line about what goes on, and the share that is done.
  std::function<void(absl::string_view, double)> progress;
  // Called once a check has an answer.
  std::function<void(const CheckResult&)> checked;
};

struct ValidationInput {
  std::string built_base, built_patched;  // folders of build_tree.sh
  // For a copy of the base's shared objects.
  std::string scratch;
  ValidationEffort effort = ValidationEffort::kNormal;
  uint64_t seed = 1;
  // Whose calls decide which cells matter.
  CallMix mix;
  // CPU features (glibc's names) to do without, as if this CPU had not them.
  std::vector<std::string> without;
};

// Fills in all of `verdict` that comes from running the code, and decides.
// Loads the trees into this process: once in its life. An error means that the
// machine or the input is not fit for it; Cancelled after a signal.
absl::Status Validate(const ValidationInput& input,
                      const ValidationDoors& doors, Verdict& verdict);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_VALIDATION_H_
