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

// Why a mutant that only decides (decisions.h) goes where its base goes; to be
// asked when no call that came to what it changes went another way. nullopt:
// calls that show the fault may be missing.
std::optional<std::string> WhyNoneDiffers(const RuleContext& context,
                                          const Mutant& mutant);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_MUTATION_EQUIVALENCE_H_
