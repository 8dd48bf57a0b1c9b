#include "tools/recorder/merge.h"

#include <cstring>
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace recorder {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MergeTest : public ::testing::Test {
 protected:
  MergeTest() : recording_(std::make_unique<Recording>()) {
    RecordingHeader& header = recording_->header;
    header.magic = RECORDING_MAGIC;
    header.process = 17;
    header.blocks = 2;
    header.processes = 1;
    std::strcpy(header.program, "/usr/bin/cc1plus");
  }

  std::string Content() const {
    return std::string(reinterpret_cast<const char*>(recording_.get()),
                       UsedBytes(recording_->header));
  }

  std::unique_ptr<Recording> recording_;
  Merger merger_;
};

TEST_F(MergeTest, AddsUpBlocksAndFiles) {
  recording_->block[0].calls[kRecordedMemcpy][8] = 1;
  recording_->block[1].calls[kRecordedMemcpy][8] = 10;
  recording_->block[1].calls[kRecordedMemset][512] = 2;
  recording_->block[1].bytes[kRecordedMemset][0] = 1030;
  // Not in use.
  recording_->block[2].calls[kRecordedMemcpy][8] = 100;
  advisor::FakeFileReader files;
  files.Add("d/1.0", Content());
  recording_->header.process = 18;
  std::strcpy(recording_->header.program, "/usr/bin/as");
  recording_->block[1].calls[kRecordedMemcpy][8] = 1000;
  files.Add("d/2.0", Content());
  ASSERT_TRUE(merger_.AddFolder(files, "d").ok());
  const advisor::Workload workload = merger_.Result();
  ASSERT_EQ(workload.functions.size(), 2u);
  EXPECT_EQ(workload.functions[0].sizes[0].calls, 1012u);
  EXPECT_EQ(workload.functions[0].sizes[0].bytes, 1012u * 8);
  EXPECT_EQ(workload.functions[1].function, "memset");
  EXPECT_EQ(workload.functions[1].sizes[0].mean(), 515u);
  EXPECT_EQ(workload.provenance.processes, 2u);
  ASSERT_EQ(workload.provenance.programs.size(), 2u);
  EXPECT_EQ(workload.provenance.programs[0].name, "as");
  EXPECT_EQ(workload.provenance.programs[0].calls, 1003u);
  EXPECT_THAT(merger_.processes(), testing::ElementsAre(17, 18));
}

TEST_F(MergeTest, DetailsAreShares) {
  RecordingDetail& detail =
      recording_->block[1].details[0][RecordingClass(4096)];
  detail.calls = 8;
  detail.both_aligned = 2;
  detail.read_back = 1;
  ASSERT_TRUE(merger_.Add(Content(), "x").ok());
  const advisor::Workload workload = merger_.Result();
  ASSERT_NE(workload.DetailOf(false, 8191), nullptr);
  EXPECT_EQ(workload.DetailOf(false, 8191)->aligned, 0.25);
  EXPECT_EQ(workload.DetailOf(false, 8191)->read_back, 0.125);
  EXPECT_EQ(workload.DetailOf(false, 8192), nullptr);
}

// A process that ended before it had begun, and one that was cut off.
TEST_F(MergeTest, UnfinishedFiles) {
  recording_->header.magic = 0;
  EXPECT_TRUE(merger_.Add(Content(), "x").ok());
  EXPECT_THAT(merger_.Result().functions, IsEmpty());
  recording_->header.magic = RECORDING_MAGIC;
  const absl::Status cut = merger_.Add(Content().substr(0, 5000), "x");
  EXPECT_THAT(cut.message(), HasSubstr("x: expected "));
  recording_->header.magic = 1;
  EXPECT_THAT(merger_.Add(Content(), "x").message(),
              HasSubstr("expected a recording"));
}

TEST_F(MergeTest, NoMoreBlocksThanThereAre) {
  recording_->header.blocks = 1000;
  EXPECT_EQ(UsedBytes(recording_->header), sizeof(Recording));
}

}  // namespace
}  // namespace recorder
