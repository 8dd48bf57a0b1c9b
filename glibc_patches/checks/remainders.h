// Calls that leave each possible number of bytes to the end of a loop.

#ifndef GLIBC_PATCHES_CHECKS_REMAINDERS_H_
#define GLIBC_PATCHES_CHECKS_REMAINDERS_H_

#include "glibc_patches/checks/calls.h"
#include "glibc_patches/checks/check.h"

namespace glibc_patches {

// From sixteen vectors and from each threshold on, every size of one pass of a
// loop, with the same alignments: a comparison that ends a loop is equal in one
// of them. Of code with 16-byte vectors in each of its 16 relative alignments,
// and (memmove) backwards too. Destinations lie across kBoundary. False when
// stopped.
bool ForEachRemainder(const CheckContext& context, VisitCall visit);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_CHECKS_REMAINDERS_H_
