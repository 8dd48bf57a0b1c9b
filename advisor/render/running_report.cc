#include "advisor/render/running_report.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "advisor/render/json_text.h"
#include "advisor/render/layout.h"
#include "advisor/render/or_null.h"
#include "advisor/render/page.h"
#include "nlohmann/json.hpp"

namespace advisor {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

std::string Number(const std::optional<uint64_t>& value) {
  return value.has_value() ? absl::StrCat(*value) : "-";
}

Json TunablesJson(const std::optional<std::string>& value) {
  return value.has_value() ? Json(*value) : Json(nullptr);
}

void ValuesPart(const RunningProcess& process, Page& page) {
  size_t name = 4, listed = 6, effective = 9;
  for (const RunningValue& value : process.values) {
    name = std::max(name, value.name.size());
    listed = std::max(listed, Number(value.listed).size());
    effective = std::max(effective, Number(value.effective).size());
  }
  page.Title("Values");
  page.Verbatim(absl::StrFormat("%-*s  %*s  %*s  %s", static_cast<int>(name),
                                "bytes", static_cast<int>(listed), "listed",
                                static_cast<int>(effective), "effective",
                                "found in"));
  for (const RunningValue& value : process.values) {
    page.Verbatim(absl::StrFormat(
        "%-*s  %*s  %*s  %s%s", static_cast<int>(name), value.name,
        static_cast<int>(listed), Number(value.listed),
        static_cast<int>(effective), Number(value.effective), value.way,
        value.listed.has_value() && value.effective.has_value() &&
                value.listed != value.effective
            ? "  (they differ)"
            : ""));
  }
}

}  // namespace

std::string RenderRunningText(const RunningProcess& process, int columns) {
  Page page(columns);
  page.Title("Process");
  page.Paragraph(WithoutControlCharacters(
      absl::StrCat(process.pid, ", ", process.program,
                   process.secure == true ? ", set-uid" : "")));
  page.Title("glibc");
  page.Paragraph(process.build.empty()
                     ? std::string("not known")
                     : absl::StrCat(process.build, ", ", process.libc));
  page.Paragraph(process.build_note);
  page.Title("Tunables");
  if (process.glibc_tunables.has_value()) {
    page.Verbatim(WithoutControlCharacters(*process.glibc_tunables));
  } else {
    page.Paragraph("not set when it was started");
  }
  page.Paragraph(process.dropped.empty()
                     ? std::string()
                     : absl::StrCat("WARNING: ",
                                    WithoutControlCharacters(process.dropped)),
                 2);
  if (!process.values.empty()) ValuesPart(process, page);
  if (!process.problems.empty()) page.Title("Problems");
  for (const std::string& problem : process.problems) {
    page.Paragraph(WithoutControlCharacters(problem), 2);
  }
  return std::move(page).text();
}

std::string RenderRunningJson(const RunningProcess& process,
                              absl::string_view tool_version) {
  Json values = Json::array();
  for (const RunningValue& value : process.values) {
    values.push_back({{"name", value.name},
                      {"listed", OrNull(value.listed)},
                      {"effective", OrNull(value.effective)},
                      {"way", value.way}});
  }
  Json ancestors = Json::array();
  for (const RunningAncestor& ancestor : process.ancestors) {
    ancestors.push_back(
        {{"pid", ancestor.pid},
         {"program", ancestor.program},
         {"readable", ancestor.readable},
         {"glibc_tunables", TunablesJson(ancestor.glibc_tunables)}});
  }
  Json problems = Json::array();
  for (const std::string& problem : process.problems) {
    problems.push_back(problem);
  }
  const Json document = {
      {"schema_version", kSchemaVersion},
      {"tool_version", std::string(tool_version)},
      {"pid", process.pid},
      {"program", process.program},
      {"libc", process.libc},
      {"build", process.build},
      {"build_note", process.build_note},
      {"secure", OrNull(process.secure)},
      {"glibc_tunables", TunablesJson(process.glibc_tunables)},
      {"values", std::move(values)},
      {"dropped", process.dropped},
      {"ancestors", std::move(ancestors)},
      {"problems", std::move(problems)}};
  return absl::StrCat(JsonText(document, 2), "\n");
}

}  // namespace advisor
