#include "kernels/measure/pair_source.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "kernels/measure/cycle_counter.h"
#include "kernels/measure/parameters_text.h"
#include "kernels/measure/statistics.h"
#include "kernels/measure/worker_client.h"

namespace kernels {
namespace {

using ::advisor::Dialogue;

// Batches this short gave the narrowest intervals for equal time. Between two
// processes each change costs some 10 us more, so they are longer there.
constexpr double kBatchSeconds = 20e-6;
constexpr double kProcessBatchSeconds = 100e-6;

std::string CallsRequest(int side, double seconds) {
  return absl::StrCat("calls ", side, " ",
                      static_cast<uint64_t>(seconds * CyclesPerSecond()));
}

absl::StatusOr<Observation> ObserveWorker(Dialogue& worker) {
  const absl::StatusOr<std::vector<double>> numbers =
      AskWorker(worker, "watch");
  if (!numbers.ok()) return numbers.status();
  if (numbers->size() != 2) return Observation();
  return Observation{(*numbers)[0], static_cast<int>((*numbers)[1])};
}

class VariantPairSource : public PairSource {
 public:
  explicit VariantPairSource(std::unique_ptr<Dialogue> worker)
      : worker_(std::move(worker)) {}

  absl::StatusOr<Observation> Observe() override {
    return ObserveWorker(*worker_);
  }

  absl::StatusOr<Pairs> Measure(const Cell& cell, int base, int candidate,
                                int count) override {
    if (!(cell_ == cell)) {
      const auto ready =
          AskWorker(*worker_, absl::StrCat("cell ", CellName(cell)));
      if (!ready.ok()) return ready.status();
      cell_ = cell;
    }
    const absl::StatusOr<double> calls =
        AskWorkerForOne(*worker_, CallsRequest(base, kBatchSeconds));
    if (!calls.ok()) return calls.status();
    absl::StatusOr<std::vector<double>> numbers = AskWorker(
        *worker_, absl::StrCat("pairs ", base, " ", candidate, " ",
                               static_cast<uint64_t>(*calls), " ", count));
    if (!numbers.ok()) return numbers.status();
    if (numbers->size() != static_cast<size_t>(count) + 2) {
      return absl::InternalError("worker: a pair is missing");
    }
    return Pairs{
        {numbers->begin() + 2, numbers->end()}, (*numbers)[0], (*numbers)[1]};
  }

 private:
  const std::unique_ptr<Dialogue> worker_;
  Cell cell_;
};

class LibcPairSource : public PairSource {
 public:
  LibcPairSource(std::vector<std::unique_ptr<Dialogue>> workers, uint64_t seed)
      : workers_(std::move(workers)), cells_(workers_.size()), random_(seed) {}

  // They share a CPU.
  absl::StatusOr<Observation> Observe() override {
    absl::StatusOr<Observation> first = ObserveWorker(*workers_[0]);
    for (size_t i = 1; first.ok() && i < workers_.size(); ++i) {
      const absl::StatusOr<Observation> other = ObserveWorker(*workers_[i]);
      if (!other.ok()) return other.status();
      first->migrations += other->migrations;
    }
    return first;
  }

  absl::StatusOr<Pairs> Measure(const Cell& cell, int base, int candidate,
                                int count) override {
    const bool base_asks_first = (random_() & 1) != 0;
    for (const bool is_base : {base_asks_first, !base_asks_first}) {
      const int side = is_base ? base : candidate;
      if (cells_[side] == cell) continue;
      const auto ready =
          AskWorker(*workers_[side], absl::StrCat("cell ", CellName(cell)));
      if (!ready.ok()) return ready.status();
      cells_[side] = cell;
    }
    const absl::StatusOr<double> calls =
        AskWorkerForOne(*workers_[base], CallsRequest(0, kProcessBatchSeconds));
    if (!calls.ok()) return calls.status();
    const std::string run =
        absl::StrCat("run 0 ", static_cast<uint64_t>(*calls));
    Collected collected;
    // Half of the pairs after one side was warmed last, half after the other.
    const bool base_warmer = (random_() & 1) != 0;
    for (const bool base_last : {base_warmer, !base_warmer}) {
      const absl::Status status =
          RunPairs(base, candidate, base_last, run, (count + 1) / 2, collected);
      if (!status.ok()) return status;
    }
    collected.pairs.base_cycles = Median(collected.base_cycles);
    collected.pairs.candidate_cycles = Median(collected.candidate_cycles);
    return std::move(collected.pairs);
  }

 private:
  struct Collected {
    Pairs pairs;
    std::vector<double> base_cycles, candidate_cycles;
  };

