#include "advisor/host/environment.h"

#include <stdlib.h>

#include <optional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

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

TEST(EnvironmentTest, AChildGetsNoSecret) {
  const Environment own({"PATH=/bin", "SECRET=1", "LD_PRELOAD=/x.so",
                         "LC_ALL=de_DE", "GLIBC_TUNABLES=a", "CC=clang",
                         "TMPDIR=/private"});
  EXPECT_THAT(own.ForChild().entries(),
              UnorderedElementsAre("LC_ALL=C", "PATH=/bin", "TMPDIR=/private"));
  EXPECT_THAT(own.ForChild({"CC", "CXX", "GLIBC_TUNABLES"}).entries(),
              UnorderedElementsAre("LC_ALL=C", "PATH=/bin", "TMPDIR=/private",
                                   "CC=clang", "GLIBC_TUNABLES=a"));
}

}  // namespace
}  // namespace advisor
