#ifndef ADVISOR_VERSION_H_
#define ADVISOR_VERSION_H_

#include "absl/strings/string_view.h"

namespace advisor {

// Goes up with every change of what a command prints or how it ends.
inline constexpr absl::string_view kVersion = "0.1.0";

}  // namespace advisor

#endif  // ADVISOR_VERSION_H_
