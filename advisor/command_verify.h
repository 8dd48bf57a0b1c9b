#ifndef ADVISOR_COMMAND_VERIFY_H_
#define ADVISOR_COMMAND_VERIFY_H_

#include "advisor/command.h"

namespace advisor {

extern const CommandRow kVerifyCommand;

}  // namespace advisor

#endif  // ADVISOR_COMMAND_VERIFY_H_
