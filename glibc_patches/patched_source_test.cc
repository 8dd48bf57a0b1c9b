#include "glibc_patches/patched_source.h"

#include <cstdlib>
#include <memory>
#include <string>

#include "advisor/host/environment.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/subprocess.h"
#include "glibc_patches/scratch_folder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace glibc_patches {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kErms[] = "sysdeps/x86_64/multiarch/memset-erms.S";

TEST(FindBaseTest, IsTheEnvironmentsOrThePackagesNewest) {
  const advisor::Environment plain;
  const advisor::FakeFileReader files(
      {{"/usr/src/glibc/debian/rules", ""},
       {"/usr/src/glibc/glibc-2.36.tar.xz", ""},
       {"/usr/src/glibc/glibc-2.4.tar.xz", ""},
       {"/usr/src/glibc/glibc-2.41.patch", ""}});
  EXPECT_EQ(*FindBase(plain, files), "/usr/src/glibc/glibc-2.36.tar.xz");
  EXPECT_EQ(*FindBase(plain.With("GLIBC_SOURCE", "/s"), files), "/s");
  EXPECT_TRUE(
      absl::IsNotFound(FindBase(plain, advisor::FakeFileReader()).status()));
}

class PatchedSourceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto scratch = ScratchFolder::Create(::testing::TempDir());
    ASSERT_TRUE(scratch.ok()) << scratch.status();
    scratch_ = std::make_unique<advisor::ScratchFolder>(*std::move(scratch));
    base_ = scratch_->path() + "/glibc";
    Write("version.h",
          "#define RELEASE \"stable\"\n#define VERSION \"2.36\"\n");
    Write(kErms, "one\ntwo\n");
    Write("sysdeps/x86/dl-cacheinfo.h", "one\n");
    Write("sysdeps/generic/sysdep.h", "");
  }

  void Write(const std::string& path, const std::string& content) {
    ASSERT_TRUE(WriteFile(base_ + "/" + path, content).ok());
  }

  absl::StatusOr<PatchPlan> Apply(const std::string& patch) {
    auto diff = ParseDiff(patch, "p");
    if (!diff.ok()) return diff.status();
    return ApplyPatches({*diff}, base_, patched(), files_);
  }

  std::string patched() const { return scratch_->path() + "/patched"; }

  std::string Patched(const std::string& path) {
    return files_.Read(patched() + "/" + path).value_or("none");
  }

  static std::string Change(const std::string& path, const std::string& from,
                            const std::string& to) {
    return "--- a/" + path + "\n+++ b/" + path + "\n@@ -1 +1 @@\n-" + from +
           "\n+" + to + "\n";
  }

  std::unique_ptr<advisor::ScratchFolder> scratch_;
  std::string base_;
  const advisor::RealFileReader files_ = {};
  const advisor::RealSubprocess subprocess_ = {};
};

TEST_F(PatchedSourceTest, TheBaseStaysAsItIs) {
  const auto plan = Apply(Change(kErms, "one", "1"));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->kernel_files, ElementsAre(kErms));
  EXPECT_EQ(Patched(kErms), "1\ntwo\n");
  EXPECT_EQ(*files_.Read(base_ + "/" + kErms), "one\ntwo\n");
}

TEST_F(PatchedSourceTest, OfAMixedPatchTheRestIsNamed) {
  const auto plan = Apply(Change("NEWS", "x", "y") + Change(kErms, "one", "1") +
                          Change("string/test-memset.c", "x", "y") +
                          Change("sysdeps/x86/dl-cacheinfo.h", "one", "1"));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->kernel_files, ElementsAre(kErms));
  EXPECT_THAT(plan->threshold_files, ElementsAre("sysdeps/x86/dl-cacheinfo.h"));
  EXPECT_THAT(plan->other_files, ElementsAre("NEWS", "string/test-memset.c"));
}

TEST_F(PatchedSourceTest, NothingIsCopiedWhenNothingIsCovered) {
  const auto plan = Apply(Change("NEWS", "x", "y"));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->kernel_files, IsEmpty());
  EXPECT_EQ(Patched("version.h"), "none");
}

TEST_F(PatchedSourceTest, WhatDoesNotApplyIsSaid) {
  EXPECT_THAT(Apply(Change(kErms, "three", "3")).status().message(),
              HasSubstr("p:4: sysdeps/x86_64/multiarch/memset-erms.S: hunk 1: "
                        "expected 'three' at line 1, found 'one'"));
}

TEST_F(PatchedSourceTest, AFolderOrATarballIsABase) {
  EXPECT_EQ(*OpenBase(base_, scratch_->path(), files_, subprocess_), base_);
  EXPECT_EQ(*ReleaseOf(base_, files_), "2.36");
  const std::string tarball = scratch_->path() + "/glibc-2.36.tar";
  ASSERT_EQ(
      std::system(("tar -C " + scratch_->path() +
                   " --transform=s,glibc,glibc-2.36, -cf " + tarball + " glibc")
                      .c_str()),
      0);
  const auto opened = OpenBase(tarball, scratch_->path(), files_, subprocess_);
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(*files_.Read(*opened + "/" + kErms), "one\ntwo\n");
}

TEST_F(PatchedSourceTest, OtherThingsAreNoBase) {
  const auto message = [&](const std::string& base) {
    return std::string(OpenBase(base, scratch_->path(), files_, subprocess_)
                           .status()
                           .message());
  };
  EXPECT_THAT(message("/nowhere"), HasSubstr("found nothing"));
  EXPECT_THAT(message(base_ + "/sysdeps"), HasSubstr("no version.h"));
  EXPECT_THAT(message(base_ + "/version.h"),
              HasSubstr("a file that tar cannot read"));
}

TEST(ScratchFolderTest, NothingIsLeft) {
  std::string path;
  {
    const auto scratch = ScratchFolder::Create(::testing::TempDir());
    ASSERT_TRUE(scratch.ok());
    path = scratch->path();
    ASSERT_TRUE(WriteFile(path + "/a/b", "x").ok());
    EXPECT_TRUE(advisor::RealFileReader().List(path).ok());
  }
  EXPECT_FALSE(advisor::RealFileReader().List(path).ok());
}

}  // namespace
}  // namespace glibc_patches
