#include "glibc_patches/tree_release.h"

#include "advisor/glibc/build.h"
#include "gtest/gtest.h"

namespace glibc_patches {
namespace {

TEST(TreeReleaseTest, ReleasesAndTreesOnTheirWayToOne) {
  struct Row {
    const char* version;
    int release;
  };
  // Versions as version.h had them in glibc's history.
  constexpr Row kRows[] = {
      {"2.26", 26},      {"2.36", 36},      {"2.42", 42},
      {"2.25.90", 26},   {"2.26.9000", 27}, {"2.35.9000", 36},
      {"2.36.9000", 37}, {"2.24.90", 26},   {"2.23", 26},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(ModelledRelease(row.version), row.release) << row.version;
  }
}

TEST(TreeReleaseTest, WhatIsNewerThanTheModelGetsItsLast) {
  for (const char* version : {"2.42.9000", "2.43", "2.99.9000"}) {
    EXPECT_EQ(ModelledRelease(version), advisor::kLastRelease) << version;
  }
}

TEST(TreeReleaseTest, WhatIsNoVersionHasNone) {
  for (const char* version :
       {"", "2", "2.", "2.x", "3.1", "2.36.x", "2.36.9000.1", "2.36+branch"}) {
    EXPECT_EQ(ModelledRelease(version), std::nullopt) << version;
  }
}

}  // namespace
}  // namespace glibc_patches
