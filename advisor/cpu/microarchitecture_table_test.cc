#include "advisor/cpu/microarchitecture_table.h"

#include <tuple>

#include "gtest/gtest.h"

namespace advisor {
namespace {

TEST(MicroarchitectureTableTest, IsSortedDisjointAndSourced) {
  const auto table = MicroarchitectureTable();
  ASSERT_GT(table.size(), 100);
  for (size_t i = 0; i < table.size(); ++i) {
    const MicroarchitectureRow& row = table[i];
    EXPECT_LE(row.first_model, row.last_model) << row.name;
    EXPECT_LE(row.first_stepping, row.last_stepping) << row.name;
    EXPECT_LE(row.last_stepping, 15) << row.name;
    EXPECT_LE(row.last_model, 0xff) << row.name;
    EXPECT_FALSE(row.name.empty());
    EXPECT_FALSE(row.source.empty()) << row.name;
    if (i == 0) continue;
    const MicroarchitectureRow& last = table[i - 1];
    const auto end = std::make_tuple(last.vendor, last.family, last.last_model,
                                     last.last_stepping);
    const auto begin = std::make_tuple(row.vendor, row.family, row.first_model,
                                       row.first_stepping);
    EXPECT_LT(end, begin) << last.name << " and " << row.name;
  }
}

absl::string_view NameOf(VendorKind vendor, uint32_t family, uint32_t model,
                         uint32_t stepping = 0) {
  const MicroarchitectureRow* row =
      FindMicroarchitecture(vendor, family, model, stepping);
  return row == nullptr ? "unknown" : row->name;
}

TEST(FindMicroarchitectureTest, TellsNeighboursApart) {
  EXPECT_EQ(NameOf(VendorKind::kIntel, 6, 0x3e, 7), "Ivy Bridge");
  EXPECT_EQ(NameOf(VendorKind::kIntel, 6, 0x3f), "Haswell");
  EXPECT_EQ(NameOf(VendorKind::kIntel, 6, 0x55, 4), "Skylake-SP");
  EXPECT_EQ(NameOf(VendorKind::kIntel, 6, 0x55, 7), "Cascade Lake");
  EXPECT_EQ(NameOf(VendorKind::kIntel, 6, 0x55, 11), "Cooper Lake");
  EXPECT_EQ(NameOf(VendorKind::kIntel, 6, 0xcc), "Panther Lake");
  EXPECT_EQ(NameOf(VendorKind::kIntel, 6, 0xdd), "Clearwater Forest");
  EXPECT_EQ(NameOf(VendorKind::kIntel, 19, 1), "Diamond Rapids");
  EXPECT_EQ(NameOf(VendorKind::kIntel, 19, 2), "unknown");
  EXPECT_EQ(NameOf(VendorKind::kAmd, 0x17, 0x31), "Zen 2");
  EXPECT_EQ(NameOf(VendorKind::kAmd, 0x17, 0x18), "Zen+");
  EXPECT_EQ(NameOf(VendorKind::kAmd, 0x19, 0x01), "Zen 3");
  EXPECT_EQ(NameOf(VendorKind::kAmd, 0x19, 0x11), "Zen 4");
  EXPECT_EQ(NameOf(VendorKind::kAmd, 0x1a, 0x02), "Zen 5");
  EXPECT_EQ(NameOf(VendorKind::kAmd, 0x1b, 0x02), "unknown");
  EXPECT_EQ(NameOf(VendorKind::kHygon, 0x18, 0), "Dhyana");
  EXPECT_EQ(NameOf(VendorKind::kZhaoxin, 7, 0x5b), "YongFeng");
  EXPECT_EQ(NameOf(VendorKind::kOther, 6, 0x3e), "unknown");
}

TEST(VendorKindOfTest, ComparesTheWholeString) {
  EXPECT_EQ(VendorKindOf("GenuineIntel"), VendorKind::kIntel);
  EXPECT_EQ(VendorKindOf("GenuineIotel"), VendorKind::kOther);
  EXPECT_EQ(VendorKindOf("HygonGenuine"), VendorKind::kHygon);
  EXPECT_EQ(VendorKindOf("  Shanghai  "), VendorKind::kZhaoxin);
  EXPECT_EQ(VendorKindOf("CentaurHauls"), VendorKind::kZhaoxin);
  EXPECT_EQ(VendorKindOf(""), VendorKind::kOther);
}

}  // namespace
}  // namespace advisor
