// Many machines in groups: what `predict --group`, and `recommend` for more
// than one machine, do.

#ifndef ADVISOR_GROUPED_MACHINES_H_
#define ADVISOR_GROUPED_MACHINES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "advisor/command.h"
#include "advisor/glibc/build.h"
#include "advisor/input/machine_input.h"

namespace advisor {

struct GroupedRequest {
  // As ForEachMachineText takes them.
  std::vector<std::string> paths;
  bool recursive = false;
  // What the CPU templates among them are applied to.
  std::optional<MachineInput> base;
  std::vector<GlibcBuild> builds;  // not empty
  std::string glibc_tunables;
  bool as_json = false;
};

// Inputs that cannot be read are named on standard error and left out.
// InvalidArgument when none is left.
absl::StatusOr<ExitStatus> PrintGroups(const CommandContext& context,
                                       const GroupedRequest& request);

}  // namespace advisor

#endif  // ADVISOR_GROUPED_MACHINES_H_
