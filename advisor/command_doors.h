// The doors of a measurement, from a command's.

#ifndef ADVISOR_COMMAND_DOORS_H_
#define ADVISOR_COMMAND_DOORS_H_

#include "absl/strings/string_view.h"
#include "advisor/command.h"
#include "advisor/measurement.h"
#include "advisor/progress.h"

namespace advisor {

// `environment` is that of the measured processes. All three must outlive it.
inline MeasurementDoors DoorsOf(const CommandContext& context,
                                const Environment& environment,
                                ProgressLine& progress) {
  return {context.files,
          context.subprocess,
          context.dialogues,
          environment,
          context.clock,
          [&progress](absl::string_view what, double share) {
            progress.Show(what, share);
          }};
}

}  // namespace advisor

#endif  // ADVISOR_COMMAND_DOORS_H_
