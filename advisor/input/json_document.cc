#include "advisor/input/json_document.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advisor/input/input_text.h"
#include "nlohmann/json.hpp"

namespace advisor {
namespace {

using Json = nlohmann::json;

// Tells where the parser is.
class PositionIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  PositionIterator(const char* place, const char** position)
      : place_(place), position_(position) {}

  reference operator*() const { return *place_; }
  PositionIterator& operator++() {
    *position_ = ++place_;
    return *this;
  }
  PositionIterator operator++(int) {
    PositionIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const PositionIterator& other) const {
    return place_ == other.place_;
  }
  bool operator!=(const PositionIterator& other) const {
    return place_ != other.place_;
  }

 private:
  const char* place_;
  const char** position_;
};

// Builds the tree from the parser's events. Each returns whether to go on.
class TreeBuilder : public nlohmann::json_sax<Json> {
 public:
  TreeBuilder(absl::string_view text, absl::string_view name)
      : text_(text),
        name_(name),
        position_(text.data()),
        counted_(text.data()) {}

  const char** position() { return &position_; }
  absl::Status status() const { return status_; }
  JsonValue TakeRoot() { return std::move(root_); }

  bool null() override { return Add(JsonValue::Kind::kNull, "null"); }
  bool boolean(bool value) override {
    return Add(JsonValue::Kind::kBool, value ? "true" : "false");
  }
  bool number_integer(int64_t value) override {
    return Add(JsonValue::Kind::kNumber, absl::StrCat(value));
  }
  bool number_unsigned(uint64_t value) override {
    return Add(JsonValue::Kind::kNumber, absl::StrCat(value));
  }
  bool number_float(double, const std::string& text) override {
    return Add(JsonValue::Kind::kNumber, text);
  }
  bool string(std::string& value) override {
    return Add(JsonValue::Kind::kString, value);
  }
  bool binary(Json::binary_t&) override { return false; }
  bool key(std::string& value) override {
    key_ = value;
    return true;
  }
  bool start_object(size_t) override { return Open(JsonValue::Kind::kObject); }
  bool start_array(size_t) override { return Open(JsonValue::Kind::kArray); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }

  bool parse_error(size_t, const std::string&,
                   const Json::exception& error) override {
    const bool at_end =
        absl::StrContains(error.what(), "unexpected end of input");
    status_ = InputError(name_, Line(), "JSON",
                         at_end ? "the end of the file" : LastWord());
    return false;
  }

 private:
  // A number ends one character late.
  int Line() {
    const char* const last = std::max(position_, text_.data() + 1) - 1;
    if (last > counted_) {
      line_ += static_cast<int>(std::count(counted_, last, '\n'));
      counted_ = last;
    }
    return line_;
  }

  // What was read last (the parser's own last token holds those before, too).
  std::string LastWord() const {
    const absl::string_view read =
        text_.substr(0, static_cast<size_t>(position_ - text_.data()));
    const size_t blank = read.find_last_of(" \t\r\n");
    return QuotedInput(
        blank == absl::string_view::npos ? read : read.substr(blank + 1));
  }

  // Where the next value goes; nullptr past a limit.
  JsonValue* NewValue(JsonValue::Kind kind) {
    const int line = Line();
    if (++count_ > kMaxJsonValues) {
      status_ = InputError(name_, line,
                           absl::StrCat("at most ", kMaxJsonValues, " values"),
                           "more");
      return nullptr;
    }
    JsonValue* value = &root_;
    if (!open_.empty()) {
      JsonValue& parent = *open_.back();
      if (parent.kind == JsonValue::Kind::kObject) {
        parent.members.emplace_back(std::move(key_), JsonValue());
        value = &parent.members.back().second;
      } else {
        value = &parent.items.emplace_back();
      }
    }
    value->kind = kind;
    value->line = line;
    return value;
  }

  bool Add(JsonValue::Kind kind, std::string text) {
    JsonValue* const value = NewValue(kind);
    if (value == nullptr) return false;
    value->text = std::move(text);
    return true;
  }

  // The open ones stay where they are: a parent grows only while none of its
  // children is open.
  bool Open(JsonValue::Kind kind) {
    if (open_.size() == kMaxJsonDepth) {
      status_ = InputError(
          name_, Line(),
          absl::StrCat("at most ", kMaxJsonDepth, " nested arrays and objects"),
          "more");
      return false;
    }
    JsonValue* const value = NewValue(kind);
    if (value == nullptr) return false;
    open_.push_back(value);
    return true;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  absl::string_view text_;
  absl::string_view name_;
  const char* position_;
  const char* counted_;
  int line_ = 1;
  size_t count_ = 0;
  std::string key_;
  JsonValue root_;
  std::vector<JsonValue*> open_;
  absl::Status status_;
};

}  // namespace

const JsonValue* JsonValue::Find(absl::string_view key) const {
  for (const auto& [name, value] : members) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::string JsonValue::Describe() const {
  switch (kind) {
    case Kind::kArray:
      return "an array";
    case Kind::kObject:
      return "an object";
    default:
      return QuotedInput(text);
  }
}

absl::StatusOr<JsonValue> ParseJson(absl::string_view text,
                                    absl::string_view name) {
  if (text.size() > kMaxJsonBytes) {
    return InputError(name, 1,
                      absl::StrCat("at most ", kMaxJsonBytes, " bytes of JSON"),
                      absl::StrCat(text.size()));
  }
  TreeBuilder builder(text, name);
  const char* const begin = text.data();
  const bool is_whole = Json::sax_parse(
      PositionIterator(begin, builder.position()),
      PositionIterator(begin + text.size(), builder.position()), &builder);
  if (!builder.status().ok()) return builder.status();
  if (!is_whole) return InputError(name, 1, "JSON", "something else");
  return builder.TakeRoot();
}

}  // namespace advisor
