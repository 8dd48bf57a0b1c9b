// What is wrong with a GLIBC_TUNABLES string, and what each part of it does in
// one glibc on one CPU.

#ifndef ADVISOR_LINT_LINT_H_
#define ADVISOR_LINT_LINT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/build.h"
#include "advisor/report.h"

namespace advisor {

struct LintMachine {
  // Tells every leaf that glibc reads.
  CpuidTable cpuid;
  // CPUs that it has, where known.
  std::optional<int> cpus;
};

struct LintSubject {
  // The value of the variable.
  std::string string;
  GlibcBuild build = GlibcBuild::Tag(kLastRelease);
  // nullopt: no CPU is known that tells enough; what the values do is not
  // checked then, only how they are read.
  std::optional<LintMachine> machine;
  // The program runs set-uid or the like (AT_SECURE); nullopt: not known.
  std::optional<bool> secure;
  // The program brings its own glibc, and `build` is that one's.
  bool is_static = false;
};

struct LintFinding {
  std::string rule;  // LintRule::id
  // More than information is what a check fails for.
  Severity severity = Severity::kInformation;
  // The part of the string that it is about; empty: all of it.
  std::string item;
  // A sentence without its full stop: what is wrong.
  std::string title;
  // What to do about it; sentences, may be empty.
  std::string advice;
  // Public: a bug, a commit, a report; may be empty.
  std::string reference;
};

// One item of the string, or a word of the hwcaps mask in it.
struct LintAssignment {
  std::string item;     // "glibc.cpu.x86_rep_movsb_threshold=2000", "-AVX2"
  std::string outcome;  // "in force", "ignored: no tunable of 2.36"
  bool in_force = false;
};

struct LintResult {
  std::vector<LintAssignment> assignments;
  // Most severe first.
  std::vector<LintFinding> findings;
  // What the loader prints on standard error.
  std::vector<std::string> warnings;

  // A finding that is more than information.
  bool has_finding() const {
    return !findings.empty() &&
           findings.front().severity != Severity::kInformation;
  }
};

LintResult Lint(const LintSubject& subject);

}  // namespace advisor

#endif  // ADVISOR_LINT_LINT_H_
