// Work on many items by several threads, with the results in the items' order
// and only so many items in memory.

#ifndef ADVISOR_ORDERED_PIPELINE_H_
#define ADVISOR_ORDERED_PIPELINE_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace advisor {

template <typename Item, typename Result>
class OrderedPipeline {
 public:
  // `work` runs on any of `threads` threads, `done` on one of them at a time,
  // in the order of Add. At most `in_flight` items wait or are worked on.
  OrderedPipeline(int threads, size_t in_flight,
                  std::function<Result(Item)> work,
                  std::function<void(Result)> done)
      : in_flight_(in_flight), work_(std::move(work)), done_(std::move(done)) {
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([this] { Work(); });
    }
  }
  ~OrderedPipeline() { Finish(); }

  // Waits until there is room.
  void Add(Item item) {
    std::unique_lock<std::mutex> lock(mutex_);
    room_.wait(lock, [&] { return added_ - written_ < in_flight_; });
    items_.emplace_back(added_++, std::move(item));
    lock.unlock();
    ready_.notify_one();
  }

  // Waits until all is done. No Add after it.
  void Finish() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      closed_ = true;
    }
    ready_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  void Work() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      ready_.wait(lock, [&] { return closed_ || !items_.empty(); });
      if (items_.empty()) return;
      auto [number, item] = std::move(items_.front());
      items_.pop_front();
      lock.unlock();
      Result result = work_(std::move(item));
      lock.lock();
      results_.emplace(number, std::move(result));
      Write(lock);
    }
  }

  // Hands on what is next, unless another thread is at it.
  void Write(std::unique_lock<std::mutex>& lock) {
    if (writing_) return;
    writing_ = true;
    while (!results_.empty() && results_.begin()->first == written_) {
      Result result = std::move(results_.begin()->second);
      results_.erase(results_.begin());
      lock.unlock();
      done_(std::move(result));
      lock.lock();
      ++written_;
      room_.notify_one();
    }
    writing_ = false;
  }

  const size_t in_flight_;
  const std::function<Result(Item)> work_;
  const std::function<void(Result)> done_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::condition_variable ready_;
  std::deque<std::pair<size_t, Item>> items_;
  std::map<size_t, Result> results_;
  size_t added_ = 0;
  size_t written_ = 0;
  bool closed_ = false;
  bool writing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace advisor

#endif  // ADVISOR_ORDERED_PIPELINE_H_
