#include "kernels/measure/buffers.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>

#include "gtest/gtest.h"

namespace kernels {
namespace {

uintptr_t Address(const char* pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

CellBuffers Make(uint64_t size, Alignment alignment, Regime regime,
                 uint64_t seed) {
  static ArenaPool& pool = *new ArenaPool;
  std::mt19937_64 random(seed);
  return *CellBuffers::Create({false, size, alignment, regime, 1}, pool,
                              random);
}

TEST(CellBuffersTest, AlignmentsAreWhatTheyAreCalled) {
  std::set<uintptr_t> destination_offsets;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const BufferPair aligned =
        Make(4096, Alignment::kAligned, Regime::kHot, seed).Next();
    EXPECT_EQ(Address(aligned.source) % 64, 0u);
    EXPECT_EQ(Address(aligned.destination) % 64, 0u);

    const BufferPair destination =
        Make(4096, Alignment::kMisalignedDestination, Regime::kHot, seed)
            .Next();
    EXPECT_EQ(Address(destination.source) % 64, 0u);
    EXPECT_NE(Address(destination.destination) % 64, 0u);
    destination_offsets.insert(Address(destination.destination) % 64);

    const BufferPair both =
        Make(4096, Alignment::kMisalignedBoth, Regime::kHot, seed).Next();
    EXPECT_NE(Address(both.source) % 64, 0u);
    EXPECT_NE(Address(both.destination) % 64, 0u);
    EXPECT_NE(Address(both.source) % 64, Address(both.destination) % 64);

    const BufferPair aliasing =
        Make(4096, Alignment::kPageAliasing, Regime::kHot, seed).Next();
    EXPECT_LT((Address(aliasing.destination) - Address(aliasing.source)) % 4096,
              256u);
    // The others keep well away from it, in both directions.
    for (const BufferPair& pair : {aligned, destination, both}) {
      const uintptr_t distance =
          (Address(pair.destination) - Address(pair.source)) % 4096;
      EXPECT_GE(distance, 1024u);
      EXPECT_LE(distance, 3072u);
    }
  }
  EXPECT_GT(destination_offsets.size(), 40u);
}

TEST(CellBuffersTest, OverlapsGoTheWayTheyAreCalled) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    for (const uint64_t size : {65, 200, 4096}) {
      const BufferPair forward =
          Make(size, Alignment::kOverlapForward, Regime::kHot, seed).Next();
      EXPECT_GE(forward.source - forward.destination, 64);
      EXPECT_LT(forward.source - forward.destination,
                std::min<int64_t>(320, static_cast<int64_t>(size)));
      const BufferPair backward =
          Make(size, Alignment::kOverlapBackward, Regime::kHot, seed).Next();
      EXPECT_GE(backward.destination - backward.source, 64);
      EXPECT_LT(backward.destination - backward.source,
                std::min<int64_t>(320, static_cast<int64_t>(size)));
      const BufferPair close =
          Make(size, Alignment::kShortDistance, Regime::kHot, seed).Next();
      EXPECT_GE(close.source - close.destination, 1);
      EXPECT_LT(close.source - close.destination, 64);
    }
  }
}

TEST(CellBuffersTest, PairsDoNotOverlap) {
  CellBuffers buffers =
      Make(100000, Alignment::kMisalignedBoth, Regime::kRotating, 7);
  ASSERT_GE(buffers.pairs().size(), 4u);
  std::set<uintptr_t> starts;
  for (const BufferPair& pair : buffers.pairs()) {
    starts.insert(Address(pair.source));
    starts.insert(Address(pair.destination));
  }
  ASSERT_EQ(starts.size(), 2 * buffers.pairs().size());
  uintptr_t last_end = 0;
  for (const uintptr_t start : starts) {
    EXPECT_GE(start, last_end);
    last_end = start + 100000;
  }
  // Next walks through all of them and begins again.
  const BufferPair first = buffers.Next();
  for (size_t i = 1; i < buffers.pairs().size(); ++i) buffers.Next();
  EXPECT_EQ(buffers.Next().source, first.source);
}

TEST(CellBuffersTest, RotatingSetsLeaveTheFirstCaches) {
  const CellBuffers small = Make(64, Alignment::kAligned, Regime::kRotating, 1);
  EXPECT_GE(small.pairs().size() * 8192, size_t{4} << 20);
  const CellBuffers large =
      Make(size_t{16} << 20, Alignment::kAligned, Regime::kReadBack, 1);
  EXPECT_EQ(large.pairs().size(), 2u);
}

TEST(ArenaPoolTest, GivesTheSameMemoryUntilMoreIsWanted) {
  ArenaPool pool;
  char* const first = *pool.Get(100000);
  EXPECT_EQ(*pool.Get(50000), first);
  char* const larger = *pool.Get(10 << 20);
  larger[(10 << 20) - 1] = 1;
  EXPECT_EQ(*pool.Get(1), larger);
}

TEST(ArenaTest, SaysWhenMemoryIsRefused) {
  EXPECT_FALSE(Arena::Create(size_t{1} << 60).ok());
}

}  // namespace
}  // namespace kernels
