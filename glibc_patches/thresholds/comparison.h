// Two probes, base and patched, on every dump and with tunables.

#ifndef GLIBC_PATCHES_THRESHOLDS_COMPARISON_H_
#define GLIBC_PATCHES_THRESHOLDS_COMPARISON_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/host/file_reader.h"
#include "glibc_patches/thresholds/probe.h"
#include "glibc_patches/thresholds/threshold_result.h"

namespace glibc_patches {

struct NamedCpu {
  std::string name;  // the file's, without ".txt"
  advisor::CpuidTable cpu;
};

// Every dump (first CPU) in `folder` and its folder "field", sorted by name.
// NotFound when there is none.
absl::StatusOr<std::vector<NamedCpu>> ReadDumps(
    const std::string& folder, const advisor::FileReader& files);

// The values that differ, by the names of ThresholdChange. A value that several
// places hold (a variable, a member of cpu_features, a tunable's record) is one
// change; the variable that the kernels read counts.
std::vector<ThresholdChange> ChangesBetween(const ProbeRun& base,
                                            const ProbeRun& patched);

struct ComparisonOptions {
  std::string release;  // "2.36"
  // "glibc.cpu." or, up to 2.28, "glibc.tune.".
  std::string tunable_namespace = "glibc.cpu.";
  // Tunables on every dump; otherwise on one of each kind of CPU, and on those
  // that change without them.
  bool thorough = false;
  // Masks for every name of glibc.cpu.hwcaps, not only the usual ones.
  bool all_masks = false;
  std::function<void(double)> progress;
  // Ends early with what is known when it says so.
  std::function<bool()> interrupted;
};

// Fills in all of `result` that comes from running the probes. Each dump is run
// without tunables, then with: every numeric tunable at its bounds, by the list
// and as start-up narrows them, just outside of them, and in the middle; masks.
void CompareProbes(const Probe& base, const Probe& patched,
                   const std::vector<NamedCpu>& cpus,
                   const ComparisonOptions& options, ThresholdResult& result);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_THRESHOLDS_COMPARISON_H_
