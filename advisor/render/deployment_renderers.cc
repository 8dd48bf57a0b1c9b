#include "advisor/render/deployment_renderers.h"

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "advisor/render/json_text.h"
#include "advisor/render/provenance.h"
#include "nlohmann/json.hpp"

namespace advisor {
namespace {

// It means the same to every reader, quoted or not.
bool IsPlain(absl::string_view text) {
  return absl::c_all_of(text, [](char c) {
    return absl::ascii_isalnum(c) ||
           absl::string_view("-_.,:=/+").find(c) != absl::string_view::npos;
  });
}

// The comments that stand instead of a setting; empty where there is one to be
// written.
std::string InsteadOfASetting(const Report& report) {
  if (report.recommendation.verdict == Verdict::kKeepDefaults) {
    return ProvenanceComment(report);
  }
  const std::string obstacle = Obstacle(report.recommendation.string);
  return obstacle.empty() ? ""
                          : absl::StrCat(obstacle, ProvenanceComment(report));
}

std::string DoubleQuoted(
    absl::string_view text,
    std::initializer_list<std::pair<absl::string_view, absl::string_view>>
        escapes) {
  return absl::StrCat("\"", absl::StrReplaceAll(text, escapes), "\"");
}

}  // namespace

std::string ShellWord(absl::string_view text) {
  if (IsPlain(text)) return std::string(text);
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

std::string Obstacle(absl::string_view value) {
  if (absl::c_none_of(value,
                      [](unsigned char c) { return absl::ascii_iscntrl(c); })) {
    return "";
  }
  return CommentLines(
      "Not written: the GLIBC_TUNABLES that is there holds control characters. "
      "Mend it, then ask again.");
}

std::string DockerRenderer::Render(const Report& report,
                                   const RenderOptions&) const {
  if (std::string comment = InsteadOfASetting(report); !comment.empty()) {
    return comment;
  }
  const std::string& value = report.recommendation.string;
  return absl::StrCat(
      CommentLines(
          "For a Dockerfile, in its last stage. It replaces an ENV line of the "
          "same name; as an option of `docker run` it is"),
      "# ", ShellWord(absl::StrCat("--env=GLIBC_TUNABLES=", value)), "\n",
      ProvenanceComment(report), "ENV GLIBC_TUNABLES=",
      DoubleQuoted(value, {{"\\", "\\\\"}, {"\"", "\\\""}, {"$", "\\$"}}),
      "\n");
}

std::string EnvironmentDRenderer::Render(const Report& report,
                                         const RenderOptions& options) const {
  if (std::string comment = InsteadOfASetting(report); !comment.empty()) {
    return comment;
  }
  const std::string& value = report.recommendation.string;
  if (!IsPlain(value)) {
    return absl::StrCat(
        CommentLines(
            "Not written: the GLIBC_TUNABLES that is there holds characters "
            "that the readers of such files take differently. Mend it, then "
            "ask again."),
        ProvenanceComment(report));
  }
  return absl::StrCat(
      CommentLines(
          options.scope == Scope::kSystem
              ? "As /etc/environment.d/50-glibc-tunables.conf, for "
                "the services and sessions of every user, or as a line of "
                "/etc/environment, for every login. Then log in again."
              : "As ~/.config/environment.d/50-glibc-tunables.conf, for all "
                "services and the session of one user; then log in again. For "
                "one unit: EnvironmentFile= with this file's path."),
      SystemWideWarning(), ProvenanceComment(report), "GLIBC_TUNABLES=", value,
      "\n");
}

std::string KubernetesRenderer::Render(const Report& report,
                                       const RenderOptions&) const {
  if (std::string comment = InsteadOfASetting(report); !comment.empty()) {
    return absl::StrCat(comment, "env: []\n");
  }
  // A JSON string is a YAML string, in which $(NAME) would be a variable.
  const std::string quoted =
      JsonText(nlohmann::json(absl::StrReplaceAll(report.recommendation.string,
                                                  {{"$(", "$$("}})),
               -1);
  return absl::StrCat(
      CommentLines("For a container of a pod's template, among the items that "
                   "its `env` has. It replaces one of the same name."),
      ProvenanceComment(report),
      "env:\n  - name: GLIBC_TUNABLES\n    value: ", quoted, "\n");
}

std::string SystemdRenderer::Render(const Report& report,
                                    const RenderOptions& options) const {
  if (std::string comment = InsteadOfASetting(report); !comment.empty()) {
    return comment;
  }
  const std::string assignment = DoubleQuoted(
      absl::StrCat("GLIBC_TUNABLES=", report.recommendation.string),
      {{"\\", "\\\\"}, {"\"", "\\\""}, {"%", "%%"}});
  if (options.scope == Scope::kSystem) {
    return absl::StrCat(
        "# As /etc/systemd/system.conf.d/glibc-tunables.conf; then\n"
        "# systemctl daemon-reexec, and restart the services.\n",
        SystemWideWarning(), ProvenanceComment(report),
        "[Manager]\nDefaultEnvironment=", assignment, "\n");
  }
  return absl::StrCat(
      "# As /etc/systemd/system/UNIT.service.d/glibc-tunables.conf; then\n"
      "# systemctl daemon-reload && systemctl restart UNIT\n"
      "# It replaces what the unit sets: systemctl show -p Environment UNIT\n",
      ProvenanceComment(report), "[Service]\nEnvironment=", assignment, "\n");
}

}  // namespace advisor
