#include "kernels/measure/cell.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kernels {
namespace {

using ::testing::HasSubstr;

TEST(CellTest, NameAndParseAreInverse) {
  for (const Alignment alignment :
       {Alignment::kAligned, Alignment::kMisalignedDestination,
        Alignment::kMisalignedBoth, Alignment::kPageAliasing,
        Alignment::kOverlapForward, Alignment::kOverlapBackward,
        Alignment::kShortDistance}) {
    for (const Regime regime :
         {Regime::kHot, Regime::kRotating, Regime::kReadBack}) {
      const Cell cell = {true, 4096, alignment, regime, 2};
      EXPECT_EQ(*ParseCell(CellName(cell)), cell) << CellName(cell);
    }
  }
  EXPECT_EQ(CellName({false, 2113, Alignment::kPageAliasing, Regime::kHot, 1}),
            "memcpy/2113/page-aliasing/hot/1");
}

TEST(CellTest, RefusesWhatIsNoCell) {
  for (const char* name :
       {"", "memcpy", "memcpy/1/aligned/hot", "memcpy/0/aligned/hot/1",
        "memmove/1/aligned/hot/1", "memcpy/1/crooked/hot/1",
        "memcpy/1/aligned/warm/1", "memcpy/1/aligned/hot/0",
        "memcpy/-1/aligned/hot/1", "memcpy/1/aligned/hot/1/"}) {
    EXPECT_THAT(ParseCell(name).status().message(), HasSubstr("expected"))
        << name;
  }
}

}  // namespace
}  // namespace kernels
