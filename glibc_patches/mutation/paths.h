// Do a mutant and its base go other ways?

#ifndef GLIBC_PATCHES_MUTATION_PATHS_H_
#define GLIBC_PATCHES_MUTATION_PATHS_H_

#include <cstdint>

#include "kernels/variant.h"

namespace glibc_patches {

struct PathComparison {
  int64_t calls = 0;
  // Calls in which some basic block was executed another number of times, and
  // those of them after which memory did not hold what it must.
  int64_t differ = 0;
  int64_t wrong = 0;
  // Calls in which the base came to the first instruction that has become
  // another one, or has another constant; 0 when there is none.
  int64_t reached = 0;
};

// Makes calls like those of the content check, in random order, of both, and
// counts the blocks that are executed, in a child process; most calls are of up
// to 20 KiB. Ends after a few calls that differ. Instructions of the two
// correspond by their order; the mutant may lack two in a row. Else nothing is
// compared. One call in `one_in` of those that there is time for.
PathComparison ComparePaths(const kernels::Variant& base,
                            const kernels::Variant& mutant, int one_in);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_MUTATION_PATHS_H_
