#include "kernels/measure/worker.h"

#include <sched.h>
#include <string.h>

#include <cmath>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "kernels/measure/cell.h"
#include "kernels/measure/cell_runner.h"
#include "kernels/measure/cycle_counter.h"
#include "kernels/measure/parameters_text.h"
#include "kernels/measure/pointer_chase.h"
#include "kernels/measure/statistics.h"
#include "kernels/variant.h"

namespace kernels {
namespace {

using Words = absl::Span<const absl::string_view>;
// What stands after "ok".
using Answer = absl::StatusOr<std::string>;

template <typename Number>
absl::StatusOr<Number> ParseNumber(absl::string_view word) {
  Number value;
  if (!absl::SimpleAtoi(word, &value)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a number, found '", word, "'"));
  }
  return value;
}

class Worker {
 public:
  Answer Serve(Words words) {
    for (const Request& request : Requests()) {
      if (words[0] != request.name) continue;
      if (words.size() < request.words) {
        return absl::InvalidArgumentError(
            absl::StrCat(request.name, ": too few words"));
      }
      return (this->*request.serve)(words.subspan(1));
    }
    return absl::InvalidArgumentError(
        absl::StrCat("no such request: '", words[0], "'"));
  }

 private:
  struct Request {
    absl::string_view name;
    size_t words;
    Answer (Worker::*serve)(Words);
  };
  static absl::Span<const Request> Requests();

  Answer SetCpus(Words words) {
    std::vector<int> cpus;
    for (const absl::string_view word : absl::StrSplit(words[0], ',')) {
      const absl::StatusOr<int> cpu = ParseNumber<int>(word);
      if (!cpu.ok()) return cpu.status();
      cpus.push_back(*cpu);
    }
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(cpus[0], &first);
    if (sched_setaffinity(0, sizeof(first), &first) != 0) {
      return absl::ErrnoToStatus(errno,
                                 absl::StrCat("cannot run on CPU ", cpus[0]));
    }
    cpus_ = std::move(cpus);
    return "";
  }

  Answer SetSeed(Words words) {
    const absl::StatusOr<uint64_t> seed = ParseNumber<uint64_t>(words[0]);
    if (!seed.ok()) return seed.status();
    random_.seed(*seed);
    return "";
  }

  Answer UseLibc(Words) {
    sides_.clear();
    // Through volatile, so that the compiler cannot call its own expansion.
    void* (*volatile copy)(void*, const void*, size_t) = &memcpy;
    void* (*volatile set)(void*, int, size_t) = &memset;
    routine_ = {copy, set};
    tree_ = nullptr;
    return "";
  }

  Answer UseVariants(Words words) {
    sides_.clear();
    return SelectVariants(words);
  }

  Answer UseRoutines(Words words) {
    std::vector<Side> sides;
    for (const absl::string_view word : words) {
      const std::vector<absl::string_view> parts = absl::StrSplit(word, ',');
      if (parts.size() != 3) {
        return absl::InvalidArgumentError(
            absl::StrCat("expected TREE,COPY,SET, found '", word, "'"));
      }
      if (Answer answer = SelectVariants(parts); !answer.ok()) return answer;
      sides.push_back({routine_, tree_});
    }
    sides_ = std::move(sides);
    return "";
  }

  // Tree, copy variant, set variant.
  Answer SelectVariants(Words words) {
    routine_ = {};
    for (const absl::string_view name : words.subspan(1, 2)) {
      if (name == "-") continue;
      const Variant* const variant = FindVariant(words[0], name);
      if (variant == nullptr) {
        return absl::NotFoundError(
            absl::StrCat("no variant ", name, " in tree ", words[0]));
      }
      tree_ = variant->tree;
      if (variant->function == Function::kMemset) {
        routine_.set =
            reinterpret_cast<decltype(routine_.set)>(variant->address);
      } else {
        routine_.copy =
            reinterpret_cast<decltype(routine_.copy)>(variant->address);
      }
    }
    return "";
  }

  Answer SetParameters(Words words) {
    parameters_.clear();
    for (const absl::string_view word : words) {
      absl::StatusOr<KernelParameters> parameters = ParseParameters(word);
      if (!parameters.ok()) return parameters.status();
      parameters_.push_back(*std::move(parameters));
    }
    return "";
  }

