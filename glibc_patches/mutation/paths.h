// Do a mutant and its base go other ways?

#ifndef GLIBC_PATCHES_MUTATION_PATHS_H_
#define GLIBC_PATCHES_MUTATION_PATHS_H_

#include <cstdint>

#include "kernels/variant.h"

namespace glibc_patches {

struct PathComparison {
  int64_t calls = 0;
  // Calls in which some basic block was executed another number of times.
  int64_t differ = 0;
};

// Makes calls of every size up to 1 KiB, and of some up to 20 KiB, of both,
// block by block, in a child process. Instructions of the two correspond by
// their order; the mutant may lack one. Else nothing is compared.
PathComparison ComparePaths(const kernels::Variant& base,
                            const kernels::Variant& mutant);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_MUTATION_PATHS_H_
