// `advisor mask`: a coherent hwcaps mask for a purpose.

#ifndef ADVISOR_COMMAND_MASK_H_
#define ADVISOR_COMMAND_MASK_H_

#include "advisor/command.h"

namespace advisor {

extern const CommandRow kMaskCommand;

}  // namespace advisor

#endif  // ADVISOR_COMMAND_MASK_H_
