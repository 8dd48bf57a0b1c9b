#include "advisor/glibc/distribution.h"

#include <tuple>

#include "gtest/gtest.h"

namespace advisor {
namespace {

TEST(Distribution, RowsAreSorted) {
  const auto key = [](const DistributionRow& row) {
    return std::make_tuple(row.release, row.prefix, row.suffix, row.from);
  };
  const auto rows = AllDistributionRows();
  for (size_t i = 1; i < rows.size(); ++i) {
    EXPECT_LT(key(rows[i - 1]), key(rows[i])) << i;
  }
}

TEST(Distribution, RowsDoNotOverlap) {
  const auto rows = AllDistributionRows();
  for (size_t i = 1; i < rows.size(); ++i) {
    EXPECT_LE(rows[i].from, rows[i].to);
    if (rows[i].release == rows[i - 1].release &&
        rows[i].prefix == rows[i - 1].prefix &&
        rows[i].suffix == rows[i - 1].suffix) {
      EXPECT_GT(rows[i].from, rows[i - 1].to);
    }
  }
}

TEST(Distribution, RowsSayWhereTheyComeFrom) {
  for (const DistributionRow& row : AllDistributionRows()) {
    EXPECT_FALSE(row.note.empty());
    EXPECT_FALSE(row.source.empty());
    EXPECT_TRUE(row.branch_date.empty() || row.branch_date.size() == 10);
  }
}

TEST(Distribution, PicksTheRowOfTheRevision) {
  EXPECT_EQ(FindDistributionRow(36, "9+deb12u1")->from, 1);
  EXPECT_EQ(FindDistributionRow(36, "9+deb12u4")->from, 3);
  EXPECT_EQ(FindDistributionRow(36, "9+deb12u14")->from, 10);
  EXPECT_EQ(FindDistributionRow(36, "9+deb12u140")->from, 15);
  EXPECT_EQ(FindDistributionRow(36, "9")->from, 9);
  EXPECT_EQ(FindDistributionRow(36, "9+b1")->from, 9);
  EXPECT_EQ(FindDistributionRow(28, "251.el8_10.2")->from, 242);
  EXPECT_TRUE(FindDistributionRow(41, "12+deb13u5")->certain);
}

TEST(Distribution, LeavesOthersAlone) {
  EXPECT_EQ(FindDistributionRow(36, "8"), nullptr);
  EXPECT_EQ(FindDistributionRow(36, "10"), nullptr);
  EXPECT_EQ(FindDistributionRow(36, "9+deb12u"), nullptr);
  EXPECT_EQ(FindDistributionRow(36, "9+deb12u0"), nullptr);
  EXPECT_EQ(FindDistributionRow(36, "9ubuntu4"), nullptr);
  EXPECT_EQ(FindDistributionRow(36, "18.fc37"), nullptr);
  EXPECT_EQ(FindDistributionRow(35, "9+deb12u14"), nullptr);
  EXPECT_EQ(FindDistributionRow(41, "12+deb13u4"), nullptr);
  EXPECT_EQ(FindDistributionRow(28, "241.el8"), nullptr);
  EXPECT_EQ(FindDistributionRow(28, "241.fc30"), nullptr);
  EXPECT_EQ(FindDistributionRow(28, ""), nullptr);
}

}  // namespace
}  // namespace advisor
