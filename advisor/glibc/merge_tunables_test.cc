#include "advisor/glibc/merge_tunables.h"

#include "gtest/gtest.h"

namespace advisor {
namespace {

constexpr char kNonTemporal[] = "glibc.cpu.x86_non_temporal_threshold";

TEST(MergeTunablesTest, KeepsWhatIsThere) {
  EXPECT_EQ(
      MergeTunables("glibc.pthread.rseq=0", {{kNonTemporal, "8388608"}}),
      "glibc.pthread.rseq=0:glibc.cpu.x86_non_temporal_threshold=8388608");
  EXPECT_EQ(MergeTunables("", {{"a", "1"}, {"b", "2"}}), "a=1:b=2");
  EXPECT_EQ(MergeTunables("glibc.pthread.rseq=0", {}), "glibc.pthread.rseq=0");
}

TEST(MergeTunablesTest, ReplacesEveryAssignmentOfTheSameName) {
  EXPECT_EQ(MergeTunables("a=1:b=2:a=3", {{"a", "4"}}), "b=2:a=4");
  // Another name that begins alike stays.
  EXPECT_EQ(MergeTunables("ab=1", {{"a", "4"}}), "ab=1:a=4");
}

TEST(MergeTunablesTest, DropsEmptyItems) {
  EXPECT_EQ(MergeTunables(":a=1::b=2:", {}), "a=1:b=2");
}

}  // namespace
}  // namespace advisor
