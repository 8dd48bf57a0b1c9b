#include "advisor/lint/unit_syntax.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ParseUnitDirectivesTest, JoinsLinesAndLeavesCommentsOut) {
  const std::vector<UnitDirective> directives = ParseUnitDirectives(
      "# A=comment\n[Service]\nA = one \\\n; B=inside\n  two\nno assignment\n"
      "[Install]\nC=\n");
  ASSERT_EQ(directives.size(), 2u);
  EXPECT_EQ(directives[0].section, "Service");
  EXPECT_EQ(directives[0].key, "A");
  EXPECT_EQ(directives[0].value, "one    two");
  EXPECT_EQ(directives[0].line, 3);
  EXPECT_EQ(directives[1].section, "Install");
  EXPECT_EQ(directives[1].key, "C");
  EXPECT_EQ(directives[1].value, "");
  EXPECT_EQ(directives[1].line, 8);
}

TEST(SplitUnitWordsTest, FollowsSystemdsQuoting) {
  EXPECT_THAT(SplitUnitWords("A=b 'C=d e' \"F=g'h\" I=\"j k\"l ''"),
              ElementsAre("A=b", "C=d e", "F=g'h", "I=j kl", ""));
  EXPECT_THAT(SplitUnitWords("A=\\x41\\101\\s\\t'\\\"'"),
              ElementsAre("A=AA \t\""));
  std::string problem;
  EXPECT_THAT(SplitUnitWords("A=b C=\\d E=f", &problem), ElementsAre("A=b"));
  EXPECT_THAT(problem, HasSubstr("escape"));
  EXPECT_THAT(SplitUnitWords("A=b 'C=d", &problem), ElementsAre("A=b"));
  EXPECT_THAT(problem, HasSubstr("quote"));
  EXPECT_THAT(SplitUnitWords("A=b \\", &problem), ElementsAre("A=b"));
}

TEST(ExpandSpecifiersTest, KnowsThoseOfTheUnitsName) {
  bool known = true;
  EXPECT_EQ(ExpandSpecifiers("%n %N %p %i 5%%", "a@b.service", known),
            "a@b.service a@b a b 5%");
  EXPECT_EQ(ExpandSpecifiers("%p-%i", "a.service", known), "a-");
  EXPECT_EQ(ExpandSpecifiers("at the end %", "a.service", known),
            "at the end %");
  EXPECT_TRUE(known);
  EXPECT_EQ(ExpandSpecifiers("%H", "a.service", known), "%H");
  EXPECT_FALSE(known);
}

}  // namespace
}  // namespace advisor
