// A mix of calls: how often memcpy, memmove, mempcpy and memset are called with
// which size, between what kind of buffers. Recorded from a program
// (tools/record_sizes) or stated by hand; testdata/schema has its file's
// schema.

#ifndef ADVISOR_WORKLOAD_WORKLOAD_H_
#define ADVISOR_WORKLOAD_WORKLOAD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace advisor {

struct WorkloadProvenance {
  // false: stated by hand.
  bool is_recorded = true;
  std::string program;    // "g++"
  std::string version;    // "12.2.0"; may be empty
  std::string arguments;  // one line
  std::string machine;    // CPU, hypervisor, kernel
  std::string glibc;      // "2.36-9+deb12u14"
  std::string date;       // "2026-11-30"
  // Of a synthetic one: after what. Of a recorded one: under which load; may be
  // empty.
  std::string source;
  uint64_t processes = 0;
  // What the recorder could not see.
  std::vector<std::string> not_seen;
  struct Program {
    std::string name;
    uint64_t processes = 0;
    uint64_t calls = 0;
  };
  // Which programs called, by calls; the most frequent ones.
  std::vector<Program> programs;
};

// Calls of sizes from `from` on, `bytes` in total: their mean size stands for
// them.
struct SizeCount {
  uint64_t from = 0;
  uint64_t calls = 0;
  uint64_t bytes = 0;

  uint64_t mean() const { return calls == 0 ? from : bytes / calls; }
};

struct FunctionSizes {
  std::string function;  // "memcpy", "memmove", "mempcpy", "memset"
  // Ascending, without rows of no calls.
  std::vector<SizeCount> sizes;

  bool is_memset() const { return function == "memset"; }
  uint64_t calls() const;
  uint64_t bytes() const;
};

// What was seen of some calls with sizes from `from` to `to` (both included).
// Shares of `observed`, 0 to 1.
struct SizeDetail {
  uint64_t from = 0;
  uint64_t to = 0;
  uint64_t observed = 0;
  // Modulo 64; together 1. memset has no source: only the first two.
  double aligned = 0;
  double destination_misaligned = 0;
  double source_misaligned = 0;
  double both_misaligned = 0;
  // The destination begins 1 to 255 bytes past the source, modulo 4096.
  double page_aliasing = 0;
  // The destination begins before the source, or after it; same place.
  double overlap_forward = 0;
  double overlap_backward = 0;
  double same_address = 0;
  // Bytes between buffers that do not overlap; the rest is farther apart.
  double gap_below_4k = 0;
  double gap_below_1m = 0;
  // The destination was the source of one of the next calls: a lower bound of
  // what is read soon, for a program's own loads cannot be seen.
  double read_back = 0;
  // It had been the destination of one of the calls before.
  double rewritten = 0;
};

// What is known of all calls from outside; shares of calls, 0 to 1.
struct WorkloadConditions {
  // Buffers in use; fresh buffers; destinations read soon after; destinations
  // that only a device reads. Together 1.
  double hot = 0;
  double cold = 0;
  double read_back = 0;
  double write_once = 0;
  // Made while all other CPUs copy, too; nullopt: not stated.
  std::optional<double> all_cores;
};

struct Workload {
  std::string name;
  WorkloadProvenance provenance;
  // In the order memcpy, memmove, mempcpy, memset; none without calls.
  std::vector<FunctionSizes> functions;
  // Ascending; [0]: copies, [1]: memset.
  std::vector<SizeDetail> details[2];
  std::optional<WorkloadConditions> conditions;

  uint64_t calls() const;
  uint64_t bytes() const;
  // "recorded from g++ 12.2.0, 2026-11-30, ...": one line.
  std::string Describe() const;
  // The row that `size` lies in; nullptr where nothing was seen of it.
  const SizeDetail* DetailOf(bool is_memset, uint64_t size) const;
};

// JSON, lines of at most 80 columns where that can be; and back. Errors:
// InvalidArgument "NAME: expected ..., found ...".
std::string FormatWorkload(const Workload& workload);
absl::StatusOr<Workload> ParseWorkload(absl::string_view text,
                                       absl::string_view name);

}  // namespace advisor

#endif  // ADVISOR_WORKLOAD_WORKLOAD_H_
