#include "glibc_patches/emulation.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "advisor/host/fake_subprocess.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace glibc_patches {
namespace {

using ::advisor::Command;
using ::testing::HasSubstr;

// Of the variants of this machine's glibc that the emulator has the features
// of, one with the fault of examples/memset_tail_off_by_one.patch.
constexpr char kVariant[] = "__memset_avx2_unaligned_erms";

const Emulator kSomeEmulator = {"/usr/bin/qemu-x86_64", "max"};

EmulatedRun RunOf(const std::string& tree) {
  EmulatedRun run;
  run.program = "/proc/self/exe";
  run.tree_path = tree;
  run.tree_name = "patched";
  run.variant = kVariant;
  run.only = {"accesses", "registers", "return_value"};
  return run;
}

TEST(FindEmulatorTest, LooksWhereThePathSays) {
  const advisor::FakeFileReader files(
      {{"/opt/bin/qemu-x86_64-static", ""}, {"/usr/bin/qemu-x86_64", ""}});
  const auto found = FindEmulator(
      advisor::Environment({"PATH=/bin::/opt/bin:/usr/bin"}), files);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->program, "/opt/bin/qemu-x86_64-static");
  EXPECT_EQ(found->Describe(), "qemu-x86_64-static -cpu max");
  EXPECT_EQ(FindEmulator(advisor::Environment({"PATH=/bin"}), files),
            std::nullopt);
}

TEST(WhyNotEmulatedTest, NamesChecksThatThereAre) {
  int skipped = 0;
  for (const CheckRow& row : AllChecks()) {
    skipped += WhyNotEmulated(row.id).has_value() ? 1 : 0;
  }
  EXPECT_EQ(skipped, 2);
  EXPECT_EQ(WhyNotEmulated("content"), std::nullopt);
  EXPECT_THAT(*WhyNotEmulated("accesses"), HasSubstr("single-step"));
}

TEST(RunEmulatedTest, StartsTheProgramUnderTheEmulator) {
  const advisor::FakeSubprocess subprocess(
      [](const Command&) { return advisor::Exited(0, "[]"); });
  const auto results =
      RunEmulated(kSomeEmulator, RunOf("/built/tree.0.so"),
                  advisor::Environment({"GLIBC_TUNABLES=x"}), subprocess);
  ASSERT_TRUE(results.ok());
  const Command& command = subprocess.commands().at(0);
  EXPECT_THAT(command.argv, ::testing::ElementsAre(
                                "/usr/bin/qemu-x86_64", "-cpu", "max",
                                "/proc/self/exe", kEmulatedChecks,
                                "representative", "1", "registers,return_value",
                                "patched=/built/tree.0.so", kVariant));
  EXPECT_EQ(command.environment.Get("GLIBC_TUNABLES"), std::nullopt);
  EmulatedRun beside = RunOf("/built/tree.0.so");
  beside.base_path = "/base/tree.0.so";
  ASSERT_TRUE(
      RunEmulated(kSomeEmulator, beside, advisor::Environment(), subprocess)
          .ok());
  EXPECT_EQ(subprocess.commands().at(1).argv.back(), "/base/tree.0.so");
  // What it cannot tell about is said all the same.
  ASSERT_EQ(results->size(), 1u);
  EXPECT_EQ(results->front().id, "accesses");
  EXPECT_EQ(results->front().variant, std::string("patched: ") + kVariant);
  EXPECT_THAT(results->front().reason, HasSubstr("single-step"));
}

TEST(RunEmulatedTest, NoAnswerIsAnError) {
  for (const auto& answer :
       {advisor::Exited(1, "[]", "qemu: unable to find CPU model\n"),
        advisor::KilledBy(11), advisor::TimedOut(), advisor::Exited(0, ""),
        advisor::Exited(0, "[{}]")}) {
    const advisor::FakeSubprocess subprocess(
        [&](const Command&) { return answer; });
    EXPECT_FALSE(RunEmulated(kSomeEmulator, RunOf("/t"), advisor::Environment(),
                             subprocess)
                     .ok())
        << answer.Describe();
  }
}

class RealEmulatorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    emulator_ = FindEmulator(environment_, files_);
    if (!emulator_.has_value()) GTEST_SKIP() << "no qemu-x86_64";
    if (!files_.Read("glibc_patches/base_tree/tree.0.so").ok()) {
      GTEST_SKIP() << "no glibc source on this machine";
    }
  }

  absl::StatusOr<std::vector<CheckResult>> Run(EmulatedRun run) {
    run.program = *files_.Resolve("/proc/self/exe");
    return RunEmulated(*emulator_, run, environment_,
                       advisor::RealSubprocess());
  }

  const advisor::Environment environment_ =
      advisor::Environment::OfThisProcess();
  const advisor::RealFileReader files_{};
  std::optional<Emulator> emulator_;
};

TEST_F(RealEmulatorTest, WhatIsRightPasses) {
  const auto results = Run(RunOf("glibc_patches/base_tree/tree.0.so"));
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_EQ(results->size(), 3u);
  EXPECT_EQ((*results)[0].status, CheckStatus::kSkipped);
  for (size_t i = 1; i < 3; ++i) {
    EXPECT_EQ((*results)[i].status, CheckStatus::kPassed) << (*results)[i].id;
    EXPECT_GT((*results)[i].calls, 1000) << (*results)[i].id;
  }
}

TEST_F(RealEmulatorTest, WhatIsWrongIsFoundWithItsCall) {
  EmulatedRun run = RunOf(
      "glibc_patches/examples/memset_tail_off_by_one_test_patched/tree.0.so");
  if (!files_.Read(run.tree_path).ok()) {
    GTEST_SKIP() << "the patch is for another release";
  }
  run.only = {"content"};
  const auto results = Run(run);
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_EQ(results->size(), 1u);
  EXPECT_EQ(results->front().status, CheckStatus::kFailed);
  ASSERT_EQ(results->front().findings.size(), 1u);
  ASSERT_TRUE(results->front().findings[0].call.has_value());
  EXPECT_THAT(results->front().findings[0].call->Describe(),
              HasSubstr("size 32,"));

  // Beside a base that does the same (one path would be one tree).
  run.base_path = testing::TempDir() + "/base.so";
  std::ofstream(run.base_path, std::ios::binary) << *files_.Read(run.tree_path);
  const auto beside = Run(run);
  ASSERT_TRUE(beside.ok()) << beside.status();
  EXPECT_EQ(beside->at(0).status, CheckStatus::kPassed);
  EXPECT_GT(beside->at(0).wrong_in_base, 0);
}

// QEMU 7.2 emulates no AVX-512.
TEST_F(RealEmulatorTest, WhatTheEmulatorLacksIsSkippedByName) {
  EmulatedRun run = RunOf("glibc_patches/base_tree/tree.0.so");
  run.variant = "__memset_avx512_unaligned_erms";
  const auto results = Run(run);
  ASSERT_TRUE(results.ok()) << results.status();
  for (const CheckResult& result : *results) {
    if (result.status == CheckStatus::kPassed) {
      GTEST_SKIP() << "this emulator has AVX-512";
    }
    EXPECT_EQ(result.status, CheckStatus::kSkipped) << result.id;
    if (result.id != "accesses") {
      EXPECT_EQ(result.reason, "needs AVX512VL");
    }
  }
}

}  // namespace
}  // namespace glibc_patches

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == glibc_patches::kEmulatedChecks) {
    return glibc_patches::ServeEmulatedChecks(
        std::vector<std::string>(argv + 2, argv + argc), std::cout);
  }
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