  Answer SetCell(Words words) {
    runner_ = nullptr;
    const absl::StatusOr<Cell> cell = ParseCell(words[0]);
    if (!cell.ok()) return cell.status();
    // Routines differ between sides: these are looked at when one is selected.
    if (sides_.empty() && !CanCall(*cell)) return NothingToCall();
    absl::StatusOr<std::unique_ptr<CellRunner>> runner =
        CellRunner::Create(*cell, cpus_, pools_, random_);
    if (!runner.ok()) return runner.status();
    runner_ = *std::move(runner);
    cell_ = *cell;
    return "";
  }

  bool CanCall(const Cell& cell) const {
    return cell.is_memset ? routine_.set != nullptr : routine_.copy != nullptr;
  }

  static absl::Status NothingToCall() {
    return absl::FailedPreconditionError("nothing to call for this cell");
  }

  // Makes `side` the one that the next calls run.
  absl::Status Select(absl::string_view side) {
    if (runner_ == nullptr) return absl::FailedPreconditionError("no cell");
    const absl::StatusOr<size_t> index = ParseNumber<size_t>(side);
    if (!index.ok()) return index.status();
    return SelectIndex(*index);
  }

  absl::Status SelectIndex(size_t side) {
    if (!sides_.empty()) {
      if (side >= sides_.size()) {
        return absl::OutOfRangeError(absl::StrCat("no side ", side));
      }
      routine_ = sides_[side].routine;
      tree_ = sides_[side].tree;
      if (!CanCall(cell_)) return NothingToCall();
    }
    if (tree_ == nullptr) return absl::OkStatus();
    if (side >= parameters_.size()) {
      return absl::OutOfRangeError(absl::StrCat("no side ", side));
    }
    tree_->SetParameters(parameters_[side]);
    return absl::OkStatus();
  }

  Answer WarmUp(Words words) {
    if (absl::Status status = Select(words[0]); !status.ok()) return status;
    runner_->WarmUp(routine_);
    return "";
  }

  Answer CountCalls(Words words) {
    if (absl::Status status = Select(words[0]); !status.ok()) return status;
    const absl::StatusOr<uint64_t> cycles = ParseNumber<uint64_t>(words[1]);
    if (!cycles.ok()) return cycles.status();
    return absl::StrCat(
        " ", runner_->CallsToFill(routine_, static_cast<double>(*cycles)));
  }

  Answer RunBatch(Words words) {
    if (absl::Status status = Select(words[0]); !status.ok()) return status;
    const absl::StatusOr<uint64_t> calls = ParseNumber<uint64_t>(words[1]);
    if (!calls.ok()) return calls.status();
    const double cycles = runner_->Run(routine_, *calls);
    NoteCpu();
    return absl::StrCat(" ", cycles);
  }

  Answer RunPairs(Words words) {
    size_t numbers[4];
    for (size_t i = 0; i < 4; ++i) {
      const absl::StatusOr<size_t> number = ParseNumber<size_t>(words[i]);
      if (!number.ok()) return number.status();
      numbers[i] = *number;
    }
    const auto [a, b, calls, count] = numbers;
    for (const size_t side : {a, b}) {
      if (absl::Status status = Select(absl::StrCat(side)); !status.ok()) {
        return status;
      }
    }
    if (calls == 0 || count == 0) {
      return absl::InvalidArgumentError("pairs: nothing to do");
    }
    std::vector<double> cycles_a(count), cycles_b(count), ratios(count);
    for (size_t i = 0; i < count; ++i) {
      const bool a_first = (random_() & 1) != 0;
      for (const bool is_a : {a_first, !a_first}) {
        SelectIndex(is_a ? a : b).IgnoreError();  // checked above
        (is_a ? cycles_a : cycles_b)[i] = runner_->Run(routine_, calls);
      }
      ratios[i] = std::log(cycles_b[i] / cycles_a[i]);
      NoteCpu();
    }
    std::string answer =
        absl::StrCat(" ", Median(cycles_a), " ", Median(cycles_b));
    for (const double ratio : ratios) absl::StrAppend(&answer, " ", ratio);
    return answer;
  }

