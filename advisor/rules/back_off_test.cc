#include "advisor/rules/back_off.h"

#include <optional>

#include "gtest/gtest.h"

namespace advisor {
namespace {

constexpr uint64_t kMiB = 1 << 20;

TEST(BackOffTest, ARaisedThresholdComesDown) {
  // rep stosb from 2049 on, raised to 5504; 5121 got slower.
  EXPECT_EQ(BackOff(2048, 5504, 5121, {2049, 3073, 4097, 5121, 6145}), 4160u);
  EXPECT_EQ(BackOff(2048, 5504, 4097, {2049, 3073, 4097, 5121}), 3136u);
  // The next size is close.
  EXPECT_EQ(BackOff(2048, 5504, 2060, {2049, 2055, 2060}), 2059u);
}

TEST(BackOffTest, ALoweredThresholdComesUp) {
  const std::vector<uint64_t> tested = {4 * kMiB + 1, 8 * kMiB + 1,
                                        10 * kMiB + 1, 12 * kMiB + 1};
  EXPECT_EQ(BackOff(99 * kMiB, 8 * kMiB, 8 * kMiB + 1, tested), 10 * kMiB);
  EXPECT_EQ(BackOff(99 * kMiB, 4 * kMiB, 8 * kMiB + 1, tested), 10 * kMiB);
}

TEST(BackOffTest, HarmNextToTheDefaultCannotBeAvoided) {
  EXPECT_EQ(BackOff(2048, 5504, 2049, {2049, 3073, 4097, 5121}), std::nullopt);
  EXPECT_EQ(BackOff(99 * kMiB, 8 * kMiB, 12 * kMiB + 1,
                    {8 * kMiB + 1, 10 * kMiB + 1, 12 * kMiB + 1}),
            std::nullopt);
  EXPECT_EQ(BackOff(2048, 5504, 5121, {5121}), std::nullopt);
}

TEST(BackOffTest, WhatIsNotTouchedIsNotItsFault) {
  EXPECT_EQ(BackOff(2048, 5504, 6145, {2049, 5121, 6145}), std::nullopt);
  EXPECT_EQ(BackOff(2048, 2048, 2049, {2049}), std::nullopt);
}

}  // namespace
}  // namespace advisor
