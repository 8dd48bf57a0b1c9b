#ifndef ADVISOR_COMMAND_RECOMMEND_H_
#define ADVISOR_COMMAND_RECOMMEND_H_

#include "advisor/command.h"

namespace advisor {

extern const CommandRow kRecommendCommand;

}  // namespace advisor

#endif  // ADVISOR_COMMAND_RECOMMEND_H_
