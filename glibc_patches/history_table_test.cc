#include "glibc_patches/history_table.h"

#include <set>
#include <string>
#include <utility>

#include "glibc_patches/checks/check.h"
#include "glibc_patches/loaded_trees.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/measure/cell.h"
#include "kernels/variant.h"

namespace glibc_patches {
namespace {

TEST(HistoryTableTest, RowsAreSortedByDateAndWhole) {
  std::pair<absl::string_view, absl::string_view> last;
  for (const HistoryFix& fix : HistoryFixes()) {
    EXPECT_LT(last, std::make_pair(fix.date, fix.commit)) << fix.commit;
    last = {fix.date, fix.commit};
    EXPECT_THAT(std::string(fix.commit),
                ::testing::MatchesRegex("[0-9a-f]{40}"));
    EXPECT_THAT(std::string(fix.date),
                ::testing::MatchesRegex("20[0-9]{2}-[0-9]{2}-[0-9]{2}"));
    EXPECT_FALSE(fix.fault.empty()) << fix.commit;
    EXPECT_NE(fix.fault.back(), '.') << fix.commit;
  }
}

TEST(HistoryTableTest, EachEvidenceHasWhatItNeeds) {
  std::set<HistoryEvidence> seen;
  for (const HistoryFix& fix : HistoryFixes()) {
    seen.insert(fix.evidence);
    switch (fix.evidence) {
      case HistoryEvidence::kCheck:
        EXPECT_NE(FindCheck(fix.where), nullptr) << fix.where;
        EXPECT_FALSE(fix.variant.empty()) << fix.commit;
        EXPECT_TRUE(fix.limit.empty()) << fix.commit;
        break;
      case HistoryEvidence::kSpeed:
        EXPECT_TRUE(kernels::ParseCell("memcpy/100/" + std::string(fix.where) +
                                       "/hot/1")
                        .ok())
            << fix.where;
        EXPECT_FALSE(fix.variant.empty()) << fix.commit;
        break;
      case HistoryEvidence::kThresholds:
      case HistoryEvidence::kValues:
        EXPECT_NE(kernels::ParameterField(fix.where == "non_temporal_threshold"
                                              ? "shared_non_temporal_threshold"
                                              : fix.where),
                  nullptr)
            << fix.where;
        EXPECT_TRUE(fix.limit.empty()) << fix.commit;
        break;
      case HistoryEvidence::kNone:
        EXPECT_FALSE(fix.limit.empty()) << fix.commit;
        break;
    }
  }
  EXPECT_EQ(seen.size(), 5u);
}

}  // namespace
}  // namespace glibc_patches
