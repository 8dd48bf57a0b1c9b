#include <cmath>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "advisor/input/input_text.h"
#include "advisor/input/json_document.h"
#include "advisor/workload/workload.h"

namespace advisor {
namespace {

using Kind = JsonValue::Kind;

constexpr const char* kFunctions[] = {"memcpy", "memmove", "mempcpy", "memset"};
// Larger numbers than any program makes, of a row and of the whole mix.
constexpr uint64_t kMostCalls = uint64_t{1} << 52;
constexpr uint64_t kMostBytes = uint64_t{1} << 60;
constexpr uint64_t kLargestSize = uint64_t{1} << 47;

// Reads one file; remembers the first error, after which everything is empty.
class Parser {
 public:
  explicit Parser(absl::string_view name) : name_(name) {}

  const absl::Status& status() const { return status_; }

  void Fail(const JsonValue& at, absl::string_view expected,
            absl::string_view found) {
    if (!status_.ok()) return;
    status_ = absl::InvalidArgumentError(absl::StrCat(
        name_, ":", at.line, ": expected ", expected, ", found ", found));
  }

  // nullptr after an error, or where an optional member is missing.
  const JsonValue* Member(const JsonValue& object, absl::string_view key,
                          Kind kind, bool required = true) {
    const JsonValue* value = object.Find(key);
    if (value == nullptr) {
      if (required) Fail(object, absl::StrCat("\"", key, "\""), "none");
      return nullptr;
    }
    if (value->kind == kind) return value;
    Fail(*value,
         absl::StrCat(kind == Kind::kObject   ? "an object"
                      : kind == Kind::kArray  ? "an array"
                      : kind == Kind::kString ? "a string"
                                              : "a number",
                      " as \"", key, "\""),
         value->Describe());
    return nullptr;
  }

  std::string Text(const JsonValue& object, absl::string_view key) {
    const JsonValue* value = Member(object, key, Kind::kString);
    return value == nullptr ? "" : OnOneLine(value->text);
  }

  uint64_t Whole(const JsonValue& value, uint64_t most) {
    uint64_t number = 0;
    if (value.kind != Kind::kNumber || !absl::SimpleAtoi(value.text, &number) ||
        number > most) {
      Fail(value, absl::StrCat("a whole number from 0 to ", most),
           value.Describe());
      return 0;
    }
    return number;
  }

  uint64_t WholeMember(const JsonValue& object, absl::string_view key,
                       uint64_t most) {
    const JsonValue* value = Member(object, key, Kind::kNumber);
    return value == nullptr ? 0 : Whole(*value, most);
  }

  double Share(const JsonValue& object, absl::string_view key) {
    const JsonValue* value = Member(object, key, Kind::kNumber, false);
    double share = 0;
    if (value == nullptr) return 0;
    if (!absl::SimpleAtod(value->text, &share) || !(share >= 0 && share <= 1)) {
      Fail(*value, absl::StrCat("a share from 0 to 1 as \"", key, "\""),
           value->Describe());
      return 0;
    }
    return share;
  }

  void Only(const JsonValue& object,
            std::initializer_list<absl::string_view> keys) {
    for (const auto& [key, value] : object.members) {
      bool known = false;
      for (const absl::string_view other : keys) known |= key == other;
      if (known) continue;
      std::string expected;
      for (const absl::string_view other : keys) {
        absl::StrAppend(&expected, expected.empty() ? "" : ", ", other);
      }
      Fail(value, absl::StrCat("one of ", expected), QuotedInput(key));
    }
  }

