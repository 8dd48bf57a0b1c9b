// The items of a mask that a purpose asks for on some CPUs: the features to
// hide, in the words of the build.

#ifndef ADVISOR_MASKS_PURPOSE_ITEMS_H_
#define ADVISOR_MASKS_PURPOSE_ITEMS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/cpu_features.h"
#include "advisor/masks/purpose_table.h"

namespace advisor {

// A feature to hide that stays.
struct UnhiddenFeature {
  std::string name;
  std::string why;  // a clause
  // A selected variant uses it: the purpose is not reached.
  bool used = false;
};

class PurposeItems {
 public:
  // `cpus`: before any mask; at least one. `purpose` and `build` are kept by
  // reference.
  PurposeItems(const PurposeRow& purpose, const GlibcBuild& build,
               std::vector<CpuFeatures> cpus)
      : purpose_(purpose), build_(build), cpus_(std::move(cpus)) {}

  bool SomeHave(Feature feature) const;

  // Hidden for the purpose, without what is tried to make CPUs alike.
  std::vector<Feature> FeaturesToHide() const;

  // Those that hide `hidden` as far as the build has words, with what the
  // loader saves registers with and, to pin, the flags that vendors' code sets.
  std::vector<std::string> ItemsFor(absl::Span<const Feature> hidden) const;

  // XSAVE or XSAVEC, where the CPUs differ in it and no item hides it.
  std::optional<UnhiddenFeature> UnhiddenXsave() const;

 private:
  bool AllHave(Feature feature) const;
  // Other CPUs may lack anything.
  bool ForAnyCpu() const;
  // A mask that is to be the same everywhere names what is not here, too.
  bool IsWorthNaming(Feature feature) const;
  bool XsaveDiffers() const;
  bool OnlyXsavecDiffers() const;
  bool CrashesWithoutXsavec() const;
  // What the loader saves registers with, in lazy binding.
  std::vector<std::string> XsaveItems() const;

  const PurposeRow& purpose_;
  const GlibcBuild& build_;
  const std::vector<CpuFeatures> cpus_;
};

}  // namespace advisor

#endif  // ADVISOR_MASKS_PURPOSE_ITEMS_H_
