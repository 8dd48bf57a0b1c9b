#ifndef ADVISOR_COMMAND_INSPECT_H_
#define ADVISOR_COMMAND_INSPECT_H_

#include "advisor/command.h"

namespace advisor {

extern const CommandRow kInspectCommand;

}  // namespace advisor

#endif  // ADVISOR_COMMAND_INSPECT_H_
