#include "kernels/measure/latency_curve.h"

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace kernels {
namespace {

// A machine whose loads take as long as a table says; each request takes time.
class FakeMachine : public advisor::DialogueStarter {
 public:
  explicit FakeMachine(advisor::FakeClock& clock) : clock_(clock) {}

  mutable std::map<uint64_t, int> asked;  // how often, by size
  absl::Duration request_time = absl::Milliseconds(1);
  std::string chase_answer = "ok 1";

  absl::StatusOr<std::unique_ptr<advisor::Dialogue>> Start(
      const advisor::Command&) const override {
    return std::make_unique<FakeDialogue>(*this);
  }

 private:
  class FakeDialogue : public advisor::Dialogue {
   public:
    explicit FakeDialogue(const FakeMachine& machine) : machine_(machine) {}

    absl::StatusOr<std::string> Ask(absl::string_view line) override {
      machine_.clock_.Advance(machine_.request_time);
      const std::vector<std::string> words = absl::StrSplit(line, ' ');
      if (words[0] == "chase") return machine_.chase_answer;
      if (words[0] == "flushed") return "ok 300";
      if (words[0] != "latency") return "ok";
      uint64_t bytes;
      EXPECT_TRUE(absl::SimpleAtoi(words[1], &bytes));
      // One time in three an interrupt: the median does not show it.
      const int count = ++machine_.asked[bytes];
      return absl::StrCat("ok ", count % 3 == 0 ? 1e6 : std::log2(bytes));
    }

   private:
    const FakeMachine& machine_;
  };

  advisor::FakeClock& clock_;
};

WorkerSetup WorkerOf(const FakeMachine& machine) {
  advisor::Command command;
  command.argv = {"worker"};
  return {&machine, command, {0}};
}

TEST(LatencyCurveTest, HasThreeSizesAnOctaveInWholeLines) {
  const std::vector<uint64_t> sizes = WorkingSets(32768);
  EXPECT_EQ(sizes, (std::vector<uint64_t>{8192, 10304, 12992, 16384, 20608,
                                          25984, 32768}));
  EXPECT_EQ(WorkingSets(uint64_t{32} << 20).size(), 12 * 3 + 1u);
}

TEST(LatencyCurveTest, IsTheMedianOfTheRounds) {
  advisor::FakeClock clock;
  FakeMachine machine(clock);
  LatencyPlan plan;
  plan.largest = 65536;
  const auto curve =
      MeasureLatencyCurve(WorkerOf(machine), plan, clock, [](double) {});
  ASSERT_TRUE(curve.ok()) << curve.status();
  EXPECT_TRUE(curve->in_huge_pages);
  EXPECT_EQ(curve->memory_cycles, 300);
  ASSERT_EQ(curve->points.size(), 10u);
  for (const LatencyCurve::Point& point : curve->points) {
    EXPECT_EQ(machine.asked[point.bytes], 5);
    EXPECT_NEAR(point.cycles, std::log2(point.bytes), 1e-3) << point.bytes;
  }
}

TEST(LatencyCurveTest, OneRoundWhereTimeIsShort) {
  advisor::FakeClock clock;
  FakeMachine machine(clock);
  machine.request_time = absl::Seconds(1);
  machine.chase_answer = "ok 0";
  LatencyPlan plan;
  plan.largest = 65536;
  const auto curve =
      MeasureLatencyCurve(WorkerOf(machine), plan, clock, [](double) {});
  ASSERT_TRUE(curve.ok()) << curve.status();
  EXPECT_FALSE(curve->in_huge_pages);
  EXPECT_EQ(machine.asked[65536], 1);
}

TEST(LatencyCurveTest, TellsWhatTheWorkerCannotDo) {
  advisor::FakeClock clock;
  FakeMachine machine(clock);
  machine.chase_answer = "error cannot map 34603008 bytes";
  const auto curve = MeasureLatencyCurve(WorkerOf(machine), LatencyPlan(),
                                         clock, [](double) {});
  EXPECT_EQ(curve.status().message(), "worker: cannot map 34603008 bytes");
}

}  // namespace
}  // namespace kernels
