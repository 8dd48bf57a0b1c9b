// Does a variant do what memmove, memcpy, mempcpy or memset must, on every
// path? Any wrong offset, stray byte, wrong return value, touched guard page or
// left-over direction flag is a failure.

#ifndef KERNELS_CORRECTNESS_H_
#define KERNELS_CORRECTNESS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "kernels/variant.h"

namespace kernels {

struct CheckOutcome {
  // Calls made; the same for every correct variant of one kind.
  int64_t calls = 0;
  std::vector<absl::string_view> parameter_sets;
  // The first thing that was wrong, with sizes, alignments and thresholds:
  // checking ends there.
  std::optional<std::string> failure;
};

// Runs the whole suite over one variant: under each parameter set
//
//   sizes       0 .. 8 vectors + 64, and around every threshold
//   alignments  0..63 of source and destination, all pairs up to 1 KiB
//   overlap     (memmove) every distance up to two vectors, samples beyond
//   guards      both operands flush against an inaccessible page, at its start
//               and at its end
//
// and each byte of the destination and 64 bytes on both sides is looked at.
// Handles SIGSEGV, SIGBUS and SIGILL meanwhile: a fault is a failure, but for
// `xtest` (0f 01 d6), which is answered with "not in a transaction" where the
// CPU has no TSX. Restores handlers and thresholds. Not for several threads at
// once. The CPU must offer what the variant needs (RTM aside).
CheckOutcome CheckVariant(const Variant& variant);

}  // namespace kernels

#endif  // KERNELS_CORRECTNESS_H_
