#include "advisor/fleet/measured_result.h"

#include <cmath>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "advisor/input/input_text.h"
#include "advisor/input/json_document.h"

namespace advisor {
namespace {

// Takes members of one JSON object after the other; the first that is not as
// expected is the error.
class Reader {
 public:
  Reader(std::string place) : place_(std::move(place)) {}

  // nullptr after an error.
  const JsonValue* Member(const JsonValue* object, absl::string_view key) {
    if (object == nullptr) return nullptr;
    const JsonValue* const value = object->Find(key);
    if (value == nullptr) Fail(absl::StrCat("\"", key, "\""), "none");
    return value;
  }

  std::string String(const JsonValue* object, absl::string_view key) {
    const JsonValue* const value = Member(object, key);
    if (value == nullptr) return "";
    if (value->kind != JsonValue::Kind::kString) {
      Fail(absl::StrCat("a text as \"", key, "\""), value->Describe());
    }
    return OnOneLine(value->text);
  }

  uint64_t Count(const JsonValue* object, absl::string_view key) {
    const JsonValue* const value = Member(object, key);
    uint64_t number = 0;
    if (value != nullptr && (value->kind != JsonValue::Kind::kNumber ||
                             !absl::SimpleAtoi(value->text, &number))) {
      Fail(absl::StrCat("a whole number as \"", key, "\""), value->Describe());
    }
    return number;
  }

  void Fail(absl::string_view expected, absl::string_view found) {
    if (!status_.ok()) return;
    status_ = absl::InvalidArgumentError(
        absl::StrCat(place_, ": expected ", expected,
                     " of a result of recommend, found ", found));
  }

  const absl::Status& status() const { return status_; }

 private:
  const std::string place_;
  absl::Status status_;
};

// What stands in a name or value of GLIBC_TUNABLES; no assignment more comes
// with it into what is recommended.
bool IsTunableWord(absl::string_view text) {
  return !text.empty() && absl::c_all_of(text, [](char c) {
    return absl::ascii_isalnum(c) || absl::StrContains("._,-", c);
  });
}

MeasuredSetting Setting(const JsonValue& json, Reader& reader) {
  MeasuredSetting setting;
  setting.name = reader.String(&json, "name");
  if (!IsTunableWord(setting.name)) {
    reader.Fail("the name of a tunable as \"name\"", QuotedInput(setting.name));
  }
  const JsonValue* const value = reader.Member(&json, "value");
  if (value != nullptr && value->kind == JsonValue::Kind::kString) {
    setting.text = value->text;
    if (!IsTunableWord(setting.text)) {
      reader.Fail("the value of a tunable as \"value\"",
                  QuotedInput(setting.text));
    }
  } else {
    setting.value = reader.Count(&json, "value");
  }
  const JsonValue* const before = reader.Member(&json, "value_before");
  if (before != nullptr && before->kind != JsonValue::Kind::kNull) {
    setting.value_before = reader.Count(&json, "value_before");
  }
  return setting;
}

void TakeRecommendation(const JsonValue& json, Reader& reader,
                        MeasuredResult& result) {
  const JsonValue* const recommendation =
      reader.Member(&json, "recommendation");
  const JsonValue* const changes = reader.Member(recommendation, "changes");
  if (changes != nullptr && changes->kind != JsonValue::Kind::kArray) {
    reader.Fail("a list as \"changes\"", changes->Describe());
  } else if (changes != nullptr) {
    for (const JsonValue& change : changes->items) {
      result.settings.push_back(Setting(change, reader));
    }
  }
  absl::c_sort(result.settings,
               [](const MeasuredSetting& a, const MeasuredSetting& b) {
                 return a.name < b.name;
               });
  const auto twice = absl::c_adjacent_find(
      result.settings, [](const MeasuredSetting& a, const MeasuredSetting& b) {
        return a.name == b.name;
      });
  if (twice != result.settings.end()) {
    reader.Fail("each tunable once in \"changes\"",
                absl::StrCat(twice->name, " twice"));
  }
  const JsonValue* const proof = reader.Member(&json, "proof");
  if (proof == nullptr || proof->kind == JsonValue::Kind::kNull) return;
  const JsonValue* const ratio = reader.Member(proof, "touched_ratio");
  double number = 0;
  if (ratio == nullptr) return;
  if (ratio->kind != JsonValue::Kind::kNumber ||
      !absl::SimpleAtod(ratio->text, &number) || !std::isfinite(number) ||
      number <= 0) {
    reader.Fail("a positive number as \"touched_ratio\"", ratio->Describe());
  }
  result.touched_ratio = number;
}

absl::StatusOr<MeasuredResult> Result(const JsonValue& json,
                                      const std::string& place) {
  Reader reader(place);
  MeasuredResult result;
  result.source = place;
  if (reader.Count(&json, "schema_version") != 1) {
    reader.Fail("1 as \"schema_version\"", "another");
  }
  if (reader.String(&json, "measure") == "off") {
    reader.Fail("\"quick\" or \"full\" as \"measure\"",
                "\"off\": nothing was measured");
  }
  result.date = reader.String(&json, "date");
  const JsonValue* const machine = reader.Member(&json, "machine");
  result.host = reader.String(machine, "host");
  result.vendor = reader.String(machine, "vendor");
  result.brand = reader.String(machine, "brand");
  result.microarchitecture = reader.String(machine, "microarchitecture");
  result.family = reader.Count(machine, "family");
  result.model = reader.Count(machine, "model");
  result.stepping = reader.Count(machine, "stepping");
  result.hypervisor = reader.String(machine, "hypervisor");
  const JsonValue* const glibc = reader.Member(&json, "glibc");
  result.release = reader.String(glibc, "release");
  result.revision = reader.String(glibc, "revision");
  result.memmove_variant = reader.String(glibc, "memmove_variant");
  result.memset_variant = reader.String(glibc, "memset_variant");
  result.environment = reader.String(glibc, "tunables_in_environment");
  TakeRecommendation(json, reader, result);
  if (!reader.status().ok()) return reader.status();
  return result;
}

// Of one line, whose number the parser does not know.
absl::Status AtLine(const absl::Status& status, absl::string_view name,
                    size_t line) {
  absl::string_view message = status.message();
  if (!absl::ConsumePrefix(&message, absl::StrCat(name, ":1:"))) return status;
  return absl::Status(status.code(),
                      absl::StrCat(name, ":", line, ":", message));
}

}  // namespace

std::vector<absl::StatusOr<MeasuredResult>> ReadMeasuredResults(
    absl::string_view text, absl::string_view name) {
  std::vector<absl::StatusOr<MeasuredResult>> results;
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  // A document of several lines has no object in its first.
  if (absl::StripAsciiWhitespace(lines[0]) == "{") {
    const absl::StatusOr<JsonValue> json = ParseJson(text, name);
    if (json.ok()) {
      results.push_back(Result(*json, absl::StrCat(name, ":1")));
    } else {
      results.push_back(json.status());
    }
    return results;
  }
  for (size_t i = 0; i < lines.size(); ++i) {
    if (absl::StripAsciiWhitespace(lines[i]).empty()) continue;
    const absl::StatusOr<JsonValue> json = ParseJson(lines[i], name);
    if (json.ok()) {
      results.push_back(Result(*json, absl::StrCat(name, ":", i + 1)));
    } else {
      results.push_back(AtLine(json.status(), name, i + 1));
    }
  }
  return results;
}

}  // namespace advisor
