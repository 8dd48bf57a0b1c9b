// Where pairs of batches come from: fresh worker processes. One PairSource is
// one replicate, with its own placement of code and buffers.

#ifndef KERNELS_MEASURE_PAIR_SOURCE_H_
#define KERNELS_MEASURE_PAIR_SOURCE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kernels/measure/cell.h"
#include "kernels/measure/worker_client.h"
#include "kernels/variant.h"

namespace kernels {

struct Pairs {
  // log(candidate / base) of each pair.
  std::vector<double> log_ratios;
  // Median cycles a call.
  double base_cycles = 0;
  double candidate_cycles = 0;
};

// How the measured core is doing.
struct Observation {
  // Ticks of the time stamp counter for one step of a chain of rotations, a
  // cycle of the core on every x86-64 CPU: it rises when the core's clock
  // falls. nullopt where nobody looks.
  std::optional<double> ticks_per_step;
  // Moves to another CPU since the process began.
  int migrations = 0;
};

class PairSource {
 public:
  virtual ~PairSource() = default;

  virtual absl::StatusOr<Observation> Observe() { return Observation(); }

  // At least `count` pairs of batches of side `candidate` against side `base`.
  virtual absl::StatusOr<Pairs> Measure(const Cell& cell, int base,
                                        int candidate, int count) = 0;
};

class PairSourceFactory {
 public:
  virtual ~PairSourceFactory() = default;

  // Fresh processes; `seed` decides the placement of buffers in them.
  virtual absl::StatusOr<std::unique_ptr<PairSource>> Start(
      uint64_t seed) const = 0;
  // How many sides there are.
  virtual int sides() const = 0;
};

// Two variants of a tree that was built in, the sides being settings of its
// variables: one process holds all sides, batches are short.
class VariantPairSourceFactory : public PairSourceFactory {
 public:
  VariantPairSourceFactory(WorkerSetup setup, std::string tree,
                           std::string copy_variant, std::string set_variant,
                           std::vector<KernelParameters> sides);
  absl::StatusOr<std::unique_ptr<PairSource>> Start(
      uint64_t seed) const override;
  int sides() const override { return static_cast<int>(sides_.size()); }

 private:
  const WorkerSetup setup_;
  const std::string tree_, copy_variant_, set_variant_;
  const std::vector<KernelParameters> sides_;
};

// What one side calls, and its tree's variables meanwhile.
struct RoutineSide {
  std::string tree;
  // Names of variants; empty: none of that kind.
  std::string copy_variant, set_variant;
  KernelParameters parameters;
};

// Variants of any trees that were built in, in one process: a base and a
// patched tree, or two variants. A cell must suit both sides of a comparison.
class RoutinePairSourceFactory : public PairSourceFactory {
 public:
  RoutinePairSourceFactory(WorkerSetup setup, std::vector<RoutineSide> sides);
  absl::StatusOr<std::unique_ptr<PairSource>> Start(
      uint64_t seed) const override;
  int sides() const override { return static_cast<int>(sides_.size()); }

 private:
  const WorkerSetup setup_;
  const std::vector<RoutineSide> sides_;
};

// The running libc itself, the sides being values of GLIBC_TUNABLES: one
// process a side, all on the same CPU, that take turns.
class LibcPairSourceFactory : public PairSourceFactory {
 public:
  LibcPairSourceFactory(WorkerSetup setup, std::vector<std::string> sides);
  absl::StatusOr<std::unique_ptr<PairSource>> Start(
      uint64_t seed) const override;
  int sides() const override { return static_cast<int>(sides_.size()); }

 private:
  const WorkerSetup setup_;
  const std::vector<std::string> sides_;
};

}  // namespace kernels

#endif  // KERNELS_MEASURE_PAIR_SOURCE_H_
