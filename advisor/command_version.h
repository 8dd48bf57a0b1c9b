// `advisor version`.

#ifndef ADVISOR_COMMAND_VERSION_H_
#define ADVISOR_COMMAND_VERSION_H_

#include "advisor/command.h"

namespace advisor {

extern const CommandRow kVersionCommand;

}  // namespace advisor

#endif  // ADVISOR_COMMAND_VERSION_H_
