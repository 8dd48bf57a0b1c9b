#include "advisor/left_out.h"

#include <sstream>

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

absl::Status Conclude(LeftOut& left_out, size_t good) {
  return left_out.Conclude(good, "summary", "no input", "none good");
}

TEST(LeftOut, NothingIsSaidOfNothing) {
  std::ostringstream err;
  LeftOut left_out(err);
  EXPECT_TRUE(Conclude(left_out, 2).ok());
  EXPECT_EQ(Conclude(left_out, 0), absl::InvalidArgumentError("no input"));
  EXPECT_EQ(err.str(), "");
}

TEST(LeftOut, TheOnlyOneIsTheError) {
  std::ostringstream err;
  LeftOut left_out(err);
  left_out.Add(absl::NotFoundError("a: none"));
  EXPECT_EQ(Conclude(left_out, 0), absl::NotFoundError("a: none"));
  EXPECT_EQ(err.str(), "");
  EXPECT_TRUE(Conclude(left_out, 1).ok());
  EXPECT_EQ(err.str(), "advisor: a: none\nadvisor: summary\n");
}

TEST(LeftOut, EachOfSeveralHasItsLine) {
  std::ostringstream err;
  LeftOut left_out(err);
  for (const char* const line : {"a", "b", "c"}) {
    left_out.Add(absl::NotFoundError(line));
  }
  EXPECT_EQ(left_out.count(), 3);
  EXPECT_EQ(Conclude(left_out, 0), absl::InvalidArgumentError("none good"));
  EXPECT_EQ(err.str(), "advisor: a\nadvisor: b\nadvisor: c\n");
  EXPECT_TRUE(Conclude(left_out, 1).ok());
  EXPECT_EQ(err.str(),
            "advisor: a\nadvisor: b\nadvisor: c\nadvisor: summary\n");
}

}  // namespace
}  // namespace advisor
