#ifndef ADVISOR_COMMAND_LINT_H_
#define ADVISOR_COMMAND_LINT_H_

#include "advisor/command.h"

namespace advisor {

extern const CommandRow kLintCommand;

}  // namespace advisor

#endif  // ADVISOR_COMMAND_LINT_H_