 private:
  const std::string name_;
  absl::Status status_;
};

void ReadPrograms(Parser& parser, const JsonValue& rows,
                  WorkloadProvenance& from) {
  for (const JsonValue& row : rows.items) {
    if (row.kind != Kind::kArray || row.items.size() != 3 ||
        row.items[0].kind != Kind::kString) {
      parser.Fail(row, "[program, processes, calls]", row.Describe());
      return;
    }
    from.programs.push_back({OnOneLine(row.items[0].text),
                             parser.Whole(row.items[1], kMostCalls),
                             parser.Whole(row.items[2], kMostCalls)});
  }
}

WorkloadProvenance ReadProvenance(Parser& parser, const JsonValue& object) {
  WorkloadProvenance from;
  const std::string kind = parser.Text(object, "kind");
  if (kind == "synthetic") {
    parser.Only(object, {"kind", "source"});
    from.is_recorded = false;
    from.source = parser.Text(object, "source");
    return from;
  }
  if (kind != "recorded") {
    parser.Fail(object, "\"recorded\" or \"synthetic\" as \"kind\"",
                QuotedInput(kind));
  }
  parser.Only(object,
              {"kind", "program", "version", "arguments", "source", "machine",
               "glibc", "date", "processes", "programs", "not_seen"});
  from.program = parser.Text(object, "program");
  from.version = parser.Text(object, "version");
  from.arguments = parser.Text(object, "arguments");
  from.source = parser.Text(object, "source");
  from.machine = parser.Text(object, "machine");
  from.glibc = parser.Text(object, "glibc");
  from.date = parser.Text(object, "date");
  from.processes = parser.WholeMember(object, "processes", kMostCalls);
  if (const JsonValue* rows = parser.Member(object, "programs", Kind::kArray)) {
    ReadPrograms(parser, *rows, from);
  }
  if (const JsonValue* rows = parser.Member(object, "not_seen", Kind::kArray)) {
    for (const JsonValue& row : rows->items) {
      if (row.kind != Kind::kString) parser.Fail(row, "a text", row.Describe());
      from.not_seen.push_back(OnOneLine(row.text));
    }
  }
  return from;
}

WorkloadConditions ReadConditions(Parser& parser, const JsonValue& object) {
  parser.Only(object, {"hot", "cold", "read_back", "write_once", "all_cores"});
  WorkloadConditions conditions;
  conditions.hot = parser.Share(object, "hot");
  conditions.cold = parser.Share(object, "cold");
  conditions.read_back = parser.Share(object, "read_back");
  conditions.write_once = parser.Share(object, "write_once");
  if (object.Find("all_cores") != nullptr) {
    conditions.all_cores = parser.Share(object, "all_cores");
  }
  const double sum = conditions.hot + conditions.cold + conditions.read_back +
                     conditions.write_once;
  if (std::abs(sum - 1) > 0.01) {
    parser.Fail(object, "hot, cold, read_back and write_once to add up to 1",
                absl::StrCat(sum));
  }
  return conditions;
}

FunctionSizes ReadFunction(Parser& parser, absl::string_view name,
                           const JsonValue& object) {
  FunctionSizes function = {std::string(name), {}};
  parser.Only(object, {"calls", "bytes", "sizes"});
  const JsonValue* rows = parser.Member(object, "sizes", Kind::kArray);
  if (rows == nullptr) return function;
  for (const JsonValue& row : rows->items) {
    if (row.kind != Kind::kArray || row.items.size() < 2 ||
        row.items.size() > 3) {
      parser.Fail(row, "[size, calls] or [lowest size, calls, bytes]",
                  row.Describe());
      return function;
    }
    SizeCount count = {parser.Whole(row.items[0], kLargestSize),
                       parser.Whole(row.items[1], kMostCalls), 0};
    // Calls of 2^52 times 2^47 bytes do not fit; such a mix is no mix.
    if (count.from != 0 && count.calls > kMostBytes / count.from) {
      parser.Fail(row, "less than 2^60 bytes", "more");
      return function;
    }
    count.bytes = count.from * count.calls;
    if (row.items.size() == 3) {
      const uint64_t bytes = parser.Whole(row.items[2], kMostBytes);
      if (bytes < count.bytes) {
        parser.Fail(row, absl::StrCat("at least ", count.bytes, " bytes"),
                    absl::StrCat(bytes));
      }
      count.bytes = bytes;
    }
    if (count.calls == 0) continue;
    if (!function.sizes.empty() && count.from <= function.sizes.back().from) {
      parser.Fail(row,
                  absl::StrCat("a size above ", function.sizes.back().from),
                  absl::StrCat(count.from));
    }
    function.sizes.push_back(count);
  }
  for (const auto& [key, sum] :
       {std::pair<absl::string_view, uint64_t>{"calls", function.calls()},
        {"bytes", function.bytes()}}) {
    if (object.Find(key) == nullptr) continue;
    const uint64_t stated = parser.WholeMember(object, key, kMostBytes);
    if (stated == sum) continue;
    parser.Fail(object, absl::StrCat("\"", key, "\" to be the sum ", sum),
                absl::StrCat(stated));
  }
  return function;
}

std::vector<SizeDetail> ReadDetails(Parser& parser, const JsonValue& rows) {
  std::vector<SizeDetail> details;
  for (const JsonValue& row : rows.items) {
    if (row.kind != Kind::kObject) {
      parser.Fail(row, "an object", row.Describe());
      break;
    }
    parser.Only(row,
                {"from", "to", "observed", "aligned", "destination_misaligned",
                 "source_misaligned", "both_misaligned", "page_aliasing",
                 "overlap_forward", "overlap_backward", "same_address",
                 "gap_below_4k", "gap_below_1m", "read_back", "rewritten"});
    SizeDetail detail;
    detail.from = parser.WholeMember(row, "from", kLargestSize);
    detail.to = parser.WholeMember(row, "to", kLargestSize);
    detail.observed = parser.WholeMember(row, "observed", kMostCalls);
    detail.aligned = parser.Share(row, "aligned");
    detail.destination_misaligned = parser.Share(row, "destination_misaligned");
    detail.source_misaligned = parser.Share(row, "source_misaligned");
    detail.both_misaligned = parser.Share(row, "both_misaligned");
    detail.page_aliasing = parser.Share(row, "page_aliasing");
    detail.overlap_forward = parser.Share(row, "overlap_forward");
    detail.overlap_backward = parser.Share(row, "overlap_backward");
    detail.same_address = parser.Share(row, "same_address");
    detail.gap_below_4k = parser.Share(row, "gap_below_4k");
    detail.gap_below_1m = parser.Share(row, "gap_below_1m");
    detail.read_back = parser.Share(row, "read_back");
    detail.rewritten = parser.Share(row, "rewritten");
    if (detail.to < detail.from ||
        (!details.empty() && detail.from <= details.back().to)) {
      parser.Fail(row, "ascending ranges", absl::StrCat(detail.from));
    }
    details.push_back(detail);
  }
  return details;
}

// Each row is within the limits, so that no sum has wrapped around when the
// first is found to be beyond them.
void CheckTotals(Parser& parser, const JsonValue& object,
                 const Workload& workload) {
  uint64_t calls = 0, bytes = 0;
  for (const FunctionSizes& function : workload.functions) {
    for (const SizeCount& row : function.sizes) {
      calls += row.calls;
      bytes += row.bytes;
      if (calls <= kMostCalls && bytes <= kMostBytes) continue;
      parser.Fail(object, "at most 2^52 calls of 2^60 bytes in all", "more");
      return;
    }
  }
}

void ReadFunctions(Parser& parser, const JsonValue& object,
                   Workload& workload) {
  parser.Only(object, {"memcpy", "memmove", "mempcpy", "memset"});
  for (const char* name : kFunctions) {
    const JsonValue* value = parser.Member(object, name, Kind::kObject, false);
    if (value == nullptr) continue;
    FunctionSizes function = ReadFunction(parser, name, *value);
    if (!function.sizes.empty()) {
      workload.functions.push_back(std::move(function));
    }
  }
  if (workload.functions.empty()) parser.Fail(object, "some calls", "none");
  CheckTotals(parser, object, workload);
}

}  // namespace

absl::StatusOr<Workload> ParseWorkload(absl::string_view text,
                                       absl::string_view name) {
  const absl::StatusOr<JsonValue> json = ParseJson(text, name);
  if (!json.ok()) return json.status();
  Parser parser(name);
  if (json->kind != Kind::kObject) {
    parser.Fail(*json, "an object", json->Describe());
    return parser.status();
  }
  Workload workload;
  if (const uint64_t version = parser.WholeMember(*json, "schema_version", 99);
      parser.status().ok() && version != 1) {
    parser.Fail(*json, "\"schema_version\" 1", absl::StrCat(version));
  }
  parser.Only(*json, {"schema_version", "name", "provenance", "conditions",
                      "functions", "details"});
  workload.name = parser.Text(*json, "name");
  if (const JsonValue* from =
          parser.Member(*json, "provenance", Kind::kObject)) {
    workload.provenance = ReadProvenance(parser, *from);
  }
  if (const JsonValue* conditions =
          parser.Member(*json, "conditions", Kind::kObject, false)) {
    workload.conditions = ReadConditions(parser, *conditions);
  }
  if (const JsonValue* functions =
          parser.Member(*json, "functions", Kind::kObject)) {
    ReadFunctions(parser, *functions, workload);
  }
  if (const JsonValue* details =
          parser.Member(*json, "details", Kind::kObject, false)) {
    parser.Only(*details, {"copies", "memset"});
    for (const bool is_memset : {false, true}) {
      if (const JsonValue* rows = parser.Member(
              *details, is_memset ? "memset" : "copies", Kind::kArray, false)) {
        workload.details[is_memset] = ReadDetails(parser, *rows);
      }
    }
  }
  if (!parser.status().ok()) return parser.status();
  return workload;
}

}  // namespace advisor
