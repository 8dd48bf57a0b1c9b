#include "advisor/render/layout.h"

#include "gtest/gtest.h"

namespace advisor {
namespace {

TEST(FormatBytesTest, UsesTheLargestUnitThatDivides) {
  EXPECT_EQ(FormatBytes(0), "0 bytes");
  EXPECT_EQ(FormatBytes(1), "1 byte");
  EXPECT_EQ(FormatBytes(2112), "2112 bytes");
  EXPECT_EQ(FormatBytes(49152), "48 KiB");
  EXPECT_EQ(FormatBytes(1 << 20), "1 MiB");
  EXPECT_EQ(FormatBytes((1 << 20) + 1024), "1025 KiB");
  EXPECT_EQ(FormatBytes(uint64_t{3} << 40), "3 TiB");
}

TEST(FormatBytesTest, HelpsWithLargeOddNumbers) {
  EXPECT_EQ(FormatBytes((127 << 20) + 1), "133169153 bytes (127 MiB)");
  EXPECT_EQ(FormatBytes((1 << 20) - 1), "1048575 bytes");
  EXPECT_EQ(FormatBytes(~uint64_t{0}),
            "18446744073709551615 bytes (1.68e+07 TiB)");
}

TEST(FormatBytesRoughlyTest, KeepsThreeDigits) {
  EXPECT_EQ(FormatBytesRoughly(0), "0 bytes");
  EXPECT_EQ(FormatBytesRoughly(768), "768 bytes");
  EXPECT_EQ(FormatBytesRoughly(1023.6), "1 KiB");
  EXPECT_EQ(FormatBytesRoughly(1024), "1 KiB");
  EXPECT_EQ(FormatBytesRoughly(2000000), "1.91 MiB");
  EXPECT_EQ(FormatBytesRoughly(260.0 * 1024 * 1024), "260 MiB");
  EXPECT_EQ(FormatBytesRoughly(1048575), "1 MiB");
}

TEST(FormatPercentTest, KeepsTwoDigits) {
  EXPECT_EQ(FormatPercent(0.02), "2%");
  EXPECT_EQ(FormatPercent(0.0041), "0.41%");
  EXPECT_EQ(FormatPercent(0), "0%");
  EXPECT_EQ(FormatPercent(1), "100%");
  EXPECT_EQ(FormatPercent(0.347), "35%");
  EXPECT_EQ(FormatPercent(0.0001), "0.01%");
  EXPECT_EQ(FormatPercent(7.1e-8), "under 0.01%");
}

TEST(WrapTextTest, BreaksAtSpaces) {
  EXPECT_EQ(WrapText("one two three", 0, 80), "one two three");
  EXPECT_EQ(WrapText("one two three", 2, 9), "one two\n  three");
  EXPECT_EQ(WrapText("one two three", 2, 10), "one two\n  three");
  EXPECT_EQ(WrapText("one two", 0, 7), "one two");
  EXPECT_EQ(WrapText("one two", 0, 6), "one\ntwo");
  EXPECT_EQ(WrapText("", 2, 80), "");
}

TEST(WrapTextTest, KeepsLongWordsAndNewlines) {
  EXPECT_EQ(WrapText("a GLIBC_TUNABLES=long b", 1, 8),
            "a\n GLIBC_TUNABLES=long\n b");
  EXPECT_EQ(WrapText("a\n\nb", 2, 80), "a\n  \n  b");
}

TEST(WithoutControlCharactersTest, KeepsNewlines) {
  EXPECT_EQ(WithoutControlCharacters("a\x1b[31m\tb\nc\xc3\xa9"),
            "a?[31m?b\nc\xc3\xa9");
}

}  // namespace
}  // namespace advisor
