#include "tools/recorder/recording.h"

#include "gtest/gtest.h"

namespace {

TEST(RecordingTest, EveryBucketBeginsAfterTheOneBefore) {
  for (unsigned bucket = 0; bucket < RECORDING_BUCKETS; ++bucket) {
    const uint64_t start = RecordingBucketStart(bucket);
    EXPECT_EQ(RecordingBucket(start), bucket) << start;
    if (bucket > 0) {
      EXPECT_EQ(RecordingBucket(start - 1), bucket - 1) << start;
    }
  }
}

TEST(RecordingTest, SixteenAnOctave) {
  EXPECT_EQ(RecordingBucket(511), 511u);
  EXPECT_EQ(RecordingBucket(512), 512u);
  EXPECT_EQ(RecordingBucket(543), 512u);
  EXPECT_EQ(RecordingBucket(544), 513u);
  EXPECT_EQ(RecordingBucket(1024), 528u);
  EXPECT_EQ(RecordingBucketStart(528 + 15), 1984u);
}

TEST(RecordingTest, TheLastBucketHasNoEnd) {
  EXPECT_EQ(RecordingBucket(UINT64_MAX), RECORDING_BUCKETS - 1u);
}

TEST(RecordingTest, ClassesAreOctaves) {
  EXPECT_EQ(RecordingClass(0), 0u);
  EXPECT_EQ(RecordingClass(1), 1u);
  EXPECT_EQ(RecordingClass(RECORDING_LARGE - 1), 12u);
  EXPECT_EQ(RecordingClass(RECORDING_LARGE), 13u);
  EXPECT_EQ(RecordingClass(UINT64_MAX), RECORDING_CLASSES - 1u);
}

}  // namespace
