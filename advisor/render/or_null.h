// What is unknown, in JSON: null.

#ifndef ADVISOR_RENDER_OR_NULL_H_
#define ADVISOR_RENDER_OR_NULL_H_

#include <optional>

#include "nlohmann/json.hpp"

namespace advisor {

template <typename Value>
nlohmann::ordered_json OrNull(const std::optional<Value>& value) {
  return value.has_value() ? nlohmann::ordered_json(*value)
                           : nlohmann::ordered_json(nullptr);
}

}  // namespace advisor

#endif  // ADVISOR_RENDER_OR_NULL_H_
