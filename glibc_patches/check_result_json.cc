#include "glibc_patches/check_result_json.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernels/measure/parameters_text.h"
#include "nlohmann/json.hpp"

namespace glibc_patches {
namespace {

using ::nlohmann::json;

json ToJson(const ReproducingCall& call) {
  json result = {{"variant", call.variant},
                 {"function", static_cast<int>(call.function)},
                 {"size", call.size},
                 {"destination_offset", call.destination_offset},
                 {"source_offset", call.source_offset},
                 {"distance", call.distance},
                 {"placement", call.placement},
                 {"parameters", kernels::FormatParameters(call.parameters)}};
  if (call.value.has_value()) result["value"] = *call.value;
  return result;
}

json ToJson(const CheckResult& result) {
  json findings = json::array();
  for (const CheckFinding& finding : result.findings) {
    json row = {{"id", finding.id}, {"what", finding.what}};
    if (finding.call.has_value()) row["call"] = ToJson(*finding.call);
    findings.push_back(std::move(row));
  }
  json row = {{"id", result.id},
              {"variant", result.variant},
              {"status", static_cast<int>(result.status)},
              {"reason", result.reason},
              {"calls", result.calls},
              {"wrong_in_base", result.wrong_in_base},
              {"findings", std::move(findings)},
              {"notes", result.notes},
              {"seconds", result.seconds}};
  if (result.coverage.has_value()) {
    row["coverage"] = {{"executed", result.coverage->executed},
                       {"total", result.coverage->total},
                       {"never", result.coverage->never_executed}};
  }
  return row;
}

// Reads fields of one object; remembers whether all were as they must be.
class Reader {
 public:
  explicit Reader(const json& object) : object_(object) {
    ok_ = object.is_object();
  }

  bool ok() const { return ok_; }
  bool Has(const char* name) const { return ok_ && object_.contains(name); }

  std::string Text(const char* name) {
    const json* value = Find(name);
    if (value == nullptr || !value->is_string()) return Fail<std::string>();
    return value->get<std::string>();
  }
  template <typename Number>
  Number Get(const char* name) {
    const json* value = Find(name);
    if (value == nullptr || !value->is_number()) return Fail<Number>();
    return value->get<Number>();
  }
  // A number from 0 to `last`.
  template <typename Enum>
  Enum GetEnum(const char* name, Enum last) {
    const int value = Get<int>(name);
    if (value < 0 || value > static_cast<int>(last)) return Fail<Enum>();
    return static_cast<Enum>(value);
  }
  // Empty unless it is an array.
  std::vector<json> Array(const char* name) {
    const json* value = Find(name);
    if (value == nullptr || !value->is_array()) {
      return Fail<std::vector<json>>();
    }
    return {value->begin(), value->end()};
  }
  json Object(const char* name) {
    const json* value = Find(name);
    if (value == nullptr || !value->is_object()) {
      Fail<int>();
      return json::object();
    }
    return *value;
  }

 private:
  const json* Find(const char* name) const {
    if (!ok_) return nullptr;
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }
  template <typename Value>
  Value Fail() {
    ok_ = false;
    return Value();
  }

  const json& object_;
  bool ok_;
};

bool FromJson(const json& object, ReproducingCall& call) {
  Reader reader(object);
  call.variant = reader.Text("variant");
  call.function = reader.GetEnum("function", kernels::Function::kMemset);
  call.size = reader.Get<uint64_t>("size");
  call.destination_offset = reader.Get<uint64_t>("destination_offset");
  call.source_offset = reader.Get<uint64_t>("source_offset");
  call.distance = reader.Get<int64_t>("distance");
  call.placement = reader.Text("placement");
  if (reader.Has("value")) call.value = reader.Get<int>("value");
  absl::StatusOr<kernels::KernelParameters> parameters =
      kernels::ParseParameters(reader.Text("parameters"));
  if (!reader.ok() || !parameters.ok()) return false;
  call.parameters = *std::move(parameters);
  return true;
}

bool FromJson(const json& object, CheckFinding& finding) {
  Reader reader(object);
  finding.id = reader.Text("id");
  finding.what = reader.Text("what");
  if (!reader.Has("call")) return reader.ok();
  finding.call.emplace();
  return FromJson(object["call"], *finding.call) && reader.ok();
}

bool FromJson(const json& object, CheckResult& result) {
  Reader reader(object);
  result.id = reader.Text("id");
  result.variant = reader.Text("variant");
  result.status = reader.GetEnum("status", CheckStatus::kSkipped);
  result.reason = reader.Text("reason");
  result.calls = reader.Get<int64_t>("calls");
  result.wrong_in_base = reader.Get<int64_t>("wrong_in_base");
  result.seconds = reader.Get<double>("seconds");
  bool ok = true;
  for (const json& row : reader.Array("findings")) {
    result.findings.emplace_back();
    ok = FromJson(row, result.findings.back()) && ok;
  }
  for (const json& note : reader.Array("notes")) {
    ok = ok && note.is_string();
    if (ok) result.notes.push_back(note.get<std::string>());
  }
  if (reader.Has("coverage")) {
    const json coverage = reader.Object("coverage");
    Reader blocks(coverage);
    result.coverage.emplace();
    result.coverage->executed = blocks.Get<int>("executed");
    result.coverage->total = blocks.Get<int>("total");
    for (const json& offset : blocks.Array("never")) {
      ok = ok && offset.is_number_integer();
      if (ok) {
        result.coverage->never_executed.push_back(offset.get<int64_t>());
      }
    }
    ok = ok && blocks.ok();
  }
  return ok && reader.ok();
}

}  // namespace

std::string CheckResultsToJson(absl::Span<const CheckResult> results) {
  json rows = json::array();
  for (const CheckResult& result : results) rows.push_back(ToJson(result));
  // A finding may quote bytes that are no UTF-8.
  return rows.dump(-1, ' ', true, json::error_handler_t::replace);
}

absl::StatusOr<std::vector<CheckResult>> CheckResultsFromJson(
    absl::string_view text) {
  const json rows = json::parse(text.begin(), text.end(), nullptr, false);
  if (!rows.is_array()) {
    return absl::InvalidArgumentError(
        "expected the results of checks, found another text");
  }
  std::vector<CheckResult> results;
  for (const json& row : rows) {
    results.emplace_back();
    if (!FromJson(row, results.back())) {
      return absl::InvalidArgumentError(
          "expected the result of a check, found another object");
    }
  }
  return results;
}

}  // namespace glibc_patches
