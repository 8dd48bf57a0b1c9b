#include "advisor/render/deployment_renderers.h"

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "nlohmann/json.hpp"

namespace advisor {
namespace {

// One word for a POSIX shell.
std::string ShellWord(absl::string_view text) {
  const bool is_plain = absl::c_all_of(text, [](char c) {
    return absl::ascii_isalnum(c) ||
           absl::string_view("-_.,:=/+").find(c) != absl::string_view::npos;
  });
  if (is_plain) return std::string(text);
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

}  // namespace

std::string DockerRenderer::Render(const Report& report,
                                   const RenderOptions&) const {
  const std::string& value = report.recommendation.string;
  if (value.empty()) return "\n";
  return absl::StrCat(ShellWord(absl::StrCat("--env=GLIBC_TUNABLES=", value)),
                      "\n");
}

std::string KubernetesRenderer::Render(const Report& report,
                                       const RenderOptions&) const {
  const std::string& value = report.recommendation.string;
  if (value.empty()) return "env: []\n";
  // A JSON string is a YAML string.
  const std::string quoted = nlohmann::json(value).dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace);
  return absl::StrCat("env:\n  - name: GLIBC_TUNABLES\n    value: ", quoted,
                      "\n");
}

std::string SystemdRenderer::Render(const Report& report,
                                    const RenderOptions&) const {
  const std::string& value = report.recommendation.string;
  if (value.empty()) return "# Nothing to set: keep the defaults.\n";
  const std::string escaped = absl::StrReplaceAll(
      value, {{"\\", "\\\\"}, {"\"", "\\\""}, {"%", "%%"}, {"\n", "\\n"}});
  return absl::StrCat(
      "# As /etc/systemd/system/UNIT.service.d/glibc-tunables.conf; then\n"
      "# systemctl daemon-reload && systemctl restart UNIT\n"
      "[Service]\n"
      "Environment=\"GLIBC_TUNABLES=",
      escaped, "\"\n");
}

}  // namespace advisor
