// Batches of calls of one cell, timed.

#ifndef KERNELS_MEASURE_CELL_RUNNER_H_
#define KERNELS_MEASURE_CELL_RUNNER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "kernels/measure/buffers.h"
#include "kernels/measure/cell.h"

namespace kernels {

// The code under test: exactly one of the two is set for a cell.
struct Routine {
  void* (*copy)(void*, const void*, size_t) = nullptr;
  void* (*set)(void*, int, size_t) = nullptr;
};

class CopierTeam;

class CellRunner {
 public:
  // New offsets for `cell`, in the memory of `pools`, one a copier (more are
  // added as needed). Copier k runs on cpus[k]; the calling thread is copier 0
  // and is not moved. InvalidArgument when the cell wants more copiers than
  // there are CPUs; ResourceExhausted without memory.
  static absl::StatusOr<std::unique_ptr<CellRunner>> Create(
      const Cell& cell, absl::Span<const int> cpus,
      std::vector<ArenaPool>& pools, std::mt19937_64& random);
  ~CellRunner();

  // One call that does not count (it meets what the code before it left
  // behind; calls of 4 MiB and more meet that no longer than a moment, and have
  // none), then `calls` that do. Cycles a call, the mean over the copiers.
  double Run(const Routine& routine, uint64_t calls);

  // One call on each pair of buffers, so that all of them were used a moment
  // ago.
  void WarmUp(const Routine& routine);

  // How many calls fill `cycles`, at least 1.
  uint64_t CallsToFill(const Routine& routine, double cycles);

 private:
  CellRunner(const Cell& cell, std::vector<CellBuffers> buffers,
             absl::Span<const int> cpus);
  double RunAlone(const Routine& routine, uint64_t calls, size_t copier);

  const Cell cell_;
  std::vector<CellBuffers> buffers_;  // one a copier
  std::unique_ptr<CopierTeam> team_;  // only for several copiers
};

}  // namespace kernels

#endif  // KERNELS_MEASURE_CELL_RUNNER_H_
