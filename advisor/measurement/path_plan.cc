#include "advisor/measurement/path_plan.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "advisor/glibc/tunables.h"
#include "advisor/glibc/variant_selection.h"
#include "kernels/measure/parameters_text.h"
#include "kernels/variant.h"

namespace advisor {
namespace {

using ::kernels::KernelParameters;

// rep stosb is not asked about below: 8 vectors of 64 bytes.
constexpr uint64_t kLowestRepStosb = 512;

// The built-in tree that is the installed libc; nullptr where there is none.
const kernels::Tree* InstalledTree(const MeasuredLibc& libc) {
  for (const kernels::Tree* tree : kernels::AllTrees()) {
    if (tree->name() == "glibc" && tree->release() == libc.release &&
        !libc.revision.empty() && tree->revision() == libc.revision) {
      return tree;
    }
  }
  return nullptr;
}

bool HasVariant(const kernels::Tree& tree, absl::string_view name) {
  for (const kernels::Variant& variant : kernels::AllVariants()) {
    if (variant.tree == &tree && variant.name == name) return true;
  }
  return false;
}

// 2.35 as tagged sends sizes between rep_movsb_threshold and a stop that is
// too low into the paged copy.
bool RepMovsbWouldCrash(const MeasuredLibc& libc) {
  return libc.build.Has(Change::kMovsbStopEntersLargeCopy) &&
         !libc.build.Has(Change::kLargeCopyChecksNonTemporal) &&
         libc.now.rep_movsb_stop_threshold.value_or(0) < kLowestNonTemporal;
}

PathQuestions Questions(const MeasuredLibc& libc,
                        const PathPlanOptions& options, size_t copiers,
                        int processes, const FileReader& files) {
  PathQuestions questions;
  questions.full = options.mode == MeasureMode::kFull;
  questions.all_sizes = options.all_sizes;
  questions.largest =
      LargestCall(EffortOf(options.mode).largest, copiers, processes, files);
  questions.copiers = static_cast<int>(copiers);
  questions.non_temporal_copy = VariantVectorSize(libc.memmove_variant) != 0;
  if (VariantIsErms(libc.memmove_variant) && !RepMovsbWouldCrash(libc)) {
    questions.rep_movsb_from = libc.lowest_rep_movsb;
  }
  if (VariantIsErms(libc.memset_variant) &&
      HasTunable(libc.build, Tunable::kX86RepStosbThreshold)) {
    questions.rep_stosb_from = kLowestRepStosb;
    questions.non_temporal_set =
        HasTunable(libc.build, Tunable::kX86MemsetNonTemporalThreshold);
  }
  return questions;
}

}  // namespace

PathPlan MakePathPlan(const MeasuredLibc& libc,
                      const kernels::WorkerSetup& setup,
                      const PathPlanOptions& options, const FileReader& files) {
  PathPlan plan;
  const std::string copy = absl::StrCat("__memmove_", libc.memmove_variant);
  const std::string set = absl::StrCat("__memset_", libc.memset_variant);
  const kernels::Tree* const tree = InstalledTree(libc);
  if (tree != nullptr && !options.through_libc && HasVariant(*tree, copy) &&
      HasVariant(*tree, set)) {
    plan.method =
        absl::StrCat("variants of the source ", libc.revision, " side by side");
    plan.questions = Questions(libc, options, setup.cpus.size(),
                               /*processes=*/1, files);
    std::vector<KernelParameters> parameters = PathParameters(plan.questions);
    for (KernelParameters& side : parameters) {
      if (options.control) side = parameters[kVectorsSide];
      side.string_control = libc.string_control;
      side.data_cache_size = libc.now.data_cache_size;
      side.shared_cache_size = libc.now.shared_cache_size;
      plan.sides.push_back(kernels::FormatParameters(side));
    }
    plan.factory = std::make_unique<kernels::VariantPairSourceFactory>(
        setup, std::string(tree->name()), copy, set, std::move(parameters));
    return plan;
  }
  plan.method = "the running libc through child processes";
  plan.questions = Questions(libc, options, setup.cpus.size(),
                             /*processes=*/kPathSides, files);
  plan.sides =
      PathTunables(plan.questions, libc.build, libc.tunables_in_environment);
  if (options.control)
    plan.sides.assign(plan.sides.size(), plan.sides[kVectorsSide]);
  plan.factory =
      std::make_unique<kernels::LibcPairSourceFactory>(setup, plan.sides);
  return plan;
}

}  // namespace advisor
