// Pairs of batches from workers that hold a base, a control and a patched tree,
// each process with another placement of their code.

#ifndef GLIBC_PATCHES_PLACED_PAIR_SOURCE_H_
#define GLIBC_PATCHES_PLACED_PAIR_SOURCE_H_

#include <string>
#include <utility>
#include <vector>

#include "glibc_patches/built_tree.h"
#include "kernels/measure/pair_source.h"

namespace glibc_patches {

struct PlacedTrees {
  // Folders with tree.N.so; the control's are copies of the base's.
  std::string base, control, patched;
};

// Copies the base's shared objects to `control`, so that they are loaded twice.
absl::Status CopyControl(const std::string& base, const std::string& control);

class PlacedPairSourceFactory : public kernels::PairSourceFactory {
 public:
  // The command of `setup` gets the trees as further arguments, NAME=PATH.
  PlacedPairSourceFactory(kernels::WorkerSetup setup, PlacedTrees trees,
                          std::vector<kernels::RoutineSide> sides)
      : setup_(std::move(setup)),
        trees_(std::move(trees)),
        sides_(std::move(sides)) {}

  // In one process all trees have the same placement within their pages, and
  // are loaded in an order that `seed` decides.
  absl::StatusOr<std::unique_ptr<kernels::PairSource>> Start(
      uint64_t seed) const override;
  int sides() const override { return static_cast<int>(sides_.size()); }

 private:
  const kernels::WorkerSetup setup_;
  const PlacedTrees trees_;
  const std::vector<kernels::RoutineSide> sides_;
};

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_PLACED_PAIR_SOURCE_H_
