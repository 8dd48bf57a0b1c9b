// A glibc tree's own threshold code, run with the CPUID of a dump.
//
// build_probe.sh compiles the tree's files as they stand; nothing of them is
// here. The model in advisor/glibc says what a release computes; a probe is
// that release, or a patched one.

#ifndef GLIBC_PATCHES_THRESHOLDS_PROBE_H_
#define GLIBC_PATCHES_THRESHOLDS_PROBE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advisor/cpu/cpuid_source.h"

namespace glibc_patches {

enum class ProbeEnd {
  kAnswered,
  kCrashed,  // a signal: a division by zero, a failed assertion, ...
  kHung,     // it asked CPUID without end, or used up its CPU time
  // No statement about the tree: the child could not be run.
  kNotRun,
};

// "non_temporal_threshold" -> "786432", "variant.memmove" ->
// "__memmove_evex_unaligned_erms".
//
//   NAME                 a member of struct cpu_features, a size or threshold
//   __x86_NAME           a variable that the kernels read
//   tunable.NAME[.min|.max]  a numeric row of ld.so --list-tunables
//   usable.NAME, cpuid.NAME  a CPU feature after the mask; before 2.29, raw
//   preferred.NAME       a flag of the selectors
//   variant.FUNCTION     what the selector returned
using ProbeValues = std::map<std::string, std::string, std::less<>>;

struct ProbeRun {
  ProbeEnd end = ProbeEnd::kNotRun;
  // Unless it answered: "SIGFPE", "asks CPUID leaf 0x4 without end".
  std::string what;
  // "NAME VALUE" lines, for a quick comparison, and ParseProbeLines().
  std::string lines;
};

ProbeValues ParseProbeLines(absl::string_view lines);

// Numeric value of `name`; nullopt where there is none.
std::optional<uint64_t> ProbeNumber(const ProbeValues& values,
                                    absl::string_view name);

// Names without "glibc.cpu." and values as they stand in GLIBC_TUNABLES.
using ProbeTunables = std::vector<std::pair<std::string, std::string>>;

class Probe {
 public:
  // `path` is a probe.so of build_probe.sh. It stays loaded until the process
  // ends.
  static absl::StatusOr<Probe> Load(const std::string& path);

  // In a child process, with limits on time and memory. Answers that `cpu` does
  // not have are zero. XCR0 that it does not have is taken from leaf 0xD.
  ProbeRun Run(const advisor::CpuidSource& cpu,
               const ProbeTunables& tunables) const;

 private:
  explicit Probe(void* function) : function_(function) {}
  void* function_;
};

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_THRESHOLDS_PROBE_H_
