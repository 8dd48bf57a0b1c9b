#include "advisor/host/environment.h"

#include <stdlib.h>

#include <optional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::ElementsAre;

TEST(EnvironmentTest, FindsWholeNamesOnly) {
  const Environment environment({"PATHS=x", "PATH=/bin", "EMPTY="});
  EXPECT_EQ(environment.Get("PATH"), "/bin");
  EXPECT_EQ(environment.Get("EMPTY"), "");
  EXPECT_EQ(environment.Get("PAT"), std::nullopt);
}

TEST(EnvironmentTest, ReplacesAndRemoves) {
  const Environment environment({"A=1", "B=2", "A=3"});
  EXPECT_THAT(environment.With("A", "4").entries(), ElementsAre("B=2", "A=4"));
  EXPECT_THAT(environment.Without("A").entries(), ElementsAre("B=2"));
  EXPECT_THAT(environment.entries(), ElementsAre("A=1", "B=2", "A=3"));
}

TEST(EnvironmentTest, ReadsThisProcess) {
  setenv("ADVISOR_ENVIRONMENT_TEST", "here", 1);
  EXPECT_EQ(Environment::OfThisProcess().Get("ADVISOR_ENVIRONMENT_TEST"),
            "here");
}

}  // namespace
}  // namespace advisor
