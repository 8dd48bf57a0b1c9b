// One run of a loader under ptrace. Used by replay.cc alone.

#ifndef ADVISOR_GLIBC_REPLAY_TRACER_H_
#define ADVISOR_GLIBC_REPLAY_TRACER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/replay.h"

namespace advisor {

struct TracedCommand {
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  // The program's entry point before relocation.
  uint64_t entry = 0;
  const ReplaySites* sites = nullptr;
  const CpuidSource* cpu = nullptr;
  ReplayMode mode = ReplayMode::kBreakpoints;
  // If set, it is enough that the output has this text when the program asks
  // the CPU something more.
  std::string last_wanted;
  absl::Duration time_limit;
};

struct TracedOutput {
  std::string standard_output;
  std::string standard_error;
  std::map<uint64_t, int> hits;
};

// Runs it to its end (or what `last_wanted` says). OK only for exit status 0.
absl::StatusOr<TracedOutput> RunTraced(const TracedCommand& command);

}  // namespace advisor

#endif  // ADVISOR_GLIBC_REPLAY_TRACER_H_
