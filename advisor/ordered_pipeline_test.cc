#include "advisor/ordered_pipeline.h"

#include <atomic>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

TEST(OrderedPipelineTest, KeepsTheOrderWhateverTheWorkTakes) {
  for (const int threads : {1, 2, 7}) {
    std::vector<int> results;
    {
      OrderedPipeline<int, int> pipeline(
          threads, 5,
          [](int item) {
            if (item % 3 == 0) std::this_thread::yield();
            return item * 2;
          },
          [&](int result) { results.push_back(result); });
      for (int i = 0; i < 1000; ++i) pipeline.Add(i);
    }
    ASSERT_EQ(results.size(), 1000u);
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(results[i], 2 * i);
  }
}

TEST(OrderedPipelineTest, HoldsNoMoreThanItMay) {
  std::atomic<int> alive{0};
  std::atomic<int> most{0};
  OrderedPipeline<int, int> pipeline(
      3, 4,
      [&](int item) {
        const int now = alive;
        int seen = most;
        while (seen < now && !most.compare_exchange_weak(seen, now)) {
        }
        return item;
      },
      [&](int) { --alive; });
  for (int i = 0; i < 500; ++i) {
    ++alive;
    pipeline.Add(i);
  }
  pipeline.Finish();
  EXPECT_EQ(alive, 0);
  // Four within, and one that is about to be added.
  EXPECT_LE(most, 6);
}

TEST(OrderedPipelineTest, NothingToDoEnds) {
  OrderedPipeline<int, int> pipeline(
      2, 4, [](int item) { return item; }, [](int) { FAIL(); });
}

}  // namespace
}  // namespace advisor
