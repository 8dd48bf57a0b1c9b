#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "advisor/workload/workload.h"
#include "nlohmann/json.hpp"

namespace advisor {
namespace {

constexpr size_t kColumns = 80;

std::string Quoted(absl::string_view text) {
  // Programs' arguments need not be UTF-8.
  return nlohmann::json(std::string(text))
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// 0.25, 0, 0.0312: four digits are more than is known.
std::string Share(double share) {
  return absl::StrFormat("%.4g", std::clamp(share, 0.0, 1.0));
}

using Members = std::vector<std::pair<std::string, std::string>>;

std::string Object(const Members& members, absl::string_view indent) {
  const auto line = [&](std::string* out,
                        const std::pair<std::string, std::string>& member) {
    absl::StrAppend(out, indent, "  ", Quoted(member.first), ": ",
                    member.second);
  };
  return absl::StrCat("{\n", absl::StrJoin(members, ",\n", line), "\n", indent,
                      "}");
}

// Items one after another, as many as fit on a line.
std::string Packed(const std::vector<std::string>& items,
                   absl::string_view indent) {
  std::string text = "[";
  size_t column = kColumns;
  for (size_t i = 0; i < items.size(); ++i) {
    if (column + items[i].size() + 2 > kColumns) {
      absl::StrAppend(&text, "\n", indent, "  ", items[i]);
      column = indent.size() + 2 + items[i].size();
    } else {
      absl::StrAppend(&text, " ", items[i]);
      column += 1 + items[i].size();
    }
    if (i + 1 < items.size()) {
      absl::StrAppend(&text, ",");
      ++column;
    }
  }
  return absl::StrCat(text, "\n", indent, "]");
}

std::string Provenance(const WorkloadProvenance& from) {
  Members members = {
      {"kind", Quoted(from.is_recorded ? "recorded" : "synthetic")}};
  if (!from.is_recorded) {
    members.emplace_back("source", Quoted(from.source));
    return Object(members, "  ");
  }
  std::vector<std::string> programs, not_seen;
  for (const WorkloadProvenance::Program& program : from.programs) {
    programs.push_back(absl::StrCat("[", Quoted(program.name), ", ",
                                    program.processes, ", ", program.calls,
                                    "]"));
  }
  for (const std::string& item : from.not_seen) {
    not_seen.push_back(Quoted(item));
  }
  members.insert(members.end(), {{"program", Quoted(from.program)},
                                 {"version", Quoted(from.version)},
                                 {"arguments", Quoted(from.arguments)},
                                 {"source", Quoted(from.source)},
                                 {"machine", Quoted(from.machine)},
                                 {"glibc", Quoted(from.glibc)},
                                 {"date", Quoted(from.date)},
                                 {"processes", absl::StrCat(from.processes)},
                                 {"programs", Packed(programs, "    ")},
                                 {"not_seen", Packed(not_seen, "    ")}});
  return Object(members, "  ");
}

std::string Conditions(const WorkloadConditions& conditions) {
  Members members = {{"hot", Share(conditions.hot)},
                     {"cold", Share(conditions.cold)},
                     {"read_back", Share(conditions.read_back)},
                     {"write_once", Share(conditions.write_once)}};
  if (conditions.all_cores.has_value()) {
    members.emplace_back("all_cores", Share(*conditions.all_cores));
  }
  return Object(members, "  ");
}

std::string Function(const FunctionSizes& function) {
  std::vector<std::string> rows;
  for (const SizeCount& row : function.sizes) {
    rows.push_back(
        row.bytes == row.from * row.calls
            ? absl::StrCat("[", row.from, ",", row.calls, "]")
            : absl::StrCat("[", row.from, ",", row.calls, ",", row.bytes, "]"));
  }
  return Object({{"calls", absl::StrCat(function.calls())},
                 {"bytes", absl::StrCat(function.bytes())},
                 {"sizes", Packed(rows, "      ")}},
                "    ");
}

std::string Detail(const SizeDetail& detail, bool is_memset) {
  std::string text =
      absl::StrCat("{\"from\": ", detail.from, ", \"to\": ", detail.to,
                   ", \"observed\": ", detail.observed);
  const auto add = [&](absl::string_view name, double share) {
    absl::StrAppend(&text, ", ", Quoted(name), ": ", Share(share));
  };
  add("aligned", detail.aligned);
  add("destination_misaligned", detail.destination_misaligned);
  add("read_back", detail.read_back);
  add("rewritten", detail.rewritten);
  if (!is_memset) {
    add("source_misaligned", detail.source_misaligned);
    add("both_misaligned", detail.both_misaligned);
    add("page_aliasing", detail.page_aliasing);
    add("overlap_forward", detail.overlap_forward);
    add("overlap_backward", detail.overlap_backward);
    add("same_address", detail.same_address);
    add("gap_below_4k", detail.gap_below_4k);
    add("gap_below_1m", detail.gap_below_1m);
  }
  return absl::StrCat(text, "}");
}

}  // namespace

std::string FormatWorkload(const Workload& workload) {
  Members members = {{"schema_version", "1"},
                     {"name", Quoted(workload.name)},
                     {"provenance", Provenance(workload.provenance)}};
  if (workload.conditions.has_value()) {
    members.emplace_back("conditions", Conditions(*workload.conditions));
  }
  Members functions;
  for (const FunctionSizes& function : workload.functions) {
    functions.emplace_back(function.function, Function(function));
  }
  members.emplace_back("functions", Object(functions, "  "));
  Members details;
  for (const bool is_memset : {false, true}) {
    std::vector<std::string> rows;
    for (const SizeDetail& detail : workload.details[is_memset]) {
      rows.push_back(Detail(detail, is_memset));
    }
    if (rows.empty()) continue;
    details.emplace_back(is_memset ? "memset" : "copies", Packed(rows, "    "));
  }
  if (!details.empty()) {
    members.emplace_back("details", Object(details, "  "));
  }
  return absl::StrCat(Object(members, ""), "\n");
}

}  // namespace advisor
