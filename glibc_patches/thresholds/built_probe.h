// Probes built by build_probe.sh, and whether two are the same code.

#ifndef GLIBC_PATCHES_THRESHOLDS_BUILT_PROBE_H_
#define GLIBC_PATCHES_THRESHOLDS_BUILT_PROBE_H_

#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/subprocess.h"

namespace glibc_patches {

// Runs build_probe.sh of `root` (this project or its runfiles). InvalidArgument
// with the compiler's first message when `source` cannot be compiled.
absl::Status BuildProbe(const std::string& source, const std::string& out,
                        const std::string& root,
                        const advisor::Subprocess& subprocess);

// Whether object files, or the lists of tunables and names, differ. Comments
// and the place of the tree make no difference.
absl::StatusOr<bool> ProbesDiffer(const std::string& base,
                                  const std::string& patched,
                                  const advisor::FileReader& files);

// The files (paths in the tree) that a probe was made from.
absl::StatusOr<std::set<std::string>> FilesOfProbe(
    const std::string& built, const advisor::FileReader& files);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_THRESHOLDS_BUILT_PROBE_H_
