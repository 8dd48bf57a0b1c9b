// lscpu of util-linux, as text ("CPU family:   6", since 2.38 with indented
// groups) and with -J as JSON ({"lscpu": [{"field": "CPU family:", "data": "6",
// "children": [...]}]}). The names are those of the C locale.

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "advisor/cpu/feature_table.h"
#include "advisor/input/core_kinds.h"
#include "advisor/input/formats.h"
#include "advisor/input/input_text.h"
#include "advisor/input/json_document.h"
#include "advisor/input/linux_cpu.h"

namespace advisor {
namespace {

struct Field {
  std::string value;
  int line = 0;
  // The text ended inside of this line.
  bool is_cut = false;
};

// The first value of each name.
using Fields = std::map<std::string, Field>;

constexpr absl::string_view kFlags = "Flags";

// Copied into the notes, caches last. Since util-linux 2.34 lscpu prints the
// sum over all instances of a cache ("192 KiB"), before that the size of one
// ("32K"); on a terminal 2.37 and later shorten the names.
constexpr absl::string_view kNotes[] = {
    "CPU(s)",    "Thread(s) per core", "Core(s) per socket",
    "Socket(s)", "Hypervisor vendor",
};
constexpr absl::string_view kCaches[] = {
    "L1d cache", "L1d", "L1i cache", "L1i", "L2 cache", "L2", "L3 cache", "L3",
};

absl::StatusOr<std::optional<uint32_t>> NumberOf(const Fields& fields,
                                                 absl::string_view key,
                                                 absl::string_view name) {
  const auto field = fields.find(std::string(key));
  if (field == fields.end() || field->second.is_cut ||
      field->second.value == "-" || field->second.value.empty()) {
    return std::optional<uint32_t>();
  }
  const std::optional<uint32_t> number = ParseInputNumber(field->second.value);
  if (!number.has_value()) {
    return InputError(name, field->second.line,
                      absl::StrCat("\"", key, ":\" and a number"),
                      QuotedInput(field->second.value));
  }
  return number;
}

std::string ValueOf(const Fields& fields, absl::string_view key) {
  const auto field = fields.find(std::string(key));
  if (field == fields.end() || field->second.is_cut) return "";
  return field->second.value;
}

void AddNotes(const Fields& fields, MachineInput* input) {
  for (const absl::string_view key : kNotes) {
    const std::string value = ValueOf(fields, key);
    if (!value.empty()) {
      input->notes.push_back(absl::StrCat(key, ": ", value));
    }
  }
  for (const absl::string_view key : kCaches) {
    const std::string value = ValueOf(fields, key);
    if (value.empty()) continue;
    input->notes.push_back(absl::StrCat(
        absl::StripSuffix(key, " cache"), " cache: ", value,
        absl::StrContains(value, " ") ? ", as lscpu sums it up over the machine"
                                      : ", as lscpu tells one of them"));
  }
}

absl::StatusOr<MachineInput> FromFields(const Fields& fields,
                                        absl::string_view name) {
  const auto architecture = fields.find("Architecture");
  if (architecture != fields.end() && architecture->second.value != "x86_64" &&
      architecture->second.value != "i686") {
    return InputError(name, architecture->second.line,
                      "\"Architecture:\" and x86_64",
                      QuotedInput(architecture->second.value));
  }
  LinuxCpu cpu;
  cpu.vendor = ValueOf(fields, "Vendor ID");
  cpu.model_name = ValueOf(fields, "Model name");
  if (cpu.model_name == "-") cpu.model_name.clear();
  const std::pair<absl::string_view, std::optional<uint32_t>*> kNumbers[] = {
      {"CPU family", &cpu.family},
      {"Model", &cpu.model},
      {"Stepping", &cpu.stepping},
  };
  for (const auto& [key, target] : kNumbers) {
    absl::StatusOr<std::optional<uint32_t>> number =
        NumberOf(fields, key, name);
    if (!number.ok()) return number.status();
    *target = *number;
  }
  const std::string flags = ValueOf(fields, kFlags);
  if (!flags.empty()) cpu.flags = flags;

  MachineInput input;
  input.name = std::string(name);
  if (std::optional<CpuidTable> table = CpuidOfLinuxCpu(cpu)) {
    AddCores({{0, *std::move(table)}}, &input);
  }
  input.has_features = TellsFeatures(cpu);
  input.unknown = UnknownOfLinuxCpu(cpu);
  AddNotes(fields, &input);
  return input;
}

bool IsKnownFlag(absl::string_view flag) {
  static const auto* const kKnown = [] {
    auto* const known = new std::set<std::string>;
    for (const FeatureRow& row : FeatureTable()) {
      known->insert(LinuxFlagName(row.name));
    }
    return known;
  }();
  return kKnown->count(std::string(flag)) != 0;
}

// A terminal's width breaks the line of flags anywhere, and copying loses the
// blanks: two pieces are one word where that is a flag that counts.
void AppendWrapped(absl::string_view piece, std::string* flags) {
  const size_t blank = flags->rfind(' ');
  const std::string last =
      blank == std::string::npos ? *flags : flags->substr(blank + 1);
  const absl::string_view first = piece.substr(0, piece.find(' '));
  absl::StrAppend(flags, IsKnownFlag(absl::StrCat(last, first)) ? "" : " ",
                  piece);
}

bool IsArchitectureLine(absl::string_view line) {
  return absl::StartsWith(line, "Architecture:");
}

bool IsVendorLine(absl::string_view line) {
  return absl::StartsWith(line, "Vendor ID:") ||
         absl::StartsWith(line, "CPU op-mode(s):");
}

// {"field": "L1d cache:", "data": "96 KiB", "children": [...]}
absl::Status AddJsonFields(const JsonValue& list, absl::string_view name,
                           Fields* fields) {
  if (list.kind != JsonValue::Kind::kArray) {
    return InputError(name, list.line, "an array of fields", list.Describe());
  }
  for (const JsonValue& item : list.items) {
    const JsonValue* const field = item.Find("field");
    if (field == nullptr || field->kind != JsonValue::Kind::kString) {
      return InputError(name, item.line,
                        "an object with \"field\" and \"data\"",
                        item.Describe());
    }
    const JsonValue* const data = item.Find("data");
    if (data != nullptr && data->is_scalar() &&
        data->kind != JsonValue::Kind::kNull) {
      fields->emplace(std::string(absl::StripSuffix(field->text, ":")),
                      Field{data->text, data->line});
    }
    if (const JsonValue* const children = item.Find("children")) {
      const absl::Status status = AddJsonFields(*children, name, fields);
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace

bool LooksLikeLscpu(absl::string_view front) {
  return AnyLine(front, IsArchitectureLine) && AnyLine(front, IsVendorLine);
}

absl::StatusOr<MachineInput> ParseLscpu(absl::string_view text,
                                        absl::string_view name) {
  Fields fields;
  bool after_flags = false;
  LineReader lines(text);
  for (TextLine line; lines.Next(&line);) {
    const absl::string_view stripped = StripBlanks(line.text);
    if (stripped.empty() || stripped[0] == '#') continue;
    const size_t colon = stripped.find(':');
    if (colon == absl::string_view::npos || colon == 0) {
      if (!after_flags) {
        // A shell's prompt or command before the listing.
        if (fields.empty()) continue;
        if (!line.whole) break;
        return InputError(name, line.number,
                          "\"Name: value\" as lscpu prints it",
                          QuotedInput(stripped));
      }
      AppendWrapped(stripped, &fields[std::string(kFlags)].value);
      fields[std::string(kFlags)].is_cut = !line.whole;
      continue;
    }
    const std::string key(stripped.substr(0, colon));
    const auto [field, is_new] = fields.emplace(
        key, Field{std::string(StripBlanks(stripped.substr(colon + 1))),
                   line.number, !line.whole});
    after_flags = is_new && key == kFlags;
  }
  return FromFields(fields, name);
}

bool LooksLikeLscpuJson(absl::string_view front) {
  const absl::string_view text = StripBlanks(front);
  return absl::StartsWith(text, "{") && absl::StrContains(text, "\"lscpu\"");
}

absl::StatusOr<MachineInput> ParseLscpuJson(absl::string_view text,
                                            absl::string_view name) {
  const absl::StatusOr<JsonValue> document = ParseJson(text, name);
  if (!document.ok()) return document.status();
  const JsonValue* const list = document->Find("lscpu");
  if (list == nullptr) {
    return InputError(name, document->line, "\"lscpu\" in the outer object",
                      document->Describe());
  }
  Fields fields;
  const absl::Status status = AddJsonFields(*list, name, &fields);
  if (!status.ok()) return status;
  return FromFields(fields, name);
}

}  // namespace advisor
