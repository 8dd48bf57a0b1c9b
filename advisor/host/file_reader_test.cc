#include "advisor/host/file_reader.h"

#include <stdlib.h>

#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string TemporaryFile(const std::string& name, const std::string& text) {
  const std::string path = absl::StrCat(::testing::TempDir(), "/", name);
  std::ofstream(path) << text;
  return path;
}

TEST(RealFileReaderTest, ReadsRegularAndProcFiles) {
  const RealFileReader reader;
  const std::string path = TemporaryFile("read", "some\ntext");
  EXPECT_EQ(*reader.Read(path), "some\ntext");
  // /proc files have size 0 and content all the same.
  EXPECT_THAT(*reader.Read("/proc/self/status"), HasSubstr("Name:"));
}

TEST(RealFileReaderTest, SaysWhyAFileCannotBeRead) {
  const RealFileReader reader;
  EXPECT_TRUE(absl::IsNotFound(reader.Read("/no/such/file").status()));
  EXPECT_THAT(reader.Read("/no/such/file").status().message(),
              HasSubstr("/no/such/file"));
  EXPECT_TRUE(absl::IsInvalidArgument(reader.Read("/proc").status()));
}

TEST(RealFileReaderTest, ListsAndResolves) {
  const RealFileReader reader;
  const std::string path = TemporaryFile("listed", "x");
  EXPECT_THAT(*reader.List(::testing::TempDir()), Contains("listed"));
  EXPECT_TRUE(absl::IsNotFound(reader.List("/no/such/folder").status()));
  EXPECT_EQ(*reader.Resolve("/proc/../proc"), "/proc");
}

TEST(FakeFileReaderTest, ActsAsAFileSystem) {
  const FakeFileReader reader(
      {{"/sys/cpu/cpu0/id", "0\n"}, {"/sys/cpu/cpu1/id", "1\n"}});
  EXPECT_EQ(*reader.Read("/sys/cpu/cpu1/id"), "1\n");
  EXPECT_THAT(*reader.List("/sys/cpu"), ElementsAre("cpu0", "cpu1"));
  EXPECT_TRUE(absl::IsNotFound(reader.Read("/sys/cpu/cpu2/id").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(reader.Read("/sys/cpu").status()));
  EXPECT_TRUE(absl::IsNotFound(reader.List("/sys/gpu").status()));
}

}  // namespace
}  // namespace advisor
