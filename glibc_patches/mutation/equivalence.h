// Survivors that change nothing which a caller could see, by what they are.

#ifndef GLIBC_PATCHES_MUTATION_EQUIVALENCE_H_
#define GLIBC_PATCHES_MUTATION_EQUIVALENCE_H_

#include <optional>
#include <string>

#include "glibc_patches/mutation/mutant.h"
#include "glibc_patches/mutation/rules.h"

namespace glibc_patches {

// Why a mutant of `context`'s text that passed all checks is right; nullopt:
// nothing here says so. One row a reason, with the instructions and numbers for
// which it holds. To be asked about survivors only.
std::optional<std::string> WhyEquivalent(const RuleContext& context,
                                         const Mutant& mutant);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_MUTATION_EQUIVALENCE_H_
