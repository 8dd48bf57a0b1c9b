// The rows of coverage.cc against the files under each release's tag, in the
// clone of glibc that $GLIBC_HISTORY names.

#include <map>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "advisor/glibc/build.h"
#include "advisor/host/environment.h"
#include "advisor/host/subprocess.h"
#include "glibc_patches/coverage.h"
#include "gtest/gtest.h"

namespace glibc_patches {
namespace {

using ::advisor::kFirstRelease;
using ::advisor::kLastRelease;

std::set<std::string> FilesOfTag(const std::string& history, int release) {
  advisor::Command command;
  command.argv = {"/usr/bin/env",
                  "git",
                  "-C",
                  history,
                  "ls-tree",
                  "-r",
                  "--name-only",
                  absl::StrCat("glibc-2.", release),
                  "sysdeps/x86",
                  "sysdeps/x86_64",
                  "sysdeps/generic"};
  // ls-tree takes "sysdeps/x86" for the folder itself.
  for (size_t i = command.argv.size() - 3; i < command.argv.size(); ++i) {
    command.argv[i] += "/";
  }
  command.environment = advisor::Environment::OfThisProcess();
  const auto result = advisor::RealSubprocess().Run(command);
  if (!result.ok() || !result->succeeded()) return {};
  return absl::StrSplit(result->standard_output, '\n', absl::SkipEmpty());
}

TEST(CoverageHistoryTest, RowsSayWhichReleasesHaveTheFiles) {
  const auto history =
      advisor::Environment::OfThisProcess().Get("GLIBC_HISTORY");
  if (!history.has_value() || history->empty()) {
    GTEST_SKIP() << "no $GLIBC_HISTORY names a clone of glibc";
  }
  for (int release = kFirstRelease; release <= kLastRelease; ++release) {
    const std::set<std::string> files = FilesOfTag(*history, release);
    if (files.empty()) {
      GTEST_SKIP() << *history << " has no tag glibc-2." << release;
    }
    for (const CoverageRow& row : CoverageRows()) {
      bool found = false;
      for (const std::string& file : files) found |= row.Matches(file);
      const bool expected =
          release >= row.first_release &&
          (row.last_release == 0 || release <= row.last_release);
      EXPECT_EQ(found, expected) << row.pattern << " in 2." << release;
    }
  }
}

}  // namespace
}  // namespace glibc_patches
