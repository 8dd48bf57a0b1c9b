// Which calls reach every path of a variant.

#ifndef GLIBC_PATCHES_CHECKS_CALLS_H_
#define GLIBC_PATCHES_CHECKS_CALLS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "glibc_patches/checks/check.h"
#include "glibc_patches/checks/world.h"
#include "kernels/variant.h"

namespace glibc_patches {

// The largest size that is tried but for those of huge_sizes: past 16 times the
// least non-temporal threshold the large copy takes four pages at a time.
constexpr uint64_t kLargestTried = 400 << 10;

// Threshold settings: those of kernels::ParameterSets (never, floor, the rep
// zone on and off, string_control on and off), just above the floor, and what a
// common server has. Only those that differ in what the variant reads.
std::vector<kernels::KernelParameters> ParametersToTry(
    const kernels::Variant& variant);

// Sizes for one of them, sorted: 0 to 16 vectors (from the least size that it
// treats in another way than the first setting), around every threshold and
// page multiple, and `random` more of any magnitude, past the four-page loop of
// the large copy.
std::vector<uint64_t> SizesToTry(const kernels::Variant& variant,
                                 const kernels::KernelParameters& parameters,
                                 int random, uint64_t seed);

// Is the call of this index one of those that CheckContext::one_in leaves? As
// if by chance, since what calls do (direction, alignment) has periods; but
// always the same ones, and all when one_in is 1.
bool IsChosen(int64_t index, int one_in);

// Returns false to stop.
using VisitCall = absl::FunctionRef<bool(const PlacedCall&)>;

// Alignments of both operands, distances that alias modulo 4 KiB and modulo
// 4 GiB, overlap in both directions (memmove), values (memset); as many as the
// effort says. False when stopped.
bool ForEachCall(const CheckContext& context, VisitCall visit);

// A handful of calls of each size: for checks of what hardly depends on
// alignment.
bool ForEachSize(const CheckContext& context, int calls_per_size,
                 VisitCall visit);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_CHECKS_CALLS_H_
