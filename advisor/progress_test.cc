#include "advisor/progress.h"

#include <sstream>

#include "gtest/gtest.h"

namespace advisor {
namespace {

TEST(ProgressLineTest, WritesOnATerminalOnlyWhenItChanges) {
  std::ostringstream out;
  {
    ProgressLine progress(out, true);
    progress.Show("measuring", 0.101);
    progress.Show("measuring", 0.102);
    progress.Show("measuring", 1);
  }
  EXPECT_EQ(out.str(),
            "\r\x1b[Kmeasuring: 10 %\r\x1b[Kmeasuring: 100 %\r\x1b[K");
}

TEST(ProgressLineTest, IsSilentElsewhere) {
  std::ostringstream out;
  {
    ProgressLine progress(out, false);
    progress.Show("measuring", 0.5);
  }
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace advisor
