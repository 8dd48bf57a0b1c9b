#ifndef ADVISOR_COMMAND_MERGE_H_
#define ADVISOR_COMMAND_MERGE_H_

#include "advisor/command.h"

namespace advisor {

extern const CommandRow kMergeCommand;

}  // namespace advisor

#endif  // ADVISOR_COMMAND_MERGE_H_
