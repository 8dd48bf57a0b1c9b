// The memory that a cell is measured on.

#ifndef KERNELS_MEASURE_BUFFERS_H_
#define KERNELS_MEASURE_BUFFERS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "kernels/measure/cell.h"

namespace kernels {

// Bytes of anonymous memory, returned to the system at the end. Every page was
// written, so that no read meets the kernel's shared zero page.
class Arena {
 public:
  // ResourceExhausted when the system does not give that much.
  static absl::StatusOr<Arena> Create(size_t size);
  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&& other) noexcept;
  ~Arena();

  char* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  Arena(char* data, size_t size) : data_(data), size_(size) {}
  char* data_ = nullptr;
  size_t size_ = 0;
};

struct BufferPair {
  char* destination;
  char* source;
};

// The memory of one copier, used for one cell after the other: in a guest it
// takes longer to get new pages than to copy into them.
class ArenaPool {
 public:
  // At least `size` bytes, the same as before where they suffice. The pool must
  // outlive their use, and gives them to one user at a time.
  absl::StatusOr<char*> Get(size_t size);

 private:
  std::optional<Arena> arena_;
};

// The buffers of one copier for one cell: one pair for a hot regime, several
// for the others, which a caller walks through in turn.
class CellBuffers {
 public:
  // Offsets are drawn from `random` within what the cell's alignment permits.
  static absl::StatusOr<CellBuffers> Create(const Cell& cell, ArenaPool& pool,
                                            std::mt19937_64& random);

  const BufferPair& Next() {
    const BufferPair& pair = pairs_[next_];
    next_ = next_ + 1 == pairs_.size() ? 0 : next_ + 1;
    return pair;
  }
  const std::vector<BufferPair>& pairs() const { return pairs_; }

 private:
  explicit CellBuffers(std::vector<BufferPair> pairs)
      : pairs_(std::move(pairs)) {}

  std::vector<BufferPair> pairs_;
  size_t next_ = 0;
};

}  // namespace kernels

#endif  // KERNELS_MEASURE_BUFFERS_H_
