// Functions with planted faults (planted.S), as variants of a tree "planted".

#ifndef GLIBC_PATCHES_CHECKS_PLANTED_H_
#define GLIBC_PATCHES_CHECKS_PLANTED_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "kernels/variant.h"

// Their non_temporal_threshold.
extern "C" uint64_t planted_threshold;

namespace glibc_patches {

// The variant that `name` stands for in planted.S. Fails a running test when
// there is none.
kernels::Variant PlantedVariant(absl::string_view name);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_CHECKS_PLANTED_H_