  // Time stamp ticks of a chain of rotations, by the step: a core cycle each.
  // (Of additions, Intel's cores do several a cycle since Golden Cove.)
  static double TicksPerStep() {
    constexpr int kSteps = 4000;
    std::vector<double> ticks;
    for (int repeat = 0; repeat < 5; ++repeat) {
      uint64_t value = 1;
      const uint64_t start = ReadCycles();
      for (int i = 0; i < kSteps; i += 8) {
        asm volatile(
            "ror $1, %0\n\tror $1, %0\n\tror $1, %0\n\tror $1, %0\n\t"
            "ror $1, %0\n\tror $1, %0\n\tror $1, %0\n\tror $1, %0"
            : "+r"(value)
            :
            : "cc");
      }
      ticks.push_back(static_cast<double>(ReadCycles() - start) / kSteps);
    }
    return Median(ticks);
  }

  void NoteCpu() {
    const int cpu = sched_getcpu();
    if (last_cpu_.has_value() && cpu != *last_cpu_) ++moves_;
    last_cpu_ = cpu;
  }

  Answer Watch(Words) {
    NoteCpu();
    return absl::StrCat(" ", TicksPerStep(), " ", moves_);
  }

  Answer MakeChase(Words words) {
    const absl::StatusOr<size_t> bytes = ParseNumber<size_t>(words[0]);
    if (!bytes.ok()) return bytes.status();
    absl::StatusOr<PointerChase> chase = PointerChase::Create(*bytes);
    if (!chase.ok()) return chase.status();
    chase_.emplace(*std::move(chase));
    chase_bytes_ = *bytes;
    return chase_->in_huge_pages() ? " 1" : " 0";
  }

  Answer MeasureLatency(Words words) {
    return Chase(words, &PointerChase::Measure);
  }
  Answer MeasureMemoryLatency(Words words) {
    return Chase(words, &PointerChase::MeasureFlushed);
  }

  Answer Chase(Words words, double (PointerChase::*measure)(size_t)) {
    const absl::StatusOr<size_t> bytes = ParseNumber<size_t>(words[0]);
    if (!bytes.ok()) return bytes.status();
    const absl::StatusOr<size_t> loads = ParseNumber<size_t>(words[1]);
    if (!loads.ok()) return loads.status();
    if (!chase_.has_value() || *bytes > chase_bytes_) {
      return absl::FailedPreconditionError("no memory for such a chase");
    }
    chase_->Arrange(*bytes, random_);
    return absl::StrCat(" ", ((*chase_).*measure)(*loads));
  }

  struct Side {
    Routine routine;
    const Tree* tree;
  };

  std::vector<int> cpus_ = {0};
  std::mt19937_64 random_;
  // Empty unless each side has routines of its own.
  std::vector<Side> sides_;
  Routine routine_;
  const Tree* tree_ = nullptr;
  std::vector<KernelParameters> parameters_;
  std::vector<ArenaPool> pools_;
  std::unique_ptr<CellRunner> runner_;
  Cell cell_;  // of the runner
  std::optional<int> last_cpu_;
  int moves_ = 0;
  std::optional<PointerChase> chase_;
  size_t chase_bytes_ = 0;
};

absl::Span<const Worker::Request> Worker::Requests() {
  static constexpr Request kRequests[] = {
      {"cpus", 2, &Worker::SetCpus},
      {"seed", 2, &Worker::SetSeed},
      {"libc", 1, &Worker::UseLibc},
      {"variants", 4, &Worker::UseVariants},
      {"routines", 2, &Worker::UseRoutines},
      {"parameters", 1, &Worker::SetParameters},
      {"cell", 2, &Worker::SetCell},
      {"warm", 2, &Worker::WarmUp},
      {"calls", 3, &Worker::CountCalls},
      {"run", 3, &Worker::RunBatch},
      {"pairs", 5, &Worker::RunPairs},
      {"watch", 1, &Worker::Watch},
      {"chase", 2, &Worker::MakeChase},
      {"latency", 3, &Worker::MeasureLatency},
      {"flushed", 3, &Worker::MeasureMemoryLatency},
  };
  return kRequests;
}

}  // namespace

int ServeWorker(std::istream& in, std::ostream& out) {
  Worker worker;
  std::string line;
  while (std::getline(in, line)) {
    const std::vector<absl::string_view> words =
        absl::StrSplit(line, ' ', absl::SkipEmpty());
    const Answer answer =
        words.empty() ? Answer(absl::InvalidArgumentError("an empty line"))
                      : worker.Serve(words);
    if (answer.ok()) {
      out << "ok" << *answer << std::endl;
    } else {
      out << "error " << answer.status().message() << std::endl;
    }
  }
  return 0;
}

}  // namespace kernels
