// What the name of a variant tells: how wide its vectors are, what it needs,
// and whom it is made for.

#ifndef ADVISOR_MASKS_VARIANT_TRAITS_H_
#define ADVISOR_MASKS_VARIANT_TRAITS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "advisor/glibc/cpu_features.h"

namespace advisor {

// The vectors of a variant, 0 (16 bytes) to 3 (64), its needs and its kind, as
// coherence is judged by.
struct VariantTraits {
  int level = 0;
  // Made for a CPU that this libc would have recognised: Core 2 (ssse3),
  // Bulldozer (ssse3_back), Knights Landing (avx512_no_vzeroupper), or for
  // nobody by default (erms).
  bool is_special = false;
  bool is_erms = false;
  bool is_rtm = false;
  std::vector<Feature> needs;
};

// `variant`: what follows "__memmove_" or "__memset_".
VariantTraits TraitsOfVariant(absl::string_view variant, bool is_memset);

}  // namespace advisor

#endif  // ADVISOR_MASKS_VARIANT_TRAITS_H_
