#include "advisor/glibc/change.h"

#include <set>
#include <string>

#include "advisor/glibc/build.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

bool IsHash(absl::string_view text, size_t length) {
  return text.size() == length &&
         text.find_first_not_of("0123456789abcdef") == absl::string_view::npos;
}

bool IsDate(absl::string_view text) {
  return text.size() == 10 && text[4] == '-' && text[7] == '-' &&
         text >= "2017-01-01" && text <= "2026-01-31";
}

TEST(Changes, OneRowForEachInOrder) {
  ASSERT_EQ(AllChanges().size(), kChangeCount);
  for (size_t i = 0; i < kChangeCount; ++i) {
    EXPECT_EQ(static_cast<size_t>(AllChanges()[i].change), i);
  }
}

TEST(Changes, AreDated) {
  std::set<absl::string_view> commits;
  for (const ChangeRow& row : AllChanges()) {
    EXPECT_TRUE(IsHash(row.commit, 12)) << row.commit;
    EXPECT_TRUE(commits.insert(row.commit).second) << row.commit;
    EXPECT_TRUE(IsDate(row.date)) << row.commit;
    EXPECT_FALSE(row.effect.empty()) << row.commit;
    EXPECT_EQ(row.effect.back(), '.') << row.commit;
    EXPECT_GT(row.first_release, kFirstRelease) << row.commit;
    EXPECT_LE(row.first_release, kLastRelease + 1) << row.commit;
  }
}

TEST(Changes, BackportsGoToOlderBranchesLater) {
  for (const ChangeRow& row : AllChanges()) {
    int previous = 0;
    for (const Backport& backport : row.backports) {
      EXPECT_GT(backport.release, previous) << row.commit;
      previous = backport.release;
      EXPECT_LT(backport.release, row.first_release) << row.commit;
      EXPECT_TRUE(IsHash(backport.commit, 10)) << row.commit;
      EXPECT_TRUE(IsDate(backport.date)) << row.commit;
      EXPECT_GE(backport.date, row.date) << row.commit;
    }
  }
}

}  // namespace
}  // namespace advisor
