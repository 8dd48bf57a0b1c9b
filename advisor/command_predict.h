#ifndef ADVISOR_COMMAND_PREDICT_H_
#define ADVISOR_COMMAND_PREDICT_H_

#include "advisor/command.h"

namespace advisor {

extern const CommandRow kPredictCommand;

}  // namespace advisor

#endif  // ADVISOR_COMMAND_PREDICT_H_
