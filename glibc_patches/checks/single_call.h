// One call of a check, by itself.

#ifndef GLIBC_PATCHES_CHECKS_SINGLE_CALL_H_
#define GLIBC_PATCHES_CHECKS_SINGLE_CALL_H_

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "glibc_patches/checks/check.h"
#include "glibc_patches/checks/child.h"
#include "glibc_patches/checks/runner.h"
#include "glibc_patches/checks/world.h"

namespace glibc_patches {

struct SingleCallAnswer {
  // False when no child could be started, or `time` passed.
  bool answered = true;
  // nullopt: nothing, or the context's base does wrong as well.
  std::optional<std::string> wrong;
};

// Makes the call in a child of its own, with `page` for its report. An eighth
// of the row's CPU time is a hang, since only one call is made.
SingleCallAnswer MakeSingleCall(const CheckRow& row,
                                const CheckContext& context,
                                const RunLimits& limits, absl::Duration time,
                                const PlacedCall& call, ReportPage& page);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_CHECKS_SINGLE_CALL_H_