  // The buffers of both sides must have been used a moment ago; those of the
  // side that was warmed last are closer still, for longer than a batch. (Seen:
  // a side up to 1.9 times slower than a copy of itself, and 1.2 times where
  // only the order of warming differed.)
  absl::Status RunPairs(int base, int candidate, bool base_last,
                        const std::string& run, int count,
                        Collected& collected) {
    for (const bool is_base : {!base_last, base_last}) {
      const auto warm =
          AskWorker(*workers_[is_base ? base : candidate], "warm 0");
      if (!warm.ok()) return warm.status();
    }
    // The first pair does not count: one side evicted what the other warmed.
    for (int i = -1; i < count; ++i) {
      const bool base_first = (random_() & 1) != 0;
      double base_cycles = 0, candidate_cycles = 0;
      for (const bool is_base : {base_first, !base_first}) {
        const absl::StatusOr<double> cycles =
            AskWorkerForOne(*workers_[is_base ? base : candidate], run);
        if (!cycles.ok()) return cycles.status();
        (is_base ? base_cycles : candidate_cycles) = *cycles;
      }
      if (i < 0) continue;
      collected.base_cycles.push_back(base_cycles);
      collected.candidate_cycles.push_back(candidate_cycles);
      collected.pairs.log_ratios.push_back(
          std::log(candidate_cycles / base_cycles));
    }
    return absl::OkStatus();
  }

  const std::vector<std::unique_ptr<Dialogue>> workers_;
  std::vector<Cell> cells_;
  std::mt19937_64 random_;
};

}  // namespace

VariantPairSourceFactory::VariantPairSourceFactory(
    WorkerSetup setup, std::string tree, std::string copy_variant,
    std::string set_variant, std::vector<KernelParameters> sides)
    : setup_(std::move(setup)),
      tree_(std::move(tree)),
      copy_variant_(std::move(copy_variant)),
      set_variant_(std::move(set_variant)),
      sides_(std::move(sides)) {}

absl::StatusOr<std::unique_ptr<PairSource>> VariantPairSourceFactory::Start(
    uint64_t seed) const {
  absl::StatusOr<std::unique_ptr<Dialogue>> worker =
      StartWorker(setup_, setup_.command, seed);
  if (!worker.ok()) return worker.status();
  std::string parameters = "parameters";
  for (const KernelParameters& side : sides_) {
    absl::StrAppend(&parameters, " ", FormatParameters(side));
  }
  const absl::Status status = TellWorker(
      **worker, {absl::StrCat("variants ", tree_, " ",
                              copy_variant_.empty() ? "-" : copy_variant_, " ",
                              set_variant_.empty() ? "-" : set_variant_),
                 parameters});
  if (!status.ok()) return status;
  return std::make_unique<VariantPairSource>(*std::move(worker));
}

RoutinePairSourceFactory::RoutinePairSourceFactory(
    WorkerSetup setup, std::vector<RoutineSide> sides)
    : setup_(std::move(setup)), sides_(std::move(sides)) {}

absl::StatusOr<std::unique_ptr<PairSource>> RoutinePairSourceFactory::Start(
    uint64_t seed) const {
  absl::StatusOr<std::unique_ptr<Dialogue>> worker =
      StartWorker(setup_, setup_.command, seed);
  if (!worker.ok()) return worker.status();
  const auto name_or_dash = [](const std::string& name) {
    return name.empty() ? "-" : name.c_str();
  };
  std::string routines = "routines", parameters = "parameters";
  for (const RoutineSide& side : sides_) {
    absl::StrAppend(&routines, " ", side.tree, ",",
                    name_or_dash(side.copy_variant), ",",
                    name_or_dash(side.set_variant));
    absl::StrAppend(&parameters, " ", FormatParameters(side.parameters));
  }
  const absl::Status status = TellWorker(**worker, {routines, parameters});
  if (!status.ok()) return status;
  return std::make_unique<VariantPairSource>(*std::move(worker));
}

LibcPairSourceFactory::LibcPairSourceFactory(WorkerSetup setup,
                                             std::vector<std::string> sides)
    : setup_(std::move(setup)), sides_(std::move(sides)) {}

absl::StatusOr<std::unique_ptr<PairSource>> LibcPairSourceFactory::Start(
    uint64_t seed) const {
  std::vector<std::unique_ptr<Dialogue>> workers(sides_.size());
  // In random order: what memory a process gets depends on when it asks.
  std::mt19937_64 random(seed);
  std::vector<size_t> order(sides_.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  for (const size_t side : order) {
    const std::string& tunables = sides_[side];
    advisor::Command command = setup_.command;
    command.environment =
        tunables.empty() ? command.environment.Without("GLIBC_TUNABLES")
                         : command.environment.With("GLIBC_TUNABLES", tunables);
    absl::StatusOr<std::unique_ptr<Dialogue>> worker =
        StartWorker(setup_, command, seed);
    if (!worker.ok()) return worker.status();
    const auto ready = AskWorker(**worker, "libc");
    if (!ready.ok()) return ready.status();
    workers[side] = *std::move(worker);
  }
  return std::make_unique<LibcPairSource>(std::move(workers), seed);
}

}  // namespace kernels
