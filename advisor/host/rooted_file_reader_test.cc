#include "advisor/host/rooted_file_reader.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::ElementsAre;

class RootedFileReaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "/rootXXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name + "/image";
    for (const char* folder : {"", "/usr", "/usr/lib", "/etc"}) {
      ASSERT_EQ(mkdir((root_ + folder).c_str(), 0700), 0);
    }
    Write("/usr/lib/libc.so.6", "inside");
    std::ofstream(name + "/secret") << "outside";
  }

  void Write(const std::string& path, const std::string& text) {
    std::ofstream(root_ + path) << text;
  }
  void Link(const std::string& path, const std::string& target) {
    ASSERT_EQ(symlink(target.c_str(), (root_ + path).c_str()), 0);
  }

  std::string root_;
};

TEST_F(RootedFileReaderTest, FollowsLinksInsideTheRoot) {
  Link("/lib", "usr/lib");
  Link("/lib64", "/usr/lib");
  Link("/usr/lib/relative", "../../lib/libc.so.6");
  const RootedFileReader files(root_ + "/");
  for (const char* path :
       {"/usr/lib/libc.so.6", "/lib/libc.so.6", "/lib64/libc.so.6",
        "lib64/./libc.so.6", "/lib/relative", "/etc/../lib/libc.so.6"}) {
    EXPECT_EQ(files.Resolve(path).value_or("?"), "/usr/lib/libc.so.6") << path;
    EXPECT_EQ(files.Read(path).value_or("?"), "inside") << path;
    EXPECT_EQ(files.ReadFront(path, 2).value_or("?"), "in") << path;
  }
  EXPECT_THAT(*files.List("/lib64"), ElementsAre("libc.so.6", "relative"));
  EXPECT_EQ(files.Resolve("/").value_or("?"), "/");
}

TEST_F(RootedFileReaderTest, NeverLeadsOut) {
  Link("/etc/secret", "../../secret");
  Link("/etc/absolute", "/../secret");
  Link("/up", "../..");
  const RootedFileReader files(root_);
  for (const char* path :
       {"/etc/secret", "/etc/absolute", "/../secret", "/up/secret"}) {
    EXPECT_TRUE(absl::IsNotFound(files.Read(path).status())) << path;
  }
}

TEST_F(RootedFileReaderTest, EndsAtLoopsAndPipes) {
  Link("/etc/a", "b");
  Link("/etc/b", "a");
  ASSERT_EQ(mkfifo((root_ + "/etc/pipe").c_str(), 0600), 0);
  const RootedFileReader files(root_);
  EXPECT_TRUE(absl::IsNotFound(files.Read("/etc/a").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(files.Read("/etc/pipe").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(files.Read("/etc").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(files.ReadFront("/etc", 1).status()));
  const absl::Status none = files.List("/etc/pipe").status();
  EXPECT_FALSE(none.ok());
  EXPECT_TRUE(absl::StartsWith(none.message(), "/etc/pipe: ")) << none;
}

// "Regular" files whose reading waits or acts.
TEST(RootedFileReader, ReadsNoFileOfTheKernel) {
  const RootedFileReader files("/");
  for (const char* path :
       {"/proc/self/status", "/proc/kmsg", "/sys/kernel/uevent_seqnum"}) {
    EXPECT_FALSE(files.Read(path).ok()) << path;
    EXPECT_FALSE(files.ReadFront(path, 1).ok()) << path;
  }
  EXPECT_TRUE(files.Read("/etc/passwd").ok());
}

}  // namespace
}  // namespace advisor
