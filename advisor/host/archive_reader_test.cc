#include "advisor/host/archive_reader.h"

#include <stdlib.h>

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::ElementsAre;

class ArchiveReaderTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/archive";
    ASSERT_EQ(Shell("rm -rf " + folder_ + " && mkdir -p " + folder_ + "/a/b"),
              0);
    Write("a/one.txt", "1");
    Write("a/b/two.txt", std::string(100000, '2'));
    Write("a/three.txt", "");
  }
  static int Shell(const std::string& command) {
    return system(command.c_str());
  }
  void Write(const std::string& name, const std::string& content) const {
    std::ofstream(absl::StrCat(folder_, "/", name)) << content;
  }
  // "NAME SIZE" of each entry.
  static std::vector<std::string> Read(const std::string& path) {
    std::vector<std::string> entries;
    auto reader = ArchiveReader::Open(path);
    EXPECT_TRUE(reader.ok()) << reader.status();
    while (reader.ok()) {
      auto entry = (*reader)->Next();
      if (!entry.ok()) {
        entries.push_back("damaged");
        return entries;
      }
      if (!entry->has_value()) return entries;
      EXPECT_TRUE(absl::StartsWith((*entry)->name, path + ":"));
      entries.push_back(absl::StrCat((*entry)->name.substr(path.size() + 1),
                                     " ", (*entry)->content->size()));
    }
    return entries;
  }
  std::string folder_;
};

TEST_F(ArchiveReaderTest, ReadsTarPlainAndCompressed) {
  for (const char* const end : {".tar", ".tar.gz", ".tar.xz"}) {
    const std::string path = absl::StrCat(folder_, "/x", end);
    ASSERT_EQ(Shell(absl::StrCat("cd ", folder_, " && tar --auto-compress -cf ",
                                 path, " a/one.txt a/b a/three.txt")),
              0);
    EXPECT_THAT(Read(path), ElementsAre("a/one.txt 1", "a/b/two.txt 100000",
                                        "a/three.txt 0"))
        << end;
    EXPECT_TRUE(IsArchiveName(path));
  }
  EXPECT_FALSE(IsArchiveName("dump.txt"));
}

TEST_F(ArchiveReaderTest, WhatIsNoArchiveIsOneFile) {
  EXPECT_THAT(Read(folder_ + "/a/b/two.txt"), ElementsAre("data 100000"));
}

TEST_F(ArchiveReaderTest, CutArchiveGivesWhatIsWhole) {
  const std::string path = folder_ + "/cut.tar";
  ASSERT_EQ(Shell(absl::StrCat("cd ", folder_,
                               " && tar -cf - a/one.txt a/b | head -c 30000 >",
                               path)),
            0);
  EXPECT_THAT(Read(path), ElementsAre("a/one.txt 1", "damaged"));
}

TEST_F(ArchiveReaderTest, MissingFileIsAnError) {
  const auto reader = ArchiveReader::Open("/no/such/file.tar");
  ASSERT_FALSE(reader.ok());
  EXPECT_TRUE(
      absl::StrContains(reader.status().message(), "/no/such/file.tar"));
}

}  // namespace
}  // namespace advisor
