#include "kernels/source_version.h"

#include "gtest/gtest.h"

namespace kernels {
namespace {

TEST(SourceVersionTest, ReleasesAndTreesOnTheirWayToOne) {
  struct Row {
    const char* version;
    int release;
  };
  // Versions as version.h had them in glibc's history.
  constexpr Row kRows[] = {
      {"2.26", 26},      {"2.36", 36},      {"2.42", 42},
      {"2.25.90", 26},   {"2.26.9000", 27}, {"2.35.9000", 36},
      {"2.42.9000", 43}, {"2.24.90", 25},   {"2.0.6", 0},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(ReleaseOfVersion(row.version), row.release) << row.version;
  }
}

TEST(SourceVersionTest, WhatIsNoVersionHasNone) {
  for (const char* version :
       {"", "2", "2.", "2.x", "3.1", "2.36.x", "2.36.9000.1", "2.36+branch",
        "port of 2.28", "20.36", "2.-5", "2. 36", "2.+36", "2.2147483647.90"}) {
    EXPECT_EQ(ReleaseOfVersion(version), std::nullopt) << version;
  }
}

}  // namespace
}  // namespace kernels
