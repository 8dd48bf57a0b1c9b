// JSON documents as text.

#ifndef ADVISOR_RENDER_JSON_TEXT_H_
#define ADVISOR_RENDER_JSON_TEXT_H_

#include <string>

namespace advisor {

// `json` indented by `indent`, or on one line where that is -1. Bytes of its
// strings that are no UTF-8 become replacement characters: names, variables and
// arguments come from outside and may hold any.
template <typename Json>
std::string JsonText(const Json& json, int indent) {
  return json.dump(indent, ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace);
}

}  // namespace advisor

#endif  // ADVISOR_RENDER_JSON_TEXT_H_
