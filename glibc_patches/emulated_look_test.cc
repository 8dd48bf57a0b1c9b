#include "glibc_patches/emulated_look.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "advisor/host/fake_subprocess.h"
#include "glibc_patches/check_result_json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace glibc_patches {
namespace {

using ::advisor::Command;
using ::advisor::CommandResult;
using ::advisor::Exited;
using ::testing::HasSubstr;

const Emulator kEmulator = {"/usr/bin/qemu-x86_64", "max"};

const LackingVariant kLacking = {"__memset_avx2_unaligned", "AVX2", true};

std::string Answer(CheckStatus status, const std::string& reason = "",
                   int64_t wrong_in_base = 0) {
  CheckResult result;
  result.wrong_in_base = wrong_in_base;
  result.id = "content";
  result.variant = "patched: __memset_avx2_unaligned";
  result.status = status;
  result.reason = reason;
  if (status == CheckStatus::kFailed) {
    result.findings = {{"content", "byte 1 is wrong", std::nullopt}};
  }
  return CheckResultsToJson({result});
}

class EmulatedLookTest : public ::testing::Test {
 protected:
  absl::Status Look(std::vector<LackingVariant> variants,
                    std::optional<Emulator> emulator = kEmulator) {
    const advisor::FakeSubprocess subprocess([this](const Command& command) {
      const bool beside_base = absl::StartsWith(command.argv.back(), "/");
      return beside_base ? beside_base_ : patched_;
    });
    const advisor::Environment environment;
    const EmulatedLook look{
        std::move(emulator),
        "/program",
        "/base",
        "/patched",
        1,
        environment,
        subprocess,
        [](const std::string&) {},
        [this](const CheckResult& check) { told_.push_back(check.id); }};
    return LookUnderEmulator(variants, look, verdict_);
  }

  absl::StatusOr<CommandResult> patched_ =
      Exited(0, Answer(CheckStatus::kPassed));
  absl::StatusOr<CommandResult> beside_base_ =
      Exited(0, Answer(CheckStatus::kPassed));
  Verdict verdict_;
  std::vector<std::string> told_;
};

TEST_F(EmulatedLookTest, WhatIsRightIsCheckedButNotMeasured) {
  ASSERT_TRUE(Look({kLacking}).ok());
  ASSERT_EQ(verdict_.unmeasured.size(), 1u);
  EXPECT_EQ(verdict_.unmeasured[0].reason,
            "needs AVX2: checked under qemu-x86_64 -cpu max");
  EXPECT_TRUE(verdict_.skipped.empty());
  // What an emulator cannot tell about, and what it did.
  EXPECT_THAT(told_, ::testing::UnorderedElementsAre("accesses", "content",
                                                     "transaction"));
  for (const CheckResult& check : verdict_.checks) {
    const bool emulated = check.id == "content";
    EXPECT_EQ(check.status == CheckStatus::kPassed, emulated) << check.id;
    EXPECT_EQ(!check.notes.empty(), emulated) << check.id;
  }
}

TEST_F(EmulatedLookTest, WhatIsWrongEndsTheLook) {
  patched_ = beside_base_ = Exited(0, Answer(CheckStatus::kFailed, "", 3));
  ASSERT_TRUE(Look({kLacking, {"__memset_avx2_erms", "AVX2", false}}).ok());
  EXPECT_TRUE(verdict_.base_failures.empty());
  EXPECT_EQ(verdict_.unmeasured.size(), 1u);
  ASSERT_EQ(verdict_.skipped.size(), 1u);
  EXPECT_EQ(verdict_.skipped[0].name, "__memset_avx2_erms");
  verdict_.changed = {"__memset_avx2_unaligned", "__memset_avx2_erms"};
  Decide(verdict_);
  EXPECT_EQ(verdict_.decision, Decision::kReject);
}

TEST_F(EmulatedLookTest, WhatTheBaseFailsTooIsNoFaultOfThePatch) {
  patched_ = Exited(0, Answer(CheckStatus::kFailed));
  beside_base_ = Exited(0, Answer(CheckStatus::kPassed, "", 3));
  ASSERT_TRUE(Look({kLacking}).ok());
  EXPECT_THAT(verdict_.base_failures,
              ::testing::ElementsAre("patched: __memset_avx2_unaligned "
                                     "content"));
  // Neither once more, nor in the base: it comes and goes.
  verdict_ = {};
  beside_base_ = Exited(0, Answer(CheckStatus::kPassed));
  ASSERT_TRUE(Look({kLacking}).ok());
  EXPECT_TRUE(verdict_.base_failures.empty());
}

TEST_F(EmulatedLookTest, WhatTheEmulatorLacksIsSkippedByName) {
  patched_ = Exited(0, Answer(CheckStatus::kSkipped, "needs AVX512BW"));
  ASSERT_TRUE(Look({{"__memset_evex_unaligned", "AVX512VL", true}}).ok());
  EXPECT_TRUE(verdict_.checks.empty());
  EXPECT_TRUE(verdict_.unmeasured.empty());
  ASSERT_EQ(verdict_.skipped.size(), 1u);
  EXPECT_EQ(verdict_.skipped[0].reason,
            "needs AVX512VL; qemu-x86_64 -cpu max lacks AVX512BW");
}

TEST_F(EmulatedLookTest, WithoutAnEmulatorOrWithABrokenOneItIsSkipped) {
  ASSERT_TRUE(Look({kLacking}, std::nullopt).ok());
  EXPECT_EQ(verdict_.skipped.at(0).reason,
            "needs AVX2, and there is no qemu-x86_64");
  patched_ = advisor::KilledBy(11);
  ASSERT_TRUE(Look({kLacking}).ok());
  EXPECT_THAT(verdict_.skipped.at(1).reason, HasSubstr("SIGSEGV"));
  EXPECT_TRUE(verdict_.checks.empty());
}

TEST_F(EmulatedLookTest, ASignalEndsIt) {
  patched_ = absl::CancelledError("interrupted");
  EXPECT_TRUE(absl::IsCancelled(Look({kLacking})));
}

}  // namespace
}  // namespace glibc_patches
