#include "glibc_patches/placed_pair_source.h"

#include <algorithm>
#include <random>

#include "absl/strings/str_cat.h"
#include "glibc_patches/scratch_folder.h"
#include "glibc_patches/speed_plan.h"

namespace glibc_patches {

absl::Status CopyControl(const std::string& base, const std::string& control) {
  for (int i = 0; i < kPlacements; ++i) {
    absl::Status status = CopyAll(PlacedTree(base, i), PlacedTree(control, i));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<kernels::PairSource>>
PlacedPairSourceFactory::Start(uint64_t seed) const {
  std::mt19937_64 random(seed);
  const int placement = static_cast<int>(random() % kPlacements);
  std::vector<std::string> words;
  for (const auto& [name, folder] :
       {std::make_pair(kBaseTree, &trees_.base),
        std::make_pair(kControlTree, &trees_.control),
        std::make_pair(kPatchedTree, &trees_.patched)}) {
    words.push_back(absl::StrCat(name, "=", PlacedTree(*folder, placement)));
  }
  std::shuffle(words.begin(), words.end(), random);
  kernels::WorkerSetup setup = setup_;
  setup.command.argv.insert(setup.command.argv.end(), words.begin(),
                            words.end());
  return kernels::RoutinePairSourceFactory(std::move(setup), sides_)
      .Start(seed);
}

}  // namespace glibc_patches
