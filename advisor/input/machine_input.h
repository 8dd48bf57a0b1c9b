// What people have of a machine: a CPUID dump in one of several formats, the
// output of lscpu, a saved loader listing, or a folder with several of these.
// The formats are the rows of input_format.h.

#ifndef ADVISOR_INPUT_MACHINE_INPUT_H_
#define ADVISOR_INPUT_MACHINE_INPUT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/loader_listing.h"
#include "advisor/host/file_reader.h"
#include "advisor/input/cpu_template.h"

namespace advisor {

// A kind of core, with the answers of the first CPU of that kind. CPUs are of
// one kind where no leaf that glibc reads tells them apart (core_kinds.h).
struct CoreKind {
  // "CPU 0-7", "core (CPU 0-7)", "atom (CPU 8-15)": as far as the input tells.
  // Empty for an input of one CPU.
  std::string name;
  CpuidTable cpuid;
  // By the input's numbers, ascending.
  std::vector<uint32_t> cpus;
};

// What an input could not tell, and what would.
struct UnknownFact {
  // "the caches and who shares them (leaves 2, 4 and 0xB)"
  std::string what;
  // "cpuid -r": to be run on the machine.
  std::string command;
};

// A file of a folder that was understood, and whether anything was taken of it.
struct InputFile {
  // Below the folder: "proc/cpuinfo".
  std::string path;
  std::string format;
  bool used = false;
};

struct MachineInput {
  // The path that was given.
  std::string name;
  // The name of a row of input_format.h: "cpuid -r", "InstLatx64",
  // "Firecracker CPU template", "lscpu", ...; or "folder".
  std::string format;
  // One entry for most machines, one for each kind of a hybrid CPU. Empty when
  // the input tells no vendor: a listing of tunables, a CPU template alone.
  // Leaves that the input does not tell are absent, not zero; of lscpu and
  // /proc/cpuinfo see linux_cpu.h.
  std::vector<CoreKind> cores;
  // Empty for a whole dump.
  std::vector<UnknownFact> unknown;
  // True where the thresholds can be computed: the cache and topology leaves
  // that glibc reads for this vendor are told (absent leaves of a dump count as
  // told). False: an absent leaf means nothing, and no conclusion (threshold,
  // hazard) may be drawn from it.
  bool has_cache_leaves = false;
  // True where the variants can be selected: vendor, family, model, features.
  bool has_features = false;
  std::optional<TunablesListing> tunables;
  std::optional<DiagnosticsListing> diagnostics;
  // A modification of a machine. In a folder with a dump it has been applied
  // (`cores` are the guest's); alone it waits for ApplyCpuTemplate.
  std::optional<CpuTemplate> cpu_template;
  // Facts for the reader from which nothing is computed: "L3 cache: 260 MiB
  // (1 instance), as lscpu sums it up".
  std::vector<std::string> notes;
  // Contradictions and oddities worth a line, hybrid kinds that differ.
  std::vector<std::string> warnings;
  // Of a folder: the files whose format is known, in order of their paths.
  std::vector<InputFile> files;
};

// Detects the format by content. Errors are InvalidArgument "FILE:LINE:
// expected ..., found ..."; NotFound, PermissionDenied as FileReader. A folder
// is walked (folder.h); in it files of no known format are passed over, and
// malformed ones are warnings as long as another file tells something.
absl::StatusOr<MachineInput> ReadMachineInput(const FileReader& files,
                                              absl::string_view path);

// The same for text that is in memory.
absl::StatusOr<MachineInput> ParseMachineInput(absl::string_view text,
                                               absl::string_view name);

// The machine that a hypervisor makes of `base` (the host, or the guest without
// the template). What does not fit is added to the warnings.
MachineInput ApplyCpuTemplate(MachineInput base,
                              const CpuTemplate& cpu_template);

}  // namespace advisor

#endif  // ADVISOR_INPUT_MACHINE_INPUT_H_
