#include "advisor/rules/back_off.h"

#include <algorithm>

namespace advisor {

std::optional<uint64_t> BackOff(uint64_t before, uint64_t after,
                                uint64_t harmed,
                                const std::vector<uint64_t>& tested) {
  const uint64_t low = std::min(before, after);
  const uint64_t high = std::max(before, after);
  std::vector<uint64_t> touched;
  std::copy_if(tested.begin(), tested.end(), std::back_inserter(touched),
               [&](uint64_t size) { return size > low && size <= high; });
  const auto place = std::find(touched.begin(), touched.end(), harmed);
  if (place == touched.end()) return std::nullopt;
  const auto below = place - touched.begin();
  const auto above = touched.end() - place - 1;
  if (after > before) {
    // Up to the size below the harmed one, rounded up as far as that goes.
    if (below == 0 || below < above) return std::nullopt;
    constexpr uint64_t kUnit = 64;
    const uint64_t last = *(place - 1);
    return std::min((last + kUnit - 1) / kUnit * kUnit, harmed - 1);
  }
  if (above == 0 || above < below) return std::nullopt;
  return *(place + 1) - 1;
}

}  // namespace advisor
