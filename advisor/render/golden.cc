#include "advisor/render/golden.h"

#include <stdlib.h>

#include <fstream>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "advisor/host/file_reader.h"
#include "gtest/gtest.h"

namespace advisor {

void ExpectGolden(const std::string& path, const std::string& content) {
  // Set by `bazel run` only.
  if (const char* const sources = getenv("BUILD_WORKSPACE_DIRECTORY")) {
    const std::string target = absl::StrCat(sources, "/", path);
    std::ofstream file(target, std::ios::binary);
    file << content;
    ADD_FAILURE() << (file.flush() ? "wrote " : "cannot write ") << target;
    return;
  }
  const absl::StatusOr<std::string> expected = RealFileReader().Read(path);
  ASSERT_TRUE(expected.ok()) << expected.status();
  EXPECT_EQ(*expected, content)
      << path << " differs; when that is right, `bazel run` this test";
}

}  // namespace advisor
