#include "advisor/suggestion.h"

#include <string>

#include "gtest/gtest.h"

namespace advisor {
namespace {

TEST(EditDistanceTest, CountsEdits) {
  EXPECT_EQ(EditDistance("", ""), 0);
  EXPECT_EQ(EditDistance("lint", "lint"), 0);
  EXPECT_EQ(EditDistance("", "lint"), 4);
  EXPECT_EQ(EditDistance("lnt", "lint"), 1);
  EXPECT_EQ(EditDistance("lintt", "lint"), 1);
  EXPECT_EQ(EditDistance("lnit", "lint"), 1);
  EXPECT_EQ(EditDistance("mask", "lint"), 4);
}

TEST(SuggestionTest, NamesTheNearest) {
  EXPECT_EQ(Suggestion("comapre", {"compare", "recommend"}),
            "; did you mean compare?");
  EXPECT_EQ(Suggestion("recomend", {"compare", "recommend"}),
            "; did you mean recommend?");
}

TEST(SuggestionTest, CompletesAUniqueBeginning) {
  EXPECT_EQ(Suggestion("rec", {"compare", "recommend"}),
            "; did you mean recommend?");
  EXPECT_EQ(Suggestion("ma", {"match", "master"}), "");
}

TEST(SuggestionTest, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(Suggestion("frobnicate", {"compare", "recommend"}), "");
  EXPECT_EQ(Suggestion("", {"compare"}), "");
  EXPECT_EQ(Suggestion(std::string(100000, 'x'), {"compare"}), "");
}

}  // namespace
}  // namespace advisor
