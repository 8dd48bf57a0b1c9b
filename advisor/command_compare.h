#ifndef ADVISOR_COMMAND_COMPARE_H_
#define ADVISOR_COMMAND_COMPARE_H_

#include "advisor/command.h"

namespace advisor {

extern const CommandRow kCompareCommand;

}  // namespace advisor

#endif  // ADVISOR_COMMAND_COMPARE_H_
