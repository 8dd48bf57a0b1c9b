// A threshold that goes too far does harm next to its new place only. It is
// moved back towards the default until it does not.

#ifndef ADVISOR_RULES_BACK_OFF_H_
#define ADVISOR_RULES_BACK_OFF_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace advisor {

// The value between `before` and `after` that leaves size `harmed` as it was
// and touches as many as possible of `tested` (sizes in ascending order) of
// those that `after` touches. nullopt where `harmed` lies nearer to `before`,
// so that nothing would be left, or where `after` does not touch it.
//
// A threshold touches the sizes above the lower and up to the higher of its two
// values.
std::optional<uint64_t> BackOff(uint64_t before, uint64_t after,
                                uint64_t harmed,
                                const std::vector<uint64_t>& tested);

}  // namespace advisor

#endif  // ADVISOR_RULES_BACK_OFF_H_
