// The program that gets the string, and what watches it.

#include <cstdint>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advisor/lint/lint_rule.h"

namespace advisor {

void CheckSecure(const LintFacts& facts, const LintSink& sink) {
  if (facts.subject.string.empty() || facts.subject.secure != true) return;
  sink.Add("",
           facts.build.Has(Change::kSecureIgnoresTunables)
               ? "the program is set-uid, set-gid or has file capabilities: it "
                 "ignores all of GLIBC_TUNABLES, and its children do not get "
                 "the variable"
               : "the program is set-uid, set-gid or has file capabilities: it "
                 "does not read these tunables, and takes them out of what "
                 "its children get",
           "Set the variable behind it: in the service, or in the shell that "
           "it starts.");
}

void CheckEnableSecure(const LintFacts& facts, const LintSink& sink) {
  for (const TunableAssignment& item : facts.parsed.assignments) {
    if (item.outcome != AssignmentOutcome::kSecureOnly) continue;
    sink.Add(ItemText(item),
             "ignored: glibc.rtld.enable_secure=1 switches all other tunables "
             "off");
  }
}

void CheckStatic(const LintFacts& facts, const LintSink& sink) {
  if (facts.subject.string.empty() || !facts.subject.is_static) return;
  sink.Add("",
           absl::StrCat("the program is linked statically: the glibc in it, ",
                        facts.build.name(),
                        ", reads the string, whatever the system's is"));
}

// Rules of intrusion detection look for assignments inside values.
void CheckAlertPattern(const LintFacts& facts, const LintSink& sink) {
  if (facts.subject.string.empty()) return;
  for (const TunableAssignment& item : facts.parsed.assignments) {
    if (!absl::StrContains(item.value, "glibc.") ||
        !absl::StrContains(item.value, "=")) {
      continue;
    }
    sink.Add(Severity::kWarning, ItemText(item),
             "an assignment inside another's value is the form that exploits "
             "of CVE-2023-4911 have: expect an alert",
             "Join assignments with colons.",
             "CVE-2023-4911; Elastic \"Potential Privilege Escalation via "
             "CVE-2023-4911\"");
    return;
  }
  sink.Add("",
           "intrusion detection may report any program with GLIBC_TUNABLES in "
           "its environment",
           "Tell who reads the alerts, or set it for the service only.");
}

void CheckUnpatched(const LintFacts& facts, const LintSink& sink) {
  const GlibcBuild& build = facts.build;
  if (!build.Has(Change::kParserLooksAgain) || build.Has(Change::kParserEnds)) {
    return;
  }
  sink.Add("",
           absl::StrCat(build.name(),
                        ", as far as is known, has the hole CVE-2023-4911: "
                        "GLIBC_TUNABLES overflows a buffer of set-uid "
                        "programs"),
           "Update glibc (2.39, the stable branches of 2.34 to 2.38 from "
           "2023-10-02 on, or a patched package).");
}

namespace {

// Settings that people carry along, and what has become of them.
struct KnownSettingRow {
  absl::string_view name;
  absl::string_view value;  // Empty: any.
  int first_release;        // The NN of 2.NN.
  Severity severity;
  absl::string_view title;
  absl::string_view advice;
  absl::string_view reference;
};

// Sorted by name, then value.
constexpr KnownSettingRow kKnownSettings[] = {
    {"glibc.cpu.x86_ibt", "on", 28, Severity::kInformation,
     "it acts only in a glibc and programs built for CET, and for all programs "
     "at once it has stopped some from starting",
     "Set it for one service; permissive does not stop programs that lack it.",
     "secureblue issue 1108"},
    {"glibc.cpu.x86_shstk", "on", 28, Severity::kInformation,
     "it acts only in a glibc and programs built for CET, and for all programs "
     "at once it has stopped some from starting",
     "Set it for one service; permissive does not stop programs that lack it.",
     "secureblue issue 1108"},
    {"glibc.malloc.check", "", 34, Severity::kWarning,
     "from 2.34 on it does nothing unless libc_malloc_debug.so is preloaded",
     "Add LD_PRELOAD=libc_malloc_debug.so.0, or leave it out.",
     "glibc 2.34 NEWS"},
    {"glibc.mem.tagging", "", 33, Severity::kWarning,
     "it does nothing on x86-64: memory tagging is AArch64's", "",
     "sysdeps/aarch64/cpu-features.c"},
    {"glibc.pthread.rseq", "0", 35, Severity::kInformation,
     "it works around a conflict of tcmalloc (MongoDB 8) with glibc's rseq; "
     "from Linux 6.19 on the same programs need it to be 1",
     "Note beside it why it is there, and take it out with the update that "
     "makes it stale.",
     "docker-library/mongo issues 723 and 724; google/tcmalloc issue 292"},
};

}  // namespace

void CheckKnownSetting(const LintFacts& facts, const LintSink& sink) {
  for (const TunableAssignment& item : facts.parsed.assignments) {
    if (item.outcome != AssignmentOutcome::kOtherTunable &&
        item.outcome != AssignmentOutcome::kSet) {
      continue;
    }
    for (const KnownSettingRow& row : kKnownSettings) {
      if (item.name == row.name &&
          (row.value.empty() || item.value == row.value) &&
          row.first_release <= facts.build.release()) {
        sink.Add(row.severity, ItemText(item), std::string(row.title),
                 std::string(row.advice), row.reference);
      }
    }
  }
}

}  // namespace advisor
