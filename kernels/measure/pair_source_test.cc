#include "kernels/measure/pair_source.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kernels {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const Cell kCell = {false, 4096, Alignment::kAligned, Regime::kHot, 1};

// Workers that answer from a table by their GLIBC_TUNABLES and write down what
// they were asked.
class FakeStarter : public advisor::DialogueStarter {
 public:
  mutable std::vector<std::string> asked;
  std::map<std::string, std::string> run_answers;
  std::string pairs_answer;

  absl::StatusOr<std::unique_ptr<advisor::Dialogue>> Start(
      const advisor::Command& command) const override {
    return std::make_unique<FakeDialogue>(
        *this, command.environment.Get("GLIBC_TUNABLES").value_or(""));
  }

 private:
  class FakeDialogue : public advisor::Dialogue {
   public:
    FakeDialogue(const FakeStarter& starter, std::string tunables)
        : starter_(starter), tunables_(std::move(tunables)) {}

    absl::StatusOr<std::string> Ask(absl::string_view line) override {
      starter_.asked.push_back(absl::StrCat(tunables_, "|", line));
      if (absl::StartsWith(line, "calls")) return "ok 7";
      if (absl::StartsWith(line, "run")) {
        return starter_.run_answers.at(tunables_);
      }
      if (absl::StartsWith(line, "pairs")) return starter_.pairs_answer;
      return "ok";
    }

   private:
    const FakeStarter& starter_;
    const std::string tunables_;
  };
};

WorkerSetup WorkerOf(const FakeStarter& starter) {
  advisor::Command command;
  command.argv = {"worker"};
  return {&starter, command, {1, 0}};
}

TEST(LibcPairSourceTest, AlternatesOneProcessASide) {
  FakeStarter starter;
  starter.run_answers = {{"", "ok 100"}, {"a=1", "ok 200"}};
  const LibcPairSourceFactory factory(WorkerOf(starter), {"", "a=1"});
  const auto source = *factory.Start(1);
  const Pairs pairs = *source->Measure(kCell, 0, 1, 20);
  ASSERT_EQ(pairs.log_ratios.size(), 20u);
  EXPECT_NEAR(pairs.log_ratios[0], 0.6931, 1e-4);
  EXPECT_EQ(pairs.base_cycles, 100);
  EXPECT_EQ(pairs.candidate_cycles, 200);
  EXPECT_THAT(starter.asked, Contains("a=1|cpus 1,0"));
  EXPECT_THAT(starter.asked, Contains("|libc"));
  // Both orders within a pair occur.
  const std::string all = absl::StrJoin(starter.asked, ";");
  EXPECT_THAT(all, HasSubstr("|run 0 7;a=1|run 0 7"));
  EXPECT_THAT(all, HasSubstr("a=1|run 0 7;|run 0 7"));
}

TEST(VariantPairSourceTest, AsksOneProcessForAll) {
  FakeStarter starter;
  starter.pairs_answer = "ok 100 200 0.7 0.6";
  KernelParameters low;
  low.non_temporal_threshold = 65536;
  const VariantPairSourceFactory factory(WorkerOf(starter), "glibc",
                                         "__memmove_erms", "", {{}, low});
  const auto source = *factory.Start(1);
  const Pairs pairs = *source->Measure(kCell, 0, 1, 2);
  EXPECT_THAT(pairs.log_ratios, ::testing::ElementsAre(0.7, 0.6));
  EXPECT_THAT(starter.asked, Contains("|variants glibc __memmove_erms -"));
  EXPECT_THAT(starter.asked,
              Contains("|parameters - non_temporal_threshold=65536"));
  EXPECT_THAT(starter.asked, Contains("|pairs 0 1 7 2"));
}

TEST(RoutinePairSourceTest, TellsItsWorkerWhatEachSideCalls) {
  FakeStarter starter;
  starter.pairs_answer = "ok 100 110 0.1 0.09";
  KernelParameters low;
  low.rep_movsb_threshold = 256;
  const RoutinePairSourceFactory factory(
      WorkerOf(starter),
      {{"base", "__memmove_x", "", low}, {"patched", "", "__memset_y", {}}});
  EXPECT_EQ(factory.sides(), 2);
  const auto source = factory.Start(7);
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_THAT(starter.asked, Contains("|routines base,__memmove_x,- "
                                      "patched,-,__memset_y"));
  EXPECT_THAT(starter.asked, Contains("|parameters rep_movsb_threshold=256 -"));
  const auto pairs = (*source)->Measure(kCell, 0, 1, 2);
  ASSERT_TRUE(pairs.ok()) << pairs.status();
  EXPECT_EQ(pairs->candidate_cycles, 110);
}

TEST(VariantPairSourceTest, SaysWhatAWorkerAnswered) {
  FakeStarter starter;
  const VariantPairSourceFactory factory(WorkerOf(starter), "glibc", "a", "b",
                                         {{}, {}});
  for (const auto& [answer, words] :
       std::vector<std::pair<std::string, std::string>>{
           {"error no memory", "worker: no memory"},
           {"ok 1 2 3", "a pair is missing"},
           {"ok 1 2 3 x", "expected a number, found 'x'"},
           {"what?", "expected 'ok', found 'what?'"}}) {
    starter.pairs_answer = answer;
    const auto source = *factory.Start(1);
    EXPECT_THAT(source->Measure(kCell, 0, 1, 2).status().message(),
                HasSubstr(words));
  }
}

}  // namespace
}  // namespace kernels
