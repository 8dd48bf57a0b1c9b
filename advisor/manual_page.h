// advisor(1), from the table of commands.

#ifndef ADVISOR_MANUAL_PAGE_H_
#define ADVISOR_MANUAL_PAGE_H_

#include <ostream>

#include "absl/types/span.h"
#include "advisor/command.h"

namespace advisor {

// In the man macros of roff (man(7)).
void PrintManualPage(absl::Span<const CommandRow* const> commands,
                     std::ostream& out);

}  // namespace advisor

#endif  // ADVISOR_MANUAL_PAGE_H_
