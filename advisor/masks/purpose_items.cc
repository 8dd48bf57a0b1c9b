#include "advisor/masks/purpose_items.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "advisor/glibc/change.h"
#include "advisor/glibc/hwcaps_mask.h"
#include "advisor/masks/mask_words.h"

namespace advisor {
namespace {

// Flags that vendors' code sets, the same for every CPU. The first only where
// AVX is hidden.
constexpr absl::string_view kPinnedFlags[] = {
    "-AVX_Fast_Unaligned_Load",
    "-Prefer_No_VZEROUPPER",
    "-Fast_Copy_Backward",
    "Fast_Unaligned_Copy",
    "Fast_Unaligned_Load",
    "-Slow_BSF",
    "-Slow_SSE4_2",
    "Avoid_Non_Temporal_Memset",
};

}  // namespace

bool PurposeItems::ForAnyCpu() const {
  return purpose_.hides_what_differs && cpus_.size() == 1;
}

bool PurposeItems::SomeHave(Feature feature) const {
  return absl::c_any_of(
      cpus_, [feature](const CpuFeatures& cpu) { return cpu.Active(feature); });
}

bool PurposeItems::AllHave(Feature feature) const {
  return absl::c_all_of(
      cpus_, [feature](const CpuFeatures& cpu) { return cpu.Active(feature); });
}

std::vector<Feature> PurposeItems::FeaturesToHide() const {
  std::vector<Feature> features;
  for (const Feature feature : AboveBaseline()) {
    const bool differs = SomeHave(feature) && !AllHave(feature);
    if (absl::c_linear_search(purpose_.hides, feature) || ForAnyCpu() ||
        (purpose_.hides_what_differs && differs)) {
      features.push_back(feature);
    }
  }
  return features;
}

bool PurposeItems::IsWorthNaming(Feature feature) const {
  return SomeHave(feature) || (purpose_.pins && ForAnyCpu());
}

std::vector<std::string> PurposeItems::ItemsFor(
    absl::Span<const Feature> hidden) const {
  std::vector<std::string> items;
  for (const Feature feature : hidden) {
    std::string item = HidingItem(feature, build_);
    if (!item.empty() && IsWorthNaming(feature)) {
      items.push_back(std::move(item));
    }
  }
  for (const std::string& item : XsaveItems()) items.push_back(item);
  if (!purpose_.pins) return items;
  auto flags = absl::MakeConstSpan(kPinnedFlags);
  if (!absl::c_linear_search(hidden, Feature::kAvx)) flags.remove_prefix(1);
  for (const absl::string_view flag : flags) {
    if (FindMaskName(absl::StripPrefix(flag, "-"), build_) != nullptr) {
      items.emplace_back(flag);
    }
  }
  return items;
}

bool PurposeItems::XsaveDiffers() const {
  return purpose_.hides_what_differs && IsWorthNaming(Feature::kXsave) &&
         (!AllHave(Feature::kXsave) || ForAnyCpu());
}

bool PurposeItems::OnlyXsavecDiffers() const {
  return purpose_.hides_what_differs && !XsaveDiffers() &&
         SomeHave(Feature::kXsavec) && !AllHave(Feature::kXsavec);
}

bool PurposeItems::CrashesWithoutXsavec() const {
  return build_.Has(Change::kTlsdescStateSize) &&
         !build_.Has(Change::kTlsdescOwnStateSize);
}

std::vector<std::string> PurposeItems::XsaveItems() const {
  if (XsaveDiffers()) {
    if (HidingItem(Feature::kXsave, build_).empty()) return {};
    return {"-XSAVE", "-XSAVEC"};
  }
  if (!OnlyXsavecDiffers() || CrashesWithoutXsavec()) return {};
  for (const absl::string_view word : {"XSAVEC", "XSAVEC_Usable"}) {
    if (FindMaskName(word, build_) != nullptr) {
      return {absl::StrCat("-", word)};
    }
  }
  return {};
}

std::optional<UnhiddenFeature> PurposeItems::UnhiddenXsave() const {
  if (!XsaveItems().empty()) return std::nullopt;
  if (XsaveDiffers()) {
    return UnhiddenFeature{
        "XSAVE",
        "only 2.34 and later can go without it; before, the loader uses it in "
        "lazy binding (LD_BIND_NOW=1 avoids that)",
        false};
  }
  if (OnlyXsavecDiffers()) {
    return UnhiddenFeature{
        "XSAVEC",
        CrashesWithoutXsavec()
            ? "with -XSAVEC programs crash in this build (glibc bug 32810)"
            : absl::StrCat("glibc ", build_.name(), " has no word for it"),
        true};
  }
  return std::nullopt;
}

}  // namespace advisor
