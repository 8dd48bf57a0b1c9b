#include "advisor/render/provenance.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "advisor/render/layout.h"

namespace advisor {
namespace {

constexpr size_t kColumns = 78;  // Beside "# ".
constexpr size_t kHanging = 2;

std::string BuildName(const GlibcSummary& glibc) {
  return absl::StrCat("glibc ",
                      glibc.revision.empty() ? glibc.release : glibc.revision);
}

std::string MachineName(const MachineSummary& machine) {
  std::vector<std::string> parts = {machine.brand.empty() ? machine.vendor
                                                          : machine.brand};
  if (!machine.microarchitecture.empty()) {
    parts.push_back(machine.microarchitecture);
  }
  parts.push_back(
      absl::StrCat("family ", machine.family, " model ", machine.model));
  if (!machine.hypervisor.empty()) {
    parts.push_back(absl::StrCat(machine.hypervisor, " guest"));
  }
  return absl::StrJoin(parts, ", ");
}

std::string How(const Report& report) {
  if (report.measure == "off") return "from the model; nothing was measured";
  return report.proof.has_value() && report.proof->holds
             ? "measured there, and proved on its libc"
             : "measured there";
}

std::string SettingLine(const TunableSetting& setting) {
  const std::string value =
      setting.text.empty() ? FormatBytes(setting.value) : setting.text;
  return absl::StrCat(
      "Sets ", setting.name, ": ",
      setting.value_before.has_value()
          ? absl::StrCat(FormatBytes(*setting.value_before), " -> ")
          : "",
      value, ". ", setting.reason);
}

std::string ValidFor(const Report& report) {
  const std::string& names = report.recommendation.validity.releases;
  return absl::StrCat("Valid for: ", BuildName(report.glibc), " on ",
                      MachineName(report.machine), ".",
                      names.empty()
                          ? ""
                          : absl::StrCat(" Its names exist in glibc ", names,
                                         "; others ignore them."));
}

}  // namespace

std::string CommentLines(absl::string_view text) {
  std::string plain(text);
  for (char& c : plain) {
    if (c != '\n' && !absl::ascii_isprint(static_cast<unsigned char>(c))) {
      c = '?';
    }
  }
  std::string lines;
  for (const absl::string_view line :
       absl::StrSplit(WrapText(plain, kHanging, kColumns), '\n')) {
    absl::StrAppend(
        &lines, absl::StripTrailingAsciiWhitespace(absl::StrCat("# ", line)),
        "\n");
  }
  return lines;
}

std::string WhenToDrop(const Report& report) {
  const std::string& from = report.recommendation.validity.obsolete_from;
  return absl::StrCat(
      from.empty() ? ""
                   : absl::StrCat("with glibc ", from,
                                  ", which computes a sound value here by "
                                  "itself; "),
      "after an upgrade from ", BuildName(report.glibc),
      ", or when the CPU, the hypervisor or the host changes. Then ask again.");
}

std::string ProvenanceComment(const Report& report) {
  const bool sets = report.recommendation.verdict == Verdict::kSet;
  std::string text;
  if (!sets) {
    const std::string& there = report.glibc.tunables_in_environment;
    text = CommentLines(absl::StrCat(
        "Nothing to set: keep the defaults",
        there.empty()
            ? ""
            : absl::StrCat(", and GLIBC_TUNABLES=", there, ", which is there"),
        "."));
  }
  const std::string& reason = report.recommendation.reason;
  // Where it is that of the one setting, it follows there.
  if (!reason.empty() && absl::c_none_of(report.recommendation.tunables,
                                         [&](const TunableSetting& setting) {
                                           return setting.reason == reason;
                                         })) {
    absl::StrAppend(&text, CommentLines(absl::StrCat("Why: ", reason)));
  }
  for (const TunableSetting& setting : report.recommendation.tunables) {
    absl::StrAppend(&text, CommentLines(SettingLine(setting)));
  }
  absl::StrAppend(
      &text, CommentLines(ValidFor(report)),
      CommentLines(absl::StrCat(
          "Made on ",
          absl::FormatTime("%Y-%m-%d", report.date, absl::UTCTimeZone()),
          " by the glibc tunables advisor ", report.tool_version, ", ",
          How(report), ".")));
  if (sets) {
    absl::StrAppend(
        &text, CommentLines(absl::StrCat("Drop it: ", WhenToDrop(report))));
  }
  return text;
}

std::string SystemWideWarning() {
  return CommentLines(
      "WARNING: this reaches every process, also those that nobody measured. "
      "Set-uid programs (sudo, su, ping) ignore the variable, and what they "
      "start may lose it. Security monitors may raise an alert at any "
      "GLIBC_TUNABLES since CVE-2023-4911: ask who runs them first. One "
      "service at a time is safer.");
}

}  // namespace advisor
