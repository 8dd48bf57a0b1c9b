#include "advisor/masks/variant_traits.h"

#include "absl/strings/match.h"

namespace advisor {

VariantTraits TraitsOfVariant(absl::string_view variant, bool is_memset) {
  VariantTraits traits;
  traits.is_erms = absl::StrContains(variant, "erms");
  traits.is_rtm = absl::EndsWith(variant, "_rtm");
  if (traits.is_erms) traits.needs.push_back(Feature::kErms);
  if (traits.is_rtm) traits.needs.push_back(Feature::kRtm);
  traits.is_special = variant == "erms" || absl::StartsWith(variant, "ssse3") ||
                      variant == "avx512_no_vzeroupper";
  if (absl::StartsWith(variant, "ssse3")) {
    traits.needs.push_back(Feature::kSsse3);
  } else if (variant == "avx512_no_vzeroupper") {
    traits.level = 3;
    traits.needs.push_back(Feature::kAvx512f);
  } else if (absl::StartsWith(variant, "avx512") ||
             absl::StartsWith(variant, "evex")) {
    const bool is_evex = absl::StartsWith(variant, "evex");
    traits.level = is_evex ? 2 : 3;
    // evex_* are in use without a look at AVX512F.
    if (!is_evex) traits.needs.push_back(Feature::kAvx512f);
    traits.needs.push_back(Feature::kAvx512vl);
    if (is_memset) traits.needs.push_back(Feature::kAvx512bw);
  } else if (absl::StartsWith(variant, "avx2")) {
    traits.level = 1;
    traits.needs.push_back(Feature::kAvx2);
  } else if (absl::StartsWith(variant, "avx")) {
    traits.level = 1;
    traits.needs.push_back(Feature::kAvx);
  }
  return traits;
}

}  // namespace advisor
