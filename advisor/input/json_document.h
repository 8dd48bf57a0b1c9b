// JSON with the line of each value, for errors about its content.

#ifndef ADVISOR_INPUT_JSON_DOCUMENT_H_
#define ADVISOR_INPUT_JSON_DOCUMENT_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace advisor {

struct JsonValue {
  enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  // A string's content; a number or "true" as text.
  std::string text;
  std::vector<JsonValue> items;
  std::vector<std::pair<std::string, JsonValue>> members;
  // Where it ends, or begins for an array or object.
  int line = 1;

  // nullptr: not there, or this is no object.
  const JsonValue* Find(absl::string_view key) const;
  bool is_scalar() const {
    return kind != Kind::kArray && kind != Kind::kObject;
  }
  // What an error says was found: "an array", "\"0b01\"".
  std::string Describe() const;
};

// Limits against input that is made to hurt; what machines write is far below.
constexpr size_t kMaxJsonBytes = size_t{16} << 20;
constexpr size_t kMaxJsonDepth = 64;
constexpr size_t kMaxJsonValues = 1'000'000;

// InvalidArgument "NAME:LINE: expected ..., found ...".
absl::StatusOr<JsonValue> ParseJson(absl::string_view text,
                                    absl::string_view name);

}  // namespace advisor

#endif  // ADVISOR_INPUT_JSON_DOCUMENT_H_
