// Does an edit do nothing but change which way jumps go?

#ifndef GLIBC_PATCHES_MUTATION_DECISIONS_H_
#define GLIBC_PATCHES_MUTATION_DECISIONS_H_

#include <cstddef>

#include "glibc_patches/mutation/mutant.h"
#include "glibc_patches/mutation/rules.h"

namespace glibc_patches {

// Follows what the changed instructions compute along every path: true when it
// reaches no address, no stored value and no return, only conditional jumps, so
// that the mutant executes some path of the base. Also true of a conditional
// jump that is itself changed, dropped or made an unconditional one. False
// where that cannot be followed (computed jumps, calls).
bool OnlyDecides(const RuleContext& context, const Mutant& mutant);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_MUTATION_DECISIONS_H_
