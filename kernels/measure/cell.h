// What is measured: one call shape in one memory state.

#ifndef KERNELS_MEASURE_CELL_H_
#define KERNELS_MEASURE_CELL_H_

#include <cstdint>
#include <string>
#include <tuple>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kernels {

// The offsets of both buffers. Which byte offsets these mean is drawn anew in
// each process, so that no single placement decides.
enum class Alignment {
  kAligned,                // both on 64 bytes
  kMisalignedDestination,  // source on 64 bytes, destination not
  kMisalignedBoth,         // neither, at different offsets
  kPageAliasing,  // destination 0 to 255 bytes past the source, mod 4096
  // For memmove, above 64 bytes; one buffer, in which the destination begins 64
  // to 319 bytes (less than the size) before the source, or after it.
  kOverlapForward,
  kOverlapBackward,
  // As kOverlapForward, 1 to 63 bytes before: where `rep movsb` is slow on some
  // CPUs (glibc bug 27130).
  kShortDistance,
};

// What happened to the buffers before the call, and what happens to them after.
enum class Regime {
  kHot,       // the same two buffers again and again
  kRotating,  // each call other buffers, out of a set of 4 MiB or 2 calls
  kReadBack,  // as rotating, and every line of the destination is read after
};

struct Cell {
  // "memcpy" or "memset".
  bool is_memset = false;
  // Bytes a call.
  uint64_t size = 0;
  Alignment alignment = Alignment::kAligned;
  Regime regime = Regime::kHot;
  // Threads that copy at once, each on its own buffers.
  int copiers = 1;

  bool operator==(const Cell& other) const { return key() == other.key(); }
  bool operator<(const Cell& other) const { return key() < other.key(); }

 private:
  std::tuple<bool, uint64_t, Alignment, Regime, int> key() const {
    return {is_memset, size, alignment, regime, copiers};
  }
};

absl::string_view AlignmentName(Alignment alignment);
absl::string_view RegimeName(Regime regime);

// "memcpy/4096/aligned/hot/1": one word, for reports and for the pipe to a
// worker. ParseCell is its inverse.
std::string CellName(const Cell& cell);
absl::StatusOr<Cell> ParseCell(absl::string_view name);

}  // namespace kernels

#endif  // KERNELS_MEASURE_CELL_H_
