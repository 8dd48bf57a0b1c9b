// A folder with several files of one machine: a support bundle such as
// sosreport's, or what somebody saved by hand.

#ifndef ADVISOR_INPUT_FOLDER_H_
#define ADVISOR_INPUT_FOLDER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advisor/host/file_reader.h"
#include "advisor/input/machine_input.h"

namespace advisor {

// What a walk looks at; past a limit it goes on without, and says so.
struct FolderLimits {
  int depth = 12;
  size_t files = 50'000;
  // Larger files are left out.
  size_t file_bytes = size_t{16} << 20;
  // Of all files that are read whole.
  size_t total_bytes = size_t{256} << 20;
};

// Reads every file below `path` whose format is known (links that lead out of
// it or back are not followed) and joins them, see JoinInputs. An error when
// there is none.
absl::StatusOr<MachineInput> ReadFolder(const FileReader& files,
                                        absl::string_view path,
                                        const FolderLimits& limits = {});

// One machine of several inputs, given in the order of their paths. Of CPUID,
// each kind of listing and the template the best one is taken: for CPUID the
// one that tells most (caches, features, vendor), then the one whose format
// stands first in input_format.h. A template is applied to the CPUID of another
// file. Warnings say where the others contradict what was taken.
MachineInput JoinInputs(std::vector<MachineInput> inputs, std::string name);

}  // namespace advisor

#endif  // ADVISOR_INPUT_FOLDER_H_
