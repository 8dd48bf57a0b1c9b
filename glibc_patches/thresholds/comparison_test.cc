#include "glibc_patches/thresholds/comparison.h"

#include "advisor/host/file_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace glibc_patches {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ProbeRun Answer(const std::string& lines) {
  return {ProbeEnd::kAnswered, "", lines};
}

TEST(ComparisonTest, OneValueInThreePlacesIsOneChange) {
  const auto changes =
      ChangesBetween(Answer("non_temporal_threshold 1\n"
                            "__x86_shared_non_temporal_threshold 1\n"
                            "tunable.x86_non_temporal_threshold 1\n"
                            "tunable.x86_non_temporal_threshold.min 0\n"),
                     Answer("non_temporal_threshold 2\n"
                            "__x86_shared_non_temporal_threshold 2\n"
                            "tunable.x86_non_temporal_threshold 2\n"
                            "tunable.x86_non_temporal_threshold.min 0\n"));
  EXPECT_THAT(changes,
              ElementsAre(ThresholdChange{"non_temporal_threshold", "1", "2"}));
}

TEST(ComparisonTest, PlacesThatDifferAreSeveralChanges) {
  const auto changes =
      ChangesBetween(Answer("data_cache_size 300\n__x86_data_cache_size 256\n"
                            "variant.memset __memset_erms\n"
                            "usable.RTM 1\n"),
                     Answer("data_cache_size 0\n__x86_data_cache_size 32768\n"
                            "variant.memset __memset_sse2_unaligned\n"
                            "usable.RTM 0\npreferred.New 1\n"));
  EXPECT_THAT(
      changes,
      ElementsAre(
          ThresholdChange{"data_cache_size", "256", "32768"},
          ThresholdChange{"memset", "__memset_erms", "__memset_sse2_unaligned"},
          ThresholdChange{"data_cache_size (in cpu_features)", "300", "0"},
          ThresholdChange{"preferred New", "nothing", "1"},
          ThresholdChange{"usable RTM", "1", "0"}));
}

TEST(ComparisonTest, AnEndIsAChange) {
  const ProbeRun crash{ProbeEnd::kCrashed, "SIGFPE", ""};
  EXPECT_THAT(ChangesBetween(Answer("a 1\n"), crash),
              ElementsAre(ThresholdChange{"start-up", "answers", "SIGFPE"}));
  EXPECT_THAT(ChangesBetween(crash, crash), IsEmpty());
}

TEST(ComparisonTest, FindsEveryDump) {
  const advisor::RealFileReader files;
  const auto cpus = ReadDumps("testdata/cpuid", files);
  ASSERT_TRUE(cpus.ok()) << cpus.status();
  EXPECT_GE(cpus->size(), 67u);
  EXPECT_FALSE(ReadDumps("testdata", files).ok());
}

}  // namespace
}  // namespace glibc_patches
