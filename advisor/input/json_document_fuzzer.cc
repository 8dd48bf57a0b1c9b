#include "absl/status/statusor.h"
#include "advisor/input/json_document.h"
#include "nlohmann/json.hpp"
#include "tools/fuzzing/fuzzing.h"

namespace advisor {
namespace {

size_t Depth(const JsonValue& value) {
  size_t deepest = 0;
  for (const JsonValue& item : value.items) {
    deepest = std::max(deepest, Depth(item));
  }
  for (const auto& [key, member] : value.members) {
    deepest = std::max(deepest, Depth(member));
  }
  return deepest + (value.is_scalar() ? 0 : 1);
}

void TestOne(absl::string_view text) {
  const absl::StatusOr<JsonValue> value = ParseJson(text, "in");
  const bool is_json = nlohmann::json::accept(text.begin(), text.end());
  if (value.ok()) {
    fuzzing::Require(is_json, "JSON, by another parser's judgement");
    fuzzing::Require(Depth(*value) <= kMaxJsonDepth, "the limit of depth");
    return;
  }
  fuzzing::RequireInputError(value.status(), "in");
  fuzzing::Require(!is_json || text.size() > kMaxJsonDepth,
                   "no error for short JSON");
}

}  // namespace
}  // namespace advisor

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  advisor::TestOne(fuzzing::Text(data, size));
  return 0;
}
