// What people have of a machine: a CPUID dump in one of several formats, the
// output of lscpu, a saved loader listing, or a folder with several of these.

#ifndef ADVISOR_INPUT_MACHINE_INPUT_H_
#define ADVISOR_INPUT_MACHINE_INPUT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/loader_listing.h"
#include "advisor/host/file_reader.h"

namespace advisor {

// A kind of core, with the answers of one CPU of that kind.
struct CoreKind {
  // "CPU 0-7", "core", "atom": as far as the input tells.
  std::string name;
  CpuidTable cpuid;
};

// What an input could not tell, and what would.
struct UnknownFact {
  // "cache sizes and sharers (leaf 4)"
  std::string what;
  // "cpuid -r": to be run on the machine.
  std::string command;
};

struct MachineInput {
  // The path that was given.
  std::string name;
  // "cpuid -r", "InstLatx64", "Firecracker CPU template", "lscpu", "folder".
  std::string format;
  // One entry for most machines, one for each kind of a hybrid CPU. Empty when
  // only loader listings are there. Leaves that the input does not tell are
  // absent, not zero.
  std::vector<CoreKind> cores;
  // Leaves that were made up from indirect facts (lscpu's sizes): values that
  // depend on other leaves are not to be predicted. Empty for a real dump.
  std::vector<UnknownFact> unknown;
  // True where the thresholds can be computed: the cache and topology leaves
  // that glibc reads for this vendor are told (absent leaves of a dump count as
  // told).
  bool has_cache_leaves = false;
  // True where the variants can be selected: vendor, family, model, features.
  bool has_features = false;
  std::optional<TunablesListing> tunables;
  std::optional<DiagnosticsListing> diagnostics;
  // Contradictions and oddities worth a line, hybrid kinds that differ.
  std::vector<std::string> warnings;
};

// Detects the format by content. Errors are "FILE:LINE: expected ..., found
// ..."; NotFound, PermissionDenied as FileReader.
absl::StatusOr<MachineInput> ReadMachineInput(const FileReader& files,
                                              absl::string_view path);

// The same for text that is in memory.
absl::StatusOr<MachineInput> ParseMachineInput(absl::string_view text,
                                               absl::string_view name);

}  // namespace advisor

#endif  // ADVISOR_INPUT_MACHINE_INPUT_H_
