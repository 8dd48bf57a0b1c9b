// The answer of `lint`, complete before it is rendered, and its two forms.

#ifndef ADVISOR_RENDER_LINT_REPORT_H_
#define ADVISOR_RENDER_LINT_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "advisor/lint/lint.h"

namespace advisor {

struct LintedString {
  // Where it comes from: "the command line", "/etc/environment:3".
  std::string source;
  std::string string;
  // "2.36-9+deb12u14", and what a reader must know about it.
  std::string build;
  std::string build_note;
  // "AMD EPYC ... (dump.txt)"; empty: no CPU that tells enough.
  std::string cpu;
  // Of a process or service: the path; else empty.
  std::string program;
  std::optional<bool> secure;
  bool is_static = false;
  LintResult result;
};

struct LintReport {
  std::string tool_version;
  // What was looked at in vain, or could not be read. Each a line.
  std::vector<std::string> notes;
  // Empty: nothing sets the variable.
  std::vector<LintedString> strings;

  bool has_finding() const {
    for (const LintedString& linted : strings) {
      if (linted.result.has_finding()) return true;
    }
    return false;
  }
};

std::string RenderLintText(const LintReport& report, int columns);
// By testdata/schema/lint.schema.json.
std::string RenderLintJson(const LintReport& report);

}  // namespace advisor

#endif  // ADVISOR_RENDER_LINT_REPORT_H_
