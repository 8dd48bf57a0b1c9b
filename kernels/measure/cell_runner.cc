#include "kernels/measure/cell_runner.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "kernels/measure/cycle_counter.h"

namespace kernels {
namespace {

constexpr size_t kLine = 64;
constexpr uint64_t kNoWarmUpSize = uint64_t{4} << 20;

// Keeps the reads of a read-back cell from being optimised away.
inline void Consume(uint64_t value) { asm volatile("" : : "r"(value)); }

void ReadEveryLine(const char* data, size_t size) {
  uint64_t sum = 0;
  for (size_t i = 0; i < size; i += kLine) {
    sum += static_cast<unsigned char>(data[i]);
  }
  Consume(sum);
}

void Call(const Cell& cell, const Routine& routine, const BufferPair& pair) {
  if (cell.is_memset) {
    routine.set(pair.destination, 1, cell.size);
  } else {
    routine.copy(pair.destination, pair.source, cell.size);
  }
  if (cell.regime == Regime::kReadBack) {
    ReadEveryLine(pair.destination, cell.size);
  }
}

void PinThisThread(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  // A refusal leaves the thread where the kernel puts it: still a copier.
  sched_setaffinity(0, sizeof(set), &set);
}

}  // namespace

// The threads of copiers 1, 2, ...: they sleep between batches and start
// together with the caller's.
class CopierTeam {
 public:
  using Job = std::function<void(size_t copier)>;

  CopierTeam(size_t size, absl::Span<const int> cpus) {
    for (size_t copier = 1; copier < size; ++copier) {
      threads_.emplace_back([this, copier, cpu = cpus[copier % cpus.size()]] {
        PinThisThread(cpu);
        Serve(copier);
      });
    }
  }

  ~CopierTeam() {
    {
      absl::MutexLock lock(&mutex_);
      ending_ = true;
    }
    for (std::thread& thread : threads_) thread.join();
  }

  // Runs `job` once for each copier at the same time, copier 0 here.
  void Run(const Job& job) {
    arrived_.store(0);
    done_.store(0);
    {
      absl::MutexLock lock(&mutex_);
      job_ = &job;
      ++round_;
    }
    Meet();
    job(0);
    while (done_.load() < threads_.size()) std::this_thread::yield();
  }

 private:
  void Serve(size_t copier) {
    uint64_t seen = 0;
    while (true) {
      const Job* job;
      {
        absl::MutexLock lock(&mutex_);
        const auto has_work = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
          return ending_ || round_ != seen;
        };
        mutex_.Await(absl::Condition(&has_work));
        if (ending_) return;
        seen = round_;
        job = job_;
      }
      Meet();
      (*job)(copier);
      done_.fetch_add(1);
    }
  }

  void Meet() {
    arrived_.fetch_add(1);
    while (arrived_.load() < threads_.size() + 1) std::this_thread::yield();
  }

  absl::Mutex mutex_;
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t round_ ABSL_GUARDED_BY(mutex_) = 0;
  const Job* job_ ABSL_GUARDED_BY(mutex_) = nullptr;
  std::atomic<size_t> arrived_{0};
  std::atomic<size_t> done_{0};
  std::vector<std::thread> threads_;
};

absl::StatusOr<std::unique_ptr<CellRunner>> CellRunner::Create(
    const Cell& cell, absl::Span<const int> cpus, std::vector<ArenaPool>& pools,
    std::mt19937_64& random) {
  if (cell.copiers > static_cast<int>(std::max<size_t>(cpus.size(), 1))) {
    return absl::InvalidArgumentError(absl::StrCat(CellName(cell), ": ",
                                                   cell.copiers, " copiers on ",
                                                   cpus.size(), " CPUs"));
  }
  std::vector<CellBuffers> buffers;
  if (pools.size() < static_cast<size_t>(cell.copiers)) {
    pools.resize(cell.copiers);
  }
  for (int copier = 0; copier < cell.copiers; ++copier) {
    absl::StatusOr<CellBuffers> one =
        CellBuffers::Create(cell, pools[copier], random);
    if (!one.ok()) return one.status();
    buffers.push_back(*std::move(one));
  }
  return std::unique_ptr<CellRunner>(
      new CellRunner(cell, std::move(buffers), cpus));
}

CellRunner::CellRunner(const Cell& cell, std::vector<CellBuffers> buffers,
                       absl::Span<const int> cpus)
    : cell_(cell), buffers_(std::move(buffers)) {
  if (buffers_.size() > 1) {
    team_ = std::make_unique<CopierTeam>(buffers_.size(), cpus);
  }
}

CellRunner::~CellRunner() = default;

double CellRunner::RunAlone(const Routine& routine, uint64_t calls,
                            size_t copier) {
  CellBuffers& buffers = buffers_[copier];
  if (cell_.size < kNoWarmUpSize) Call(cell_, routine, buffers.Next());
  const uint64_t start = ReadCycles();
  for (uint64_t i = 0; i < calls; ++i) Call(cell_, routine, buffers.Next());
  return static_cast<double>(ReadCycles() - start) / static_cast<double>(calls);
}

double CellRunner::Run(const Routine& routine, uint64_t calls) {
  if (team_ == nullptr) return RunAlone(routine, calls, 0);
  std::vector<double> cycles(buffers_.size());
  team_->Run([&](size_t copier) {
    cycles[copier] = RunAlone(routine, calls, copier);
  });
  return std::accumulate(cycles.begin(), cycles.end(), 0.0) /
         static_cast<double>(cycles.size());
}

void CellRunner::WarmUp(const Routine& routine) {
  Run(routine, buffers_[0].pairs().size());
}

uint64_t CellRunner::CallsToFill(const Routine& routine, double cycles) {
  // Doubling until the batch is long enough to be timed well.
  for (uint64_t calls = 1;; calls *= 2) {
    const double per_call = std::max(Run(routine, calls), 1.0);
    if (per_call * static_cast<double>(calls) >= cycles / 4) {
      return std::max<uint64_t>(1, static_cast<uint64_t>(cycles / per_call));
    }
  }
}

}  // namespace kernels
