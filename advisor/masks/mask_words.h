// The words of a mask that hide a feature in a given build.

#ifndef ADVISOR_MASKS_MASK_WORDS_H_
#define ADVISOR_MASKS_MASK_WORDS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/cpu_features.h"

namespace advisor {

// The item that makes selectors of the build go without `feature`: "-AVX2",
// or "-AVX2_Usable" up to 2.31. Empty: the build has none.
std::string HidingItem(Feature feature, const GlibcBuild& build);

// The items of `existing` that `items` do not decide, then `items`.
std::string JoinMasks(absl::string_view existing,
                      absl::Span<const std::string> items);

}  // namespace advisor

#endif  // ADVISOR_MASKS_MASK_WORDS_H_
