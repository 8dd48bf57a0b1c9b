#include "glibc_patches/tree_release.h"

#include "advisor/glibc/build.h"
#include "gtest/gtest.h"

namespace glibc_patches {
namespace {

TEST(TreeReleaseTest, WhatTheModelKnows) {
  EXPECT_EQ(ModelledRelease("2.36"), 36);
  EXPECT_EQ(ModelledRelease("2.35.9000"), 36);
}

TEST(TreeReleaseTest, OlderAndNewerTreesGetTheFirstAndTheLast) {
  for (const char* version : {"2.23", "2.24.90", "2.26"}) {
    EXPECT_EQ(ModelledRelease(version), advisor::kFirstRelease) << version;
  }
  for (const char* version : {"2.42.9000", "2.43", "2.99.9000"}) {
    EXPECT_EQ(ModelledRelease(version), advisor::kLastRelease) << version;
  }
}

TEST(TreeReleaseTest, WhatIsNoVersionHasNone) {
  for (const char* version : {"", "2.x", "2.36-9+deb12u14"}) {
    EXPECT_EQ(ModelledRelease(version), std::nullopt) << version;
  }
}

}  // namespace
}  // namespace glibc_patches
