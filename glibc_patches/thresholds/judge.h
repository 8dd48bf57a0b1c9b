// Judges the threshold code of a patched tree against its base.

#ifndef GLIBC_PATCHES_THRESHOLDS_JUDGE_H_
#define GLIBC_PATCHES_THRESHOLDS_JUDGE_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advisor/host/clock.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/subprocess.h"
#include "glibc_patches/thresholds/threshold_result.h"

namespace glibc_patches {

struct ThresholdInput {
  std::string base, patched;  // source trees
  std::string release;        // "2.36"
  // Files of the patch that are threshold code, and others that it may include.
  std::vector<std::string> files, included_files;
  // This project or its runfiles: build_probe.sh, testdata/cpuid.
  std::string root;
  std::string scratch;  // an existing folder
  bool thorough = false;
};

struct ThresholdDoors {
  const advisor::FileReader& files;
  const advisor::Subprocess& subprocess;
  const advisor::Clock& clock;
  // A line about what goes on, and the share that is done.
  std::function<void(absl::string_view, double)> progress;
};

// An error is one of this machine or this program; that a tree does not compile
// is in the result. Cancelled after a signal.
absl::StatusOr<ThresholdResult> JudgeThresholds(const ThresholdInput& input,
                                                const ThresholdDoors& doors);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_THRESHOLDS_JUDGE_H_
