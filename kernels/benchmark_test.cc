#include <algorithm>
#include <cstdint>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/benchmark_context.h"
#include "kernels/benchmark_regime.h"

namespace kernels {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

constexpr CacheSizes kCaches = {48 << 10, 2 << 20, 64 << 20};

BenchmarkRegime Regime(absl::string_view name, const CacheSizes& caches) {
  for (const BenchmarkRegime& regime : BenchmarkRegimes(caches)) {
    if (regime.name == name) return regime;
  }
  ADD_FAILURE() << name;
  return {};
}

size_t PageOffset(const char* place) {
  return reinterpret_cast<uintptr_t>(place) % 4096;
}

TEST(BenchmarkRegimesTest, WorkingSetsFollowTheCaches) {
  EXPECT_EQ(Regime("L2", kCaches).working_set, 1u << 20);
  EXPECT_EQ(Regime("L3", kCaches).working_set, 8u << 20);
  EXPECT_EQ(Regime("DRAM", kCaches).working_set, 128u << 20);
  EXPECT_THAT(Regime("L1", kCaches).sizes,
              ElementsAre(16, 64, 256, 1024, 4096));
}

TEST(BenchmarkRegimesTest, HugeClaimIsCapped) {
  EXPECT_EQ(Regime("DRAM", {32 << 10, 1 << 20, 508u << 20}).working_set,
            512u << 20);
}

TEST(MakeOperandsTest, OperandsStayApart) {
  ArenaPool pool;
  for (const BenchmarkRegime& regime : BenchmarkRegimes(kCaches)) {
    if (regime.name == "DRAM") continue;
    for (size_t size : regime.sizes) {
      std::vector<const char*> starts;
      for (const BufferPair& pair : MakeOperands(regime, size, pool)) {
        starts.push_back(pair.destination);
        if (!regime.overlap) starts.push_back(pair.source);
      }
      std::sort(starts.begin(), starts.end());
      for (size_t i = 1; i < starts.size(); ++i) {
        ASSERT_GE(starts[i], starts[i - 1] + size) << regime.name;
      }
    }
  }
}

TEST(MakeOperandsTest, OffsetsAreWhatTheNameSays) {
  ArenaPool pool;
  const BufferPair alias =
      MakeOperands(Regime("alias_4k", kCaches), 4096, pool)[0];
  EXPECT_EQ(PageOffset(alias.destination), PageOffset(alias.source) + 64);
  const BufferPair misaligned =
      MakeOperands(Regime("misaligned", kCaches), 4096, pool)[0];
  EXPECT_EQ(PageOffset(misaligned.destination) % 64, 17u);
  EXPECT_EQ(PageOffset(misaligned.source) % 64, 0u);
  const BufferPair forward =
      MakeOperands(Regime("overlap_forward", kCaches), 4096, pool)[0];
  EXPECT_EQ(forward.source - forward.destination, 1024);
  const BufferPair backward =
      MakeOperands(Regime("overlap_backward", kCaches), 4096, pool)[0];
  EXPECT_EQ(backward.destination - backward.source, 1024);
}

TEST(ParametersFromListingTest, ReadsTheLoadersLines) {
  const KernelParameters parameters = ParametersFromListing(
      "glibc.rtld.nns: 0x4 (min: 0x1, max: 0x10)\n"
      "glibc.cpu.x86_rep_movsb_threshold: 0x840 (min: 0x100, max: "
      "0xffffffffffffffff)\n"
      "glibc.cpu.x86_non_temporal_threshold: 0x7f00000 (min: 0x4040, max: "
      "0xfffffffffffffff)\n"
      "glibc.cpu.x86_ibt:\n");
  EXPECT_THAT(parameters.rep_movsb_threshold, Optional(0x840));
  EXPECT_THAT(parameters.non_temporal_threshold, Optional(0x7f00000));
  EXPECT_EQ(parameters.rep_stosb_threshold, std::nullopt);
}

}  // namespace
}  // namespace kernels
