#include "kernels/measure/worker.h"

#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/variant.h"

namespace kernels {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> Ask(const std::vector<std::string>& requests) {
  std::istringstream in(absl::StrJoin(requests, "\n"));
  std::ostringstream out;
  EXPECT_EQ(ServeWorker(in, out), 0);
  return absl::StrSplit(out.str(), '\n');
}

TEST(WorkerTest, MeasuresTheLibc) {
  const auto answers = Ask({"seed 7", "libc", "cell memcpy/4096/aligned/hot/1",
                            "calls 0 100000", "run 0 10", "warm 0"});
  EXPECT_EQ(answers[0], "ok");
  EXPECT_EQ(answers[1], "ok");
  EXPECT_EQ(answers[2], "ok");
  EXPECT_THAT(answers[3], StartsWith("ok "));
  EXPECT_THAT(answers[4], StartsWith("ok "));
  EXPECT_EQ(answers[5], "ok");
}

// The ports are in every binary.
uint64_t PortsThreshold() {
  for (const Tree* tree : AllTrees()) {
    if (tree->name() == "ports") {
      return *tree->parameters().non_temporal_threshold;
    }
  }
  ADD_FAILURE() << "no ports";
  return 0;
}

// Two numbers and the ratios of five pairs.
void ExpectFivePairs(const std::string& answer) {
  const std::vector<std::string> words = absl::StrSplit(answer, ' ');
  ASSERT_EQ(words.size(), 8u) << answer;
  EXPECT_EQ(words[0], "ok");
  EXPECT_GT(std::stod(words[1]), 0);
  EXPECT_GT(std::stod(words[2]), 0);
}

// What a side runs with is what the tree's variables hold after it. (How long
// it takes depends on the build: a sanitizer slows our ports, not their
// non-temporal stores.)
TEST(WorkerTest, AlternatesSettingsOfAVariant) {
  const auto answers =
      Ask({"variants ports port_memmove_sse2_unaligned -",
           "parameters non_temporal_threshold=1000000 non_temporal_threshold=0",
           "cell memcpy/4096/aligned/hot/1", "pairs 0 1 20 5", "run 0 1"});
  EXPECT_EQ(answers[2], "ok");
  ExpectFivePairs(answers[3]);
  EXPECT_EQ(PortsThreshold(), 1000000u);
  Ask({"variants ports port_memmove_sse2_unaligned -",
       "parameters non_temporal_threshold=1000000 non_temporal_threshold=0",
       "cell memcpy/4096/aligned/hot/1", "run 1 1"});
  EXPECT_EQ(PortsThreshold(), 0u);
}

// Each side has its own code; the trees' variables are the side's too.
TEST(WorkerTest, AlternatesRoutines) {
  const std::string ports = "ports,port_memmove_sse2_unaligned,-";
  const auto answers =
      Ask({"routines " + ports + " " + ports,
           "parameters non_temporal_threshold=1000000 non_temporal_threshold=0",
           "cell memcpy/4096/aligned/hot/1", "pairs 0 1 20 5", "pairs 0 2 20 5",
           "cell memset/4096/aligned/hot/1", "pairs 0 1 20 5",
           "routines ports,none,-", "routines ports"});
  ExpectFivePairs(answers[3]);
  EXPECT_EQ(answers[4], "error no side 2");
  EXPECT_EQ(answers[6], "error nothing to call for this cell");
  EXPECT_EQ(answers[7], "error no variant none in tree ports");
  EXPECT_EQ(answers[8], "error expected TREE,COPY,SET, found 'ports'");
}

TEST(WorkerTest, SaysWhatItCannotDo) {
  for (const auto& [request, reason] :
       std::vector<std::pair<std::string, std::string>>{
           {"dance", "no such request: 'dance'"},
           {"", "an empty line"},
           {"cell", "cell: too few words"},
           {"cell memcpy/1/aligned/hot/1", "nothing to call"},
           {"run 0 1", "no cell"},
           {"seed x", "expected a number, found 'x'"},
           {"cpus 0,x", "expected a number, found 'x'"},
           {"variants glibc none -", "no variant none in tree glibc"},
           {"parameters speed=1", "expected PARAMETER=BYTES"}}) {
    const std::string answer = Ask({request, "seed 1"})[0];
    EXPECT_THAT(answer, StartsWith("error ")) << request;
    EXPECT_THAT(answer, HasSubstr(reason)) << request;
  }
}

TEST(WorkerTest, RefusesASideThatIsNotThere) {
  const auto answers =
      Ask({"variants ports port_memmove_sse2_unaligned -",
           "parameters non_temporal_threshold=1000000",
           "cell memcpy/64/aligned/hot/1", "pairs 0 1 1 1", "pairs 0 0 0 1"});
  EXPECT_EQ(answers[3], "error no side 1");
  EXPECT_EQ(answers[4], "error pairs: nothing to do");
}

// A cycle leads through every line before it comes back, so each load is a
// different one; lines that were evicted take no less than those that were not.
TEST(WorkerTest, ChasesPointersThroughAWorkingSet) {
  const auto answers = Ask({"seed 3", "chase 1048576", "latency 8192 4000",
                            "latency 1048576 4000", "flushed 1048576 4000"});
  EXPECT_THAT(answers[1], ::testing::AnyOf("ok 0", "ok 1"));
  for (const size_t i : {2, 3, 4}) {
    ASSERT_THAT(answers[i], StartsWith("ok "));
    EXPECT_GT(std::stod(answers[i].substr(3)), 0);
  }
  EXPECT_GT(std::stod(answers[4].substr(3)), std::stod(answers[2].substr(3)));
}

TEST(WorkerTest, ChasesOnlyThroughMemoryThatItHas) {
  const auto answers =
      Ask({"latency 8192 4000", "chase 8192", "latency 16384 4000"});
  EXPECT_THAT(answers[0], HasSubstr("no memory"));
  EXPECT_THAT(answers[1], StartsWith("ok"));
  EXPECT_THAT(answers[2], HasSubstr("no memory"));
}

TEST(WorkerTest, TellsOfItsCore) {
  const auto answers = Ask({"watch"});
  const std::vector<std::string> words = absl::StrSplit(answers[0], ' ');
  ASSERT_EQ(words.size(), 3u) << answers[0];
  // A time stamp counter is not ten times slower or faster than its core.
  EXPECT_GT(std::stod(words[1]), 0.1);
  EXPECT_LT(std::stod(words[1]), 10);
  EXPECT_EQ(words[2], "0");
}

}  // namespace
}  // namespace kernels
