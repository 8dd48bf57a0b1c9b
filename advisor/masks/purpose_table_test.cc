#include "advisor/masks/purpose_table.h"

#include "gtest/gtest.h"

namespace advisor {
namespace {

TEST(PurposeTableTest, RowsAreSortedAndWhole) {
  absl::string_view last;
  for (const PurposeRow& row : AllPurposes()) {
    EXPECT_LT(last, row.name);
    last = row.name;
    EXPECT_FALSE(row.summary.empty() || row.reference.empty()) << row.name;
    EXPECT_NE(row.summary.back(), '.') << row.name;
    EXPECT_TRUE(!row.hides.empty() || row.hides_what_differs) << row.name;
    EXPECT_GE(row.least_cpus, 1u) << row.name;
    EXPECT_FALSE(row.limits.empty()) << row.name;
    for (const absl::string_view limit : row.limits) {
      EXPECT_EQ(limit.back(), '.') << row.name;
    }
    EXPECT_EQ(FindPurpose(row.name), &row);
  }
  EXPECT_EQ(FindPurpose("no-avx2"), nullptr);
}

TEST(PurposeTableTest, ListsEndWhereTheirRegistersDo) {
  EXPECT_EQ(FeatureName(Avx512Features().back()), "AVX512PF");
  EXPECT_EQ(FeatureName(AvxFeatures().back()), "FMA4");
  for (const Feature feature : Avx512Features()) {
    EXPECT_EQ(FeatureName(feature).substr(0, 6), "AVX512");
  }
}

}  // namespace
}  // namespace advisor
