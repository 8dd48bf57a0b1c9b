// A check beside a base: what is wrong there too is no finding, and what is
// wrong besides still is.

#include <ostream>
#include <string>

#include "absl/strings/string_view.h"
#include "glibc_patches/checks/check.h"
#include "glibc_patches/checks/planted.h"
#include "glibc_patches/checks/runner.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/variant.h"

namespace glibc_patches {
namespace {

using ::testing::HasSubstr;

struct Row {
  absl::string_view planted;
  absl::string_view base;
  absl::string_view id;
};

std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << row.id << ": " << row.planted << " beside " << row.base;
}

CheckResult Check(const Row& row) {
  const kernels::Variant patched = PlantedVariant(row.planted);
  const kernels::Variant base = PlantedVariant(row.base);
  CheckContext context{patched, Effort::kQuick};
  context.base = &base;
  return RunCheck(*FindCheck(row.id), context);
}

TEST(BesideBaseTest, WhatIsWrongThereTooIsNoFinding) {
  for (const Row& row :
       {Row{"wrong_byte", "wrong_byte", "content"},
        Row{"wrong_byte", "wrong_byte_twice", "content"},
        Row{"wrong_byte_twice", "wrong_byte_twice", "content"},
        Row{"crashes", "crashes", "content"},
        Row{"crashes_twice", "crashes_twice", "content"},
        // One tells of it by its answer, the other by its death.
        Row{"crashes", "wrong_byte", "content"},
        Row{"wrong_byte", "crashes", "content"},
        Row{"writes_far", "writes_far", "content"},
        Row{"exits", "kills", "content"},
        Row{"reads_past", "reads_past", "guard_pages"},
        Row{"clobbers_rbx", "moves_stack", "registers"},
        Row{"not_fenced", "not_fenced", "store_fence"},
        Row{"not_fenced", "not_fenced_twice", "store_fence"},
        Row{"not_fenced_twice", "not_fenced_twice", "store_fence"}}) {
    const CheckResult result = Check(row);
    EXPECT_EQ(result.status, CheckStatus::kPassed) << row;
    EXPECT_TRUE(result.findings.empty()) << row;
    EXPECT_GT(result.wrong_in_base, 0) << row;
    EXPECT_THAT(result.notes, ::testing::Contains(HasSubstr("are wrong in")))
        << row;
  }
}

TEST(BesideBaseTest, WhatIsWrongBesidesIsFoundAndMadeSmall) {
  for (const Row& row : {Row{"wrong_byte_twice", "wrong_byte", "content"},
                         Row{"crashes_twice", "crashes", "content"},
                         Row{"crashes_twice", "wrong_byte", "content"},
                         Row{"wrong_byte_twice", "crashes", "content"}}) {
    const CheckResult result = Check(row);
    ASSERT_EQ(result.status, CheckStatus::kFailed) << row;
    ASSERT_TRUE(result.findings.at(0).call.has_value()) << row;
    EXPECT_EQ(result.findings[0].call->size, 150u) << row;
  }
  const CheckResult fences =
      Check({"not_fenced_twice", "not_fenced", "store_fence"});
  ASSERT_EQ(fences.status, CheckStatus::kFailed);
  EXPECT_EQ(fences.findings.size(), 2u);
}

TEST(BesideBaseTest, ABaseThatIsRightChangesNothing) {
  for (const char* wrong : {"wrong_byte", "crashes", "writes_far"}) {
    const CheckResult result = Check({wrong, "honest", "content"});
    ASSERT_EQ(result.status, CheckStatus::kFailed) << wrong;
    EXPECT_EQ(result.findings.at(0).call->size, 100u) << wrong;
    EXPECT_EQ(result.wrong_in_base, 0) << wrong;
  }
  const CheckResult right = Check({"honest", "wrong_byte", "content"});
  EXPECT_EQ(right.status, CheckStatus::kPassed);
  EXPECT_EQ(right.wrong_in_base, 0);
}

TEST(BesideBaseTest, EndsWhenTimeIsUp) {
  const kernels::Variant patched = PlantedVariant("crashes_twice");
  const kernels::Variant base = PlantedVariant("crashes");
  CheckContext context{patched, Effort::kQuick};
  context.base = &base;
  RunLimits limits;
  limits.deaths = absl::ZeroDuration();
  const CheckResult result = RunCheck(*FindCheck("content"), context, limits);
  EXPECT_EQ(result.status, CheckStatus::kPassed);
  EXPECT_EQ(result.wrong_in_base, 1);
  EXPECT_THAT(result.notes, ::testing::Contains(HasSubstr("for want of time")));
}

}  // namespace
}  // namespace glibc_patches
