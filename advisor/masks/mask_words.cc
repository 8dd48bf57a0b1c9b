#include "advisor/masks/mask_words.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "advisor/glibc/hwcaps_mask.h"

namespace advisor {
namespace {

// A CPU that has it all.
CpuFeatures AllFeatures(const GlibcBuild& build) {
  CpuFeatures features;
  features.one_usable_bit = build.Has(Change::kUsableBits);
  for (int i = 0; i < kFeatureCount; ++i) {
    features.cpuid.Set(static_cast<Feature>(i));
    features.usable.Set(static_cast<Feature>(i));
  }
  return features;
}

}  // namespace

std::string HidingItem(Feature feature, const GlibcBuild& build) {
  for (const absl::string_view suffix : {"", "_Usable"}) {
    const std::string item = absl::StrCat("-", FeatureName(feature), suffix);
    CpuFeatures features = AllFeatures(build);
    ApplyHwcapsMask(item, "", build, features);
    if (!features.Active(feature)) return item;
  }
  return "";
}

std::string JoinMasks(absl::string_view existing,
                      absl::Span<const std::string> items) {
  const auto name_of = [](absl::string_view item) {
    return absl::StripPrefix(item, "-");
  };
  std::vector<std::string> joined;
  for (const absl::string_view item :
       absl::StrSplit(existing, ',', absl::SkipEmpty())) {
    const bool decided = absl::c_any_of(items, [&](const std::string& other) {
      return name_of(other) == name_of(item);
    });
    if (!decided) joined.emplace_back(item);
  }
  joined.insert(joined.end(), items.begin(), items.end());
  return absl::StrJoin(joined, ",");
}

}  // namespace advisor
