// What a patch to the threshold code changes: part of a verdict.

#ifndef GLIBC_PATCHES_THRESHOLDS_THRESHOLD_RESULT_H_
#define GLIBC_PATCHES_THRESHOLDS_THRESHOLD_RESULT_H_

#include <string>
#include <vector>

namespace glibc_patches {

// One value. Names are glibc's: "non_temporal_threshold", "memmove" for a
// selected variant, "usable RTM", "preferred Prefer_No_AVX512", "listed minimum
// of x86_rep_movsb_threshold" for what ld.so --list-tunables shows.
struct ThresholdChange {
  std::string name;
  std::string before;
  std::string after;

  bool operator==(const ThresholdChange& other) const {
    return name == other.name && before == other.before && after == other.after;
  }
};

// What changes alike on these CPUs.
struct ThresholdRow {
  // "glibc.cpu.x86_rep_movsb_threshold=256", each alone; none: without
  // tunables. A row with some has only what does not change without them; a
  // value that is the tunable's is "as set".
  std::vector<std::string> tunables;
  std::vector<ThresholdChange> changes;
  std::vector<std::string> cpus;  // names of dumps
};

// A fault of the patched code that the base has not on the same CPU.
struct ThresholdFault {
  std::string tunables;
  std::string what;
  std::vector<std::string> cpus;
};

struct ThresholdResult {
  // Files that the probes were made from, and those of the patch that they
  // were not.
  std::vector<std::string> judged_files;
  std::vector<std::string> unused_files;
  // Not empty: this tree cannot be judged, and why (the compiler's message).
  std::string not_built;
  // Object files or lists of tunables and names differ.
  bool code_differs = false;

  int cpus = 0;
  // Stopped early: code that does not end takes a second each time.
  bool too_many_hangs = false;
  // Runs of each tree, with and without tunables.
  int runs = 0;
  std::vector<ThresholdRow> rows;
  std::vector<ThresholdFault> faults;
  // CPUs on which the base has faults without tunables, and of these, those on
  // which the patched code has none.
  int base_faulty_cpus = 0;
  int repaired_cpus = 0;
  // Runs that could not be started: no statement about the code.
  int not_run = 0;
  double seconds = 0;
};

// CPUs in `result.rows` without tunables: those with another value.
int ChangedCpus(const ThresholdResult& result);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_THRESHOLDS_THRESHOLD_RESULT_H_
