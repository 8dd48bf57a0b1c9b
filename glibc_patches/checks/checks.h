// The functions of the rows of AllChecks(), one file each.

#ifndef GLIBC_PATCHES_CHECKS_CHECKS_H_
#define GLIBC_PATCHES_CHECKS_CHECKS_H_

#include <optional>
#include <string>

#include "glibc_patches/checks/check.h"

namespace glibc_patches {

void RunContentCheck(const CheckContext& context, CheckSession& session);
std::optional<std::string> AttemptContent(const CheckContext& context,
                                          const PlacedCall& call);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_CHECKS_CHECKS_H_
