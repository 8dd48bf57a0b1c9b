#include "kernels/measure/buffers.h"

#include <errno.h>
#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace kernels {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kLine = 64;
// A rotating set leaves L1d and most L2 caches, or has at least two calls.
constexpr size_t kRotatingBytes = size_t{4} << 20;
constexpr size_t kFewestRotatingPairs = 2;
constexpr size_t kMostRotatingPairs = 1024;

size_t RoundUp(size_t value, size_t unit) {
  return (value + unit - 1) / unit * unit;
}

size_t Draw(std::mt19937_64& random, size_t low, size_t high) {
  return std::uniform_int_distribution<size_t>(low, high)(random);
}

struct Offsets {
  size_t source;
  size_t destination;
};

// Offsets within a page. A plain pair stays away from 4 KiB aliasing: the
// destination is 1.5 to 2.5 KiB past the source, mod 4096.
Offsets DrawOffsets(Alignment alignment, std::mt19937_64& random) {
  const size_t source = Draw(random, 0, kPage / kLine - 1) * kLine;
  const size_t apart = source + Draw(random, 24, 39) * kLine;
  switch (alignment) {
    case Alignment::kAligned:
      return {source, apart % kPage};
    case Alignment::kMisalignedDestination:
      return {source, apart % kPage + Draw(random, 1, kLine - 1)};
    case Alignment::kMisalignedBoth: {
      const size_t first = Draw(random, 1, kLine - 1);
      const size_t second =
          1 + (first + Draw(random, 0, kLine - 3)) % (kLine - 1);
      return {source + first, apart % kPage + second};
    }
    case Alignment::kPageAliasing:
      return {source, source + Draw(random, 0, 255)};
    case Alignment::kOverlapForward:
    case Alignment::kOverlapBackward:
    case Alignment::kShortDistance:
      break;  // one buffer: DrawOverlap()
  }
  return {0, 0};
}

bool Overlaps(Alignment alignment) {
  return alignment == Alignment::kOverlapForward ||
         alignment == Alignment::kOverlapBackward ||
         alignment == Alignment::kShortDistance;
}

// Bytes from the start of the lower of the two operands to the upper one. A
// call of up to 64 bytes reads all before it writes, so that a shorter distance
// makes no difference to it.
size_t DrawOverlap(const Cell& cell, std::mt19937_64& random) {
  const size_t size = cell.size;
  if (size <= kLine) return 1;
  if (cell.alignment == Alignment::kShortDistance) {
    return Draw(random, 1, kLine - 1);
  }
  return Draw(random, kLine, std::min(size - 1, 5 * kLine - 1));
}

size_t PairCount(const Cell& cell) {
  if (cell.regime == Regime::kHot) return 1;
  const size_t per_pair = 2 * RoundUp(cell.size, kPage);
  return std::clamp(kRotatingBytes / per_pair, kFewestRotatingPairs,
                    kMostRotatingPairs);
}

}  // namespace

absl::StatusOr<Arena> Arena::Create(size_t size) {
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return absl::ErrnoToStatus(errno,
                               absl::StrCat("cannot map ", size, " bytes"));
  }
  char* const data = static_cast<char*>(memory);
  for (size_t i = 0; i < size; i += kPage) {
    reinterpret_cast<volatile char*>(data)[i] =
        static_cast<char>(i / kPage + 1);
  }
  return Arena(data, size);
}

Arena::Arena(Arena&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

Arena& Arena::operator=(Arena&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Arena::~Arena() {
  if (data_ != nullptr) munmap(data_, size_);
}

absl::StatusOr<char*> ArenaPool::Get(size_t size) {
  if (!arena_.has_value() || arena_->size() < size) {
    arena_.reset();  // first, or both would be in memory at once
    absl::StatusOr<Arena> arena = Arena::Create(size);
    if (!arena.ok()) return arena.status();
    arena_ = *std::move(arena);
  }
  return arena_->data();
}

absl::StatusOr<CellBuffers> CellBuffers::Create(const Cell& cell,
                                                ArenaPool& pool,
                                                std::mt19937_64& random) {
  // Room for an offset of up to a page and an alignment of up to a line.
  const size_t side = RoundUp(cell.size, kPage) + 2 * kPage;
  const size_t count = PairCount(cell);
  const absl::StatusOr<char*> memory = pool.Get(2 * side * count);
  if (!memory.ok()) return memory.status();
  const Offsets offsets = DrawOffsets(cell.alignment, random);
  const size_t distance = DrawOverlap(cell, random);
  std::vector<BufferPair> pairs;
  for (size_t i = 0; i < count; ++i) {
    char* const start = *memory + 2 * side * i;
    if (Overlaps(cell.alignment)) {
      char* const lower = start + offsets.source;
      char* const upper = lower + distance;
      pairs.push_back(cell.alignment == Alignment::kOverlapBackward
                          ? BufferPair{upper, lower}
                          : BufferPair{lower, upper});
      continue;
    }
    pairs.push_back(
        {start + side + offsets.destination, start + offsets.source});
  }
  // In memory order the prefetchers would see one long stream.
  std::shuffle(pairs.begin(), pairs.end(), random);
  return CellBuffers(std::move(pairs));
}

}  // namespace kernels
